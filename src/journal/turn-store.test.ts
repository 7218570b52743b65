import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder } from './fixtures.ts';
import { nodeFileSystem as fs } from './node-file-system.ts';
import { createTurnStore, toTurnFolder } from './turn-store.ts';

const TURN = { iteration: 7, attempt: 2 };

function openStore(capBytes = 1000) {
  const dir = join(createTemporaryFolder(), 'turns');
  return { dir, store: createTurnStore({ fs, dir, capBytes }) };
}

describe('the folder of a turn', () => {
  it('holds the prompt, whose hash is told, and has a place for everything else', () => {
    const { dir, store } = openStore();
    const { promptHash, ...folder } = store.open(TURN, 'hello');
    expect(promptHash).toBe('2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824');
    expect(folder).toEqual({
      promptFile: join(dir, '7.2', 'prompt.md'),
      stdoutPath: join(dir, '7.2', 'stdout.log'),
      stderrPath: join(dir, '7.2', 'stderr.log'),
      textPath: join(dir, '7.2', 'text.md'),
    });
    expect(toTurnFolder(dir, TURN)).toEqual(folder);
    expect(readFileSync(folder.promptFile, 'utf8')).toBe('hello');
    store.close(TURN);
  });

  it('is set aside where the journal lost its entry, so that nothing is overwritten and the turn can begin', () => {
    const { dir, store } = openStore();
    const { promptFile } = store.open(TURN, 'first');
    store.close(TURN);
    const again = createTurnStore({ fs, dir, capBytes: 10 });
    for (const prompt of ['second', 'third']) {
      expect(readFileSync(again.open(TURN, prompt).promptFile, 'utf8')).toBe(prompt);
      again.close(TURN);
    }
    const aside = (number: number): string => join(`${dirname(promptFile)}.lost-${number}`, 'prompt.md');
    expect([aside(1), aside(2)].map((file) => readFileSync(file, 'utf8'))).toEqual(['first', 'second']);
    store.open({ ...TURN, attempt: 3 }, 'third');
    store.close({ ...TURN, attempt: 3 });
  });

  it('is not made where the folder of the run was removed: its journal is gone, too', () => {
    const { dir, store } = openStore();
    rmSync(dirname(dir), { recursive: true });
    expect(() => store.open(TURN, 'x')).toThrow('ENOENT');
    expect(existsSync(dirname(dir))).toBe(false);
  });
});

describe('the text of a turn', () => {
  it('is appended in order, turn by turn', () => {
    const { store } = openStore();
    const other = { iteration: 8, attempt: 1 };
    const [first, second] = [store.open(TURN, ''), store.open(other, '')];
    store.appendText(TURN, 'one ');
    store.appendText(other, 'else');
    store.appendText(TURN, 'two');
    expect(readFileSync(first.textPath, 'utf8')).toBe('one two');
    expect(readFileSync(second.textPath, 'utf8')).toBe('else');
    store.close(TURN);
    store.close(other);
  });

  it('ends at the cap, without half a character and without a gap, and says so once', () => {
    const { store } = openStore(8);
    const { textPath } = store.open(TURN, '');
    store.appendText(TURN, 'abc');
    store.appendText(TURN, 'd€€');
    store.appendText(TURN, 'e');
    expect(readFileSync(textPath, 'utf8')).toBe('abcd€\n[text cut here: the rest was not kept]\n');
    store.close(TURN);
  });

  it('fills the cap exactly', () => {
    const { store } = openStore(4);
    const { textPath } = store.open(TURN, '');
    store.appendText(TURN, 'abcd');
    expect(readFileSync(textPath, 'utf8')).toBe('abcd');
    store.appendText(TURN, 'e');
    expect(readFileSync(textPath, 'utf8')).toBe('abcd\n[text cut here: the rest was not kept]\n');
    store.close(TURN);
  });

  it('is dropped for a turn that is not open', () => {
    const { store } = openStore();
    const { textPath } = store.open(TURN, '');
    store.close(TURN);
    store.close(TURN);
    store.appendText(TURN, 'late');
    expect(existsSync(textPath) && readFileSync(textPath, 'utf8')).toBe('');
  });
});

describe('how a turn ended', () => {
  it('is kept until the journal has it, for another process, too', () => {
    const { dir, store } = openStore();
    store.open(TURN, '');
    store.close(TURN);
    expect(store.readEnd(TURN)).toBeNull();
    store.keepEnd(TURN, '{"type":"iteration-ended"}');
    expect(createTurnStore({ fs, dir, capBytes: 10 }).readEnd(TURN)).toBe('{"type":"iteration-ended"}');
  });

  it('is not known where it cannot be read', () => {
    const { dir, store } = openStore();
    store.open(TURN, '');
    store.close(TURN);
    mkdirSync(join(dir, '7.2', 'end.json'));
    expect([store.readEnd(TURN), store.readEnd({ iteration: 1, attempt: 1 })]).toEqual([null, null]);
  });
});
