import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRalphError } from '../core/index.ts';
import { writeRepairs } from './write-repairs.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-repairs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('writeRepairs', () => {
  it('puts the new text in the place of the old one, with its mode, and leaves nothing beside it', () => {
    const path = join(folder, 'ralph.yml');
    writeFileSync(path, 'old');
    chmodSync(path, 0o640);
    writeRepairs(new Map([[path, 'new']]));
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(['ralph.yml']);
  });

  it('writes the file that a link leads to, and keeps the link', () => {
    const [path, link] = [join(folder, 'real.yml'), join(folder, 'ralph.yml')];
    writeFileSync(path, 'old');
    symlinkSync(path, link);
    writeRepairs(new Map([[link, 'new']]));
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  it('keeps a byte order mark', () => {
    const path = join(folder, 'ralph.yml');
    writeFileSync(path, '\uFEFFold');
    writeRepairs(new Map([[path, 'new']]));
    expect(readFileSync(path, 'utf8')).toBe('\uFEFFnew');
  });

  it('says in words that a file cannot be written', () => {
    let refusal: unknown = null;
    try {
      writeRepairs(new Map([[join(folder, 'gone', 'ralph.yml'), 'new']]));
    } catch (error) {
      refusal = error;
    }
    expect(isRalphError(refusal) && [refusal.code, refusal.exitCode]).toEqual(['fix-unwritable', 2]);
  });
});
