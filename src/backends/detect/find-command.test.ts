import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCommand } from './find-command.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-find-'));
  mkdirSync(join(folder, 'bin', 'dir'), { recursive: true });
  for (const [name, mode] of [
    ['good', 0o755],
    ['plain', 0o644],
  ] as const) {
    writeFileSync(join(folder, 'bin', name), '#!/bin/sh\n');
    chmodSync(join(folder, 'bin', name), mode);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('findCommand', () => {
  it('looks a name up in the path, whose relative folders count from the working folder', () => {
    expect(findCommand('good', '/', `/nowhere::${folder}/bin`)).toEqual({ ok: true, value: `${folder}/bin/good` });
    expect(findCommand('good', folder, 'bin')).toEqual({ ok: true, value: `${folder}/bin/good` });
  });

  it('takes anything with a slash as a path', () => {
    expect(findCommand('./bin/good', folder, '')).toEqual({ ok: true, value: `${folder}/bin/good` });
    expect(findCommand(`${folder}/bin/good`, '/', undefined)).toEqual({ ok: true, value: `${folder}/bin/good` });
  });

  it.each([
    ['nothing', 'PATH'],
    ['./nothing', 'not found: '],
    ['./bin', 'is a folder'],
    ['./bin/plain', 'chmod +x ./bin/plain'],
    ['', 'no command'],
    ['a\0b', 'zero byte'],
  ])('explains what is wrong with %j', (command, words) => {
    expect(findCommand(command, folder, '/nowhere')).toMatchObject({ refused: { reason: expect.stringContaining(words) } });
  });

  it('says of a file that may not be executed that it is there', () => {
    expect(findCommand('plain', '/', `${folder}/bin`)).toMatchObject({ refused: { reason: expect.stringContaining('chmod +x') } });
  });

  it.each([
    ['./bin/plain', 'Make it executable: chmod +x ./bin/plain'],
    ['./nothing', /^Put the program there, or correct the path: .*\/nothing$/],
    ['./bin', /is a folder: name the program in it$/],
    ['nothing', 'Install it, or give its path.'],
  ])('says what to do about %j', (command, fix) => {
    const found = findCommand(command, folder, '/nowhere');
    expect(found).toMatchObject({ refused: { advice: typeof fix === 'string' ? fix : expect.stringMatching(fix) } });
  });

  it('asks of a bare name whether the file in the working folder is meant, executable or not', () => {
    expect(findCommand('good', `${folder}/bin`, '/nowhere')).toMatchObject({ refused: { advice: 'Did you mean ./good?' } });
    expect(findCommand('plain', `${folder}/bin`, '/nowhere')).toMatchObject({
      refused: { advice: 'Did you mean ./plain? It has to be executable as well: chmod +x ./plain' },
    });
  });

  it('reminds of ./ where the program lies in the working folder', () => {
    expect(findCommand('good', `${folder}/bin`, '/nowhere')).toMatchObject({ refused: { reason: expect.stringContaining('./good') } });
  });
});
