import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeTree } from '../process/remove-tree.ts';
import { addTrusted } from './scope-contract.ts';
import { keepTrustedFiles, keepTrustedLink, type TrustedFiles } from './trusted-files.ts';

let root: string;
let files: TrustedFiles;
const at = (path: string): string => join(root, path);
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ralph-trusted-'));
  mkdirSync(at('.ralph/bin'), { recursive: true });
  mkdirSync(at('.ralph/runs/r1'), { recursive: true });
  writeFileSync(at('.ralph/bin/ralph'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(at('.ralph/runs/r1/contract.json'), '{"spec":{}}');
  files = keepTrustedFiles(root, [at('.ralph/bin/ralph'), at('.ralph/runs/r1/contract.json'), at('.ralph/runs/r1/absent')]);
});
afterEach(() => removeTree(root));

function cleared(path: string): string {
  rmSync(at(path), { recursive: true });
  return at(path);
}

function movedAway(path: string): string {
  renameSync(at(path), at('elsewhere'));
  writeFileSync(at('elsewhere/ralph'), 'evil');
  return at(path);
}

/** Folders nested deeper than a path may be long. */
function nest(folder: string): void {
  mkdirSync(folder);
  const script = `const long = 'd'.repeat(200); for (let depth = 0; depth < 40; depth += 1) { fs.mkdirSync(long); process.chdir(long); }`;
  execFileSync(process.execPath, ['-e', script], { cwd: folder });
}

describe('a file that Ralph trusts', () => {
  it('that is as it was is left alone', () => {
    const before = lstatSync(at('.ralph/bin/ralph')).ctimeMs;
    expect(files.check()).toEqual([]);
    expect(lstatSync(at('.ralph/bin/ralph')).ctimeMs).toBe(before);
  });

  it.each<[string, () => void]>([
    ['something of the same size was written over it', () => writeFileSync(at('.ralph/bin/ralph'), '#!/bin/ls\n')],
    ['it is gone', () => rmSync(at('.ralph/bin/ralph'))],
    ['it may not be run any more', () => chmodSync(at('.ralph/bin/ralph'), 0o644)],
    ['a link stands in its place', () => symlinkSync('/bin/ls', cleared('.ralph/bin/ralph'))],
    ['a folder stands in its place', () => mkdirSync(join(cleared('.ralph/bin/ralph'), 'x'), { recursive: true })],
    ['folders that no path reaches the end of stand in its place', () => nest(cleared('.ralph/bin/ralph'))],
    ['its folder is gone', () => cleared('.ralph/bin')],
    ['its folder is a link that leads away', () => symlinkSync('../elsewhere', movedAway('.ralph/bin'))],
  ])('is put back and named when %s', (_, change) => {
    change();
    expect(files.check()).toEqual(['.ralph/bin/ralph']);
    expect(readFileSync(at('.ralph/bin/ralph'), 'utf8')).toBe('#!/bin/sh\n');
    expect(lstatSync(at('.ralph/bin/ralph')).mode & 0o777).toBe(0o755);
    expect(existsSync(at('elsewhere')) ? readFileSync(at('elsewhere/ralph'), 'utf8') : 'evil').toBe('evil');
    expect(files.check()).toEqual([]);
  });

  it('may change as a person orders, and is held against that from then on', () => {
    const seen: string[] = [];
    const isOrder = (path: string, before: Buffer, now: Buffer) =>
      seen.push(`${path}: ${before} -> ${now}`) > 0 && now.toString() === 'ordered';
    files = keepTrustedFiles(root, [at('.ralph/runs/r1/contract.json')], isOrder);
    writeFileSync(at('.ralph/runs/r1/contract.json'), 'ordered');
    expect(files.check()).toEqual([]);
    for (const text of ['forged', 'o'.repeat(2 << 20)]) {
      writeFileSync(at('.ralph/runs/r1/contract.json'), text);
      expect(files.check()).toEqual(['.ralph/runs/r1/contract.json']);
      expect(readFileSync(at('.ralph/runs/r1/contract.json'), 'utf8')).toBe('ordered');
    }
    expect(seen).toEqual([expect.stringContaining(': {"spec":{}} -> ordered'), expect.stringContaining(': ordered -> forged')]);
  });

  it('does not bring back the folder of a run that is gone', () => {
    renameSync(at('.ralph/runs/r1'), at('moved'));
    expect(files.check()).toEqual([]);
    expect(existsSync(at('.ralph/runs/r1'))).toBe(false);
  });
});

describe('what a turn changed of it', () => {
  it('is told beside what else the turn changed, and what was changed before it is not called its own', () => {
    expect(addTrusted(null, [], [])).toBeNull();
    expect(addTrusted(null, ['a'], ['b'])).toMatchObject({ total: 0, trusted: ['a'], between: { paths: ['b'], total: 1 } });
    const found = { changes: [{ path: 'x', what: 'created' as const }], total: 1, diffFile: null, reverted: 1, notes: [] };
    expect(addTrusted(found, ['a'], [])).toEqual({ ...found, trusted: ['a'] });
  });
});

describe('a link to a folder', () => {
  const link = (): string => at('link');
  const begin = (path = link()): ReturnType<typeof keepTrustedLink> => {
    mkdirSync(at('store'));
    symlinkSync(at('store'), path);
    return keepTrustedLink(path, 'r1');
  };

  it.each<[string, () => void]>([
    ['was removed', () => undefined],
    ['leads elsewhere', () => symlinkSync(at('.ralph'), link())],
    ['became a folder', () => mkdirSync(join(link(), 'runs/evil'), { recursive: true })],
    ['became a folder in which nobody may look', () => mkdirSync(join(link(), 'evil/none'), { recursive: true, mode: 0 })],
    ['became a folder with the place for rescued runs', () => mkdirSync(join(link(), 'rescue/other'), { recursive: true })],
    ['became a file', () => writeFileSync(link(), 'x')],
  ])('is led back where it %s, once', (_, change) => {
    const leadBack = begin();
    expect(leadBack()).toBeNull();
    rmSync(link());
    change();
    expect(leadBack()).toBe('led back');
    expect(readlinkSync(link())).toBe(at('store'));
    expect(leadBack()).toBeNull();
    expect(existsSync(at('.ralph/bin/ralph'))).toBe(true);
  });

  it('takes nothing away with what stands in its place, and is not made where what it led to is gone', () => {
    const leadBack = begin();
    rmSync(link());
    mkdirSync(join(link(), 'runs/r0'), { recursive: true });
    expect([leadBack(), existsSync(join(`${link()}.old-1`, 'runs/r0'))]).toEqual(['led back', true]);
    rmSync(link());
    mkdirSync(join(at('store'), 'runs/r1'), { recursive: true });
    renameSync(at('store'), link());
    expect([leadBack(), leadBack(), existsSync(join(link(), 'runs/r1'))]).toEqual(['failed', null, true]);
  });

  it('is not made in the place of a folder that something of this run was rescued into, nor where none was', () => {
    const leadBack = begin();
    rmSync(link());
    mkdirSync(join(link(), 'rescue/r1'), { recursive: true });
    expect([leadBack(), existsSync(join(link(), 'rescue/r1'))]).toEqual([null, true]);
    const leaveAlone = keepTrustedLink(at('absent'), 'r1');
    symlinkSync(at('store'), at('absent'));
    expect([leaveAlone(), existsSync(at('absent'))]).toEqual([null, true]);
  });

  it('says once that it cannot be led back, and leads it back when it can be', () => {
    mkdirSync(at('around'));
    const leadBack = begin(at('around/link'));
    removeTree(at('around'));
    expect([leadBack(), leadBack()]).toEqual(['failed', null]);
    mkdirSync(at('around'));
    expect([leadBack(), leadBack()]).toEqual(['led back', null]);
  });
});
