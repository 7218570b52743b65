import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createTerminal, OutputClosed, type OutputStream, printJson, printLine, showsUnicode, toAscii, wantsColour } from './terminal.ts';

function fakeStream(isTTY: boolean): OutputStream & { text: string; destroyed: boolean; fail: (code: string) => void } {
  let onError = (_error: NodeJS.ErrnoException): void => undefined;
  const stream = {
    isTTY,
    columns: 0,
    destroyed: false,
    text: '',
    write: (text: string) => {
      stream.text += text;
    },
    on: (_event: 'error', listener: (error: NodeJS.ErrnoException) => void) => {
      onError = listener;
    },
    fail: (code: string) => {
      stream.destroyed = true;
      onError(Object.assign(new Error(code), { code }));
    },
  };
  return stream;
}

describe('createTerminal', () => {
  it('writes marks that a terminal cannot show as ASCII, but not into a file', () => {
    const [screen, file] = [fakeStream(true), fakeStream(false)];
    createTerminal(screen, file, { LANG: 'C' }).out('→ ok …\n');
    createTerminal(file, screen, { LANG: 'C' }).out('→ ok …\n');
    expect([screen.text, file.text]).toEqual(['-> ok ...\n', '→ ok …\n']);
  });

  it('takes a reader that went away as no failure, and a full disk as one', () => {
    const [gone, full] = [fakeStream(false), fakeStream(false)];
    const [first, second] = [createTerminal(gone, fakeStream(false), {}), createTerminal(full, fakeStream(false), {})];
    gone.fail('EPIPE');
    full.fail('ENOSPC');
    expect([first.isClosed(), first.failure(), second.failure()]).toEqual([true, null, 'ENOSPC']);
    expect(() => printLine(first, 'x')).toThrow(OutputClosed);
  });

  it('says that its reader is behind, until it has taken everything or is gone', async () => {
    const take: (() => void)[] = [];
    const slow = new Writable({ decodeStrings: false, write: (_text, _encoding, done) => void take.push(done) });
    const terminal = createTerminal(slow, fakeStream(false), {});
    terminal.out('a few words');
    expect(terminal.backpressure()).toBeNull();
    terminal.out('x'.repeat(2 << 20));
    const over = terminal.backpressure();
    expect(over).not.toBeNull();
    expect(terminal.backpressure()).toBe(over);
    take.shift()?.();
    await Promise.resolve().then(() => take.shift()?.());
    await over;
    expect(terminal.backpressure()).toBeNull();
    terminal.out('x'.repeat(2 << 20));
    const gone = terminal.backpressure();
    slow.destroy();
    await gone;
    expect(terminal.backpressure()).toBeNull();
  });

  it('has a width where nobody tells one', () => {
    expect(createTerminal(fakeStream(false), fakeStream(false), {}).columns()).toBe(100);
  });
});

describe('printJson', () => {
  it('writes one line in which nothing steers a terminal', () => {
    const file = fakeStream(false);
    const evil = 'a\u007f\u202e\u2028\u009bz';
    printJson(createTerminal(file, fakeStream(false), {}), { [evil]: evil });
    expect(file.text).toBe(`${'{"a\\u007f\\u202e\\u2028\\u009bz":"a\\u007f\\u202e\\u2028\\u009bz"}'}\n`);
    expect(JSON.parse(file.text)).toEqual({ [evil]: evil });
  });

  it('is the one way by which a command writes JSON', () => {
    const folder = join(import.meta.dirname, '..');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /(?<!\.test)\.ts$/.test(name));
    const others = files.filter((name) => /(?:terminal, |out\(|out\(`\$\{)JSON\.stringify/.test(readFileSync(join(folder, name), 'utf8')));
    expect(files.length).toBeGreaterThan(60);
    expect(others).toEqual([]);
  });
});

describe('showsUnicode', () => {
  it.each([
    [{ LANG: 'en_US.UTF-8' }, true],
    [{ LANG: 'C.utf8' }, true],
    [{ LANG: 'en_US.UTF-8', LC_ALL: 'C' }, false],
    [{ LANG: 'de_DE.ISO-8859-1' }, false],
    [{}, true],
    [{ TERM: 'linux' }, false],
  ])('%j: %s', (env, expected) => {
    expect(showsUnicode(env)).toBe(expected);
  });

  it('leaves what is not ours', () => {
    expect(toAscii('── é →')).toBe('-- é ->');
  });
});

describe('wantsColour', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('a terminal: %s, %j: %s', (isTty, env, expected) => {
    expect(wantsColour(isTty, env)).toBe(expected);
  });
});
