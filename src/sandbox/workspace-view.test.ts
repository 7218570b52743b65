import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ViewedProgram } from '../ports/program.ts';
import { makeOwnedFolder } from '../process/owned-folders.ts';
import { removeTree } from '../process/remove-tree.ts';
import { findIsolation, runToEnd } from '../process/start-process.ts';
import { copyTree, createView, findViewKind, predictViewKind, type ViewKind, type ViewPlace } from './workspace-view.ts';

const search = await findIsolation();
const isolation = search.ok ? search.value : undefined;
const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) removeTree(root);
});

function makePlace(more: Partial<ViewPlace> = {}): ViewPlace {
  const workspace = mkdtempSync(join(realpathSync(tmpdir()), 'ralph-view-'));
  roots.push(workspace);
  const stateDir = join(workspace, '.ralph');
  const own = join(stateDir, 'runs', 'private', '1.1');
  mkdirSync(own, { recursive: true });
  mkdirSync(join(workspace, 'src'));
  writeFileSync(join(workspace, 'src', 'a'), 'first\n');
  writeFileSync(join(stateDir, 'journal'), 'kept\n');
  symlinkSync(join(workspace, 'src'), join(workspace, 'link'));
  return { workspace, stateDir, own, isolation, os: { found: null, why: 'none in this test' }, ...more };
}

/** A build and tests as they are: they make folders, replace sources, and find what the build before them has written. */
const BUILD = 'mkdir -p dist && echo built > dist/a && echo evil > link/a && mv src moved && mkdir src && echo evil > src/b';
const TESTS = 'cat dist/a moved/a; ls src; mktemp -d ./tmp-XXXXXX > /dev/null';

async function runBoth(kind: ViewKind, place: ViewPlace): Promise<string> {
  const view = createView(kind, place, (program) => program);
  const said: string[] = [];
  for (const script of [BUILD, TESTS]) {
    const viewed = await view({ path: '/bin/sh', args: ['-ec', script], env: { PATH: '/usr/bin:/bin' } });
    said.push(viewed === null ? 'no view' : await run(viewed));
  }
  return said.join('');
}

async function run({ path, ...more }: ViewedProgram): Promise<string> {
  const { output, exitCode } = await runToEnd({ command: path, ...more, timeoutMs: 10_000 });
  return exitCode === 0 ? output : `${output}exit code ${exitCode}`;
}

const listTree = (folder: string): readonly string[] => readdirSync(folder).filter((name) => name !== '.ralph');

describe('checks in a view of the workspace', () => {
  const kinds: readonly (readonly [ViewKind, ViewPlace['isolation']])[] = [
    ...(isolation === undefined
      ? []
      : ([
          ['overlay', isolation],
          ['copy', isolation],
        ] as const)),
    ['copy', undefined],
  ];

  it.each(kinds)('write where they like, find what earlier ones wrote, and leave nothing: %s', async (kind, namespaces) => {
    const place = makePlace({ isolation: namespaces });
    expect(await runBoth(kind, place)).toBe('built\nevil\nb\n');
    expect(listTree(place.workspace)).toEqual(['link', 'src']);
    expect(readdirSync(join(place.workspace, 'src'))).toEqual(['a']);
    expect(readFileSync(join(place.workspace, 'src', 'a'), 'utf8')).toBe('first\n');
    removeTree(place.own);
    expect(existsSync(place.own)).toBe(false);
  });

  it.each(kinds)('do not change what Ralph keeps in the workspace: %s', async (kind, namespaces) => {
    const place = makePlace({ isolation: namespaces });
    const view = createView(kind, place, (program) => program);
    const viewed = await view({ path: '/bin/sh', args: ['-c', 'mkdir -p .ralph; echo evil > .ralph/journal'], env: {} });
    if (viewed !== null) await run(viewed);
    expect(readFileSync(join(place.stateDir, 'journal'), 'utf8')).toBe('kept\n');
  });

  it('are copied with their times and links, or not at all where that is too much', async () => {
    const place = makePlace({ isolation: undefined });
    const old = new Date('2020-01-01T00:00:00Z');
    utimesSync(join(place.workspace, 'src', 'a'), old, old);
    writeFileSync(join(place.workspace, 'big'), 'x'.repeat(1000));
    const to = join(place.own, 'copy');
    expect(await copyTree(place.workspace, to, { leftOut: place.stateDir, maxBytes: 100 })).toBe(false);
    expect(existsSync(to)).toBe(false);
    expect(await copyTree(place.workspace, to, { leftOut: place.stateDir, maxBytes: 2000 })).toBe(true);
    expect(readdirSync(to)).toEqual(['big', 'link', 'src']);
    expect(statSync(join(to, 'src', 'a')).mtime).toEqual(old);
    expect(readlinkSync(join(to, 'link'))).toBe(join(to, 'src'));
  });
});

describe('what a view is made of', () => {
  it.skipIf(isolation === undefined)('is an overlay where a trial shows that it works, and the trial leaves nothing', async () => {
    const place = makePlace();
    expect(await findViewKind(place)).toBe('overlay');
    expect(listTree(place.workspace)).toEqual(['link', 'src']);
    expect(readdirSync(place.own)).toEqual([]);
  });

  it('is told ahead without a trace, also where it cannot be made', async () => {
    const place = makePlace({ isolation: undefined });
    const kind = await findViewKind(place);
    removeTree(place.stateDir);
    expect(await predictViewKind(place)).toBe(kind);
    writeFileSync(join(place.workspace, 'large'), '');
    truncateSync(join(place.workspace, 'large'), 600_000_000);
    expect(await predictViewKind(place)).toBe(kind === 'clone' ? 'clone' : null);
    expect(readdirSync(place.workspace)).toEqual(['large', 'link', 'src']);
  });

  it('is told ahead after what a killed trial left was removed', async () => {
    const place = makePlace({ isolation: undefined });
    for (const parent of [place.workspace, place.stateDir]) {
      const left = makeOwnedFolder(parent, '.ralph-view-');
      renameSync(left, left.replace(`-${process.pid}-`, `-${spawnSync('true').pid}-`));
    }
    await predictViewKind(place);
    expect(
      [place.workspace, place.stateDir].flatMap((parent) => readdirSync(parent).filter((name) => name.startsWith('.ralph-view'))),
    ).toEqual([]);
  });

  it('is a copy or a clone without namespaces', async () => {
    expect(await findViewKind(makePlace({ isolation: undefined }))).toMatch(/^(?:clone|copy)$/);
  });
});
