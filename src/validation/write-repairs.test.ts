import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRalphError } from '../core/values/errors.ts';
import { type RepairedFiles, writeRepairs } from './write-repairs.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-repairs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function from(...files: readonly (readonly [path: string, original: string, text: string])[]): RepairedFiles {
  return {
    files: new Map(files.map(([path, , text]) => [path, text])),
    originals: new Map(files.map(([path, original]) => [path, original])),
  };
}

describe('writeRepairs', () => {
  it('puts the new text in the place of the old one, with its mode, and leaves nothing beside it', () => {
    const path = join(folder, 'ralph.yml');
    writeFileSync(path, 'old');
    chmodSync(path, 0o640);
    writeRepairs(from([path, 'old', 'new']));
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(['ralph.yml']);
  });

  it('writes the file that a link leads to, and keeps the link', () => {
    const [path, link] = [join(folder, 'real.yml'), join(folder, 'ralph.yml')];
    writeFileSync(path, 'old');
    symlinkSync(path, link);
    writeRepairs(from([link, 'old', 'new']));
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  it('keeps a byte order mark', () => {
    const path = join(folder, 'ralph.yml');
    writeFileSync(path, '\uFEFFold');
    writeRepairs(from([path, 'old', 'new']));
    expect(readFileSync(path, 'utf8')).toBe('\uFEFFnew');
  });

  it('writes nothing where one of the files was saved meanwhile', () => {
    const [first, second] = [join(folder, 'a.yml'), join(folder, 'b.yml')];
    writeFileSync(first, 'old');
    writeFileSync(second, 'old, and a line that was saved meanwhile');
    let refusal: unknown = null;
    try {
      writeRepairs(from([first, 'old', 'new'], [second, 'old', 'new']));
    } catch (error) {
      refusal = error;
    }
    expect(isRalphError(refusal) && [refusal.code, refusal.exitCode]).toEqual(['fix-changed', 2]);
    expect(readFileSync(first, 'utf8')).toBe('old');
    expect(readFileSync(second, 'utf8')).toContain('meanwhile');
    expect(readdirSync(folder)).toEqual(['a.yml', 'b.yml']);
  });

  it('says in words that a file cannot be written', () => {
    let refusal: unknown = null;
    try {
      writeRepairs(from([join(folder, 'gone', 'ralph.yml'), 'old', 'new']));
    } catch (error) {
      refusal = error;
    }
    expect(isRalphError(refusal) && [refusal.code, refusal.exitCode]).toEqual(['fix-unwritable', 2]);
  });
});
