import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventSignal, SignalProblem } from '../core/events/event.ts';
import { propertyRuns } from '../core/property-fixtures.ts';
import { createTemporaryFolder, toEvent } from './fixtures.ts';
import { createJsonlInbox } from './jsonl-inbox.ts';
import { nodeFileSystem as fs } from './node-file-system.ts';

const LABEL = '.agent/events.jsonl';

/** An inbox on a real file, read on from where the last read ended. */
function openInbox(content: string | Uint8Array | null = null) {
  const path = join(createTemporaryFolder(), 'events.jsonl');
  if (content !== null) writeFileSync(path, content);
  const inbox = createJsonlInbox({ fs, path, label: LABEL });
  let offset = 0;
  const read = (final = false) => {
    const batch = inbox.read(offset, { final });
    offset = batch.offset;
    return { topics: batch.signals.map((signal) => signal.topic), ...batch };
  };
  return {
    path,
    inbox,
    read,
    begin: () => {
      offset = inbox.end();
    },
  };
}

function toLine(topic: string): string {
  return `${JSON.stringify({ topic, payload: 'x' })}\n`;
}

function toMessages(problems: readonly SignalProblem[]): string[] {
  return problems.map(({ where, message }) => `${where}: ${message}`);
}

describe('what is appended', () => {
  it('is read once, with payload and target, in order', () => {
    const { path, read } = openInbox();
    expect(read()).toMatchObject({ signals: [], problems: [], offset: 0 });
    writeFileSync(path, '{"topic":"a.b","payload":{"n":1},"target":"critic","source":"liar"}\n');
    expect(read().signals).toEqual([{ kind: 'event', channel: 'jsonl', topic: 'a.b', payload: { n: 1 }, target: 'critic' }]);
    appendFileSync(path, toLine('second') + toLine('third'));
    expect(read().topics).toEqual(['second', 'third']);
    expect(read()).toMatchObject({ signals: [], problems: [], offset: statSync(path).size });
  });

  it('before the run began is never read', () => {
    const { path, read, begin } = openInbox(toLine('old'));
    begin();
    expect(read(true).topics).toEqual([]);
    appendFileSync(path, toLine('new'));
    expect(read().topics).toEqual(['new']);
  });

  it('behind the torn line of an earlier run is read', () => {
    const { path, read, begin } = openInbox('{"topic":"never-finis');
    begin();
    appendFileSync(path, toLine('new'));
    expect(read()).toMatchObject({ topics: ['new'], problems: [] });
  });

  it('comes from files with Windows line ends, a byte order mark and blank lines', () => {
    const { read } = openInbox(`\uFEFF${toLine('a').replace('\n', '\r\n')}\r\n\n   \n${toLine('b').replace('\n', '\r\n')}`);
    expect(read()).toMatchObject({ topics: ['a', 'b'], problems: [] });
  });

  it('gives the same signals however the file was cut into appends', () => {
    const good = ['{"topic":"a"}', '{"topic":"b","payload":"ä€😀"}', '{"topic":"c","payload":[1,{"x":null}],"target":"t"}'];
    const odd = ['', '  ', '{"topic":', 'nonsense', '{"by":"ralph","topic":"d"}', '[1]', '\uFEFF{"topic":"e"}', '\0\0{"topic":"f"}'];
    const lines = fc.array(fc.tuple(fc.constantFrom(...good, ...odd), fc.constantFrom('\n', '\r\n')), { maxLength: 12 });
    fc.assert(
      fc.property(lines, fc.array(fc.nat(400)), fc.boolean(), (drawn, cuts, endsTorn) => {
        const bytes = Buffer.from(drawn.flat().join('') + (endsTorn ? '{"topic":"last"}' : ''));
        const whole = openInbox(bytes);
        const expected = whole.read(true);

        const { path, read } = openInbox();
        const signals: EventSignal[] = [];
        const problems: SignalProblem[] = [];
        const take = (final: boolean) => {
          const batch = read(final);
          signals.push(...batch.signals);
          problems.push(...batch.problems);
        };
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        for (const [index, place] of places.entries()) {
          appendFileSync(path, bytes.subarray(places[index - 1] ?? 0, place));
          take(false);
        }
        take(true);
        expect(signals).toEqual(expected.signals);
        expect(problems).toEqual(expected.problems);
      }),
      { numRuns: propertyRuns(50) },
    );
  });
});

describe('a torn last line', () => {
  it('is left while its writer may go on', () => {
    const { path, read } = openInbox(`${toLine('a')}{"topic":`);
    expect(read()).toMatchObject({ topics: ['a'], problems: [], offset: toLine('a').length });
    appendFileSync(path, '"b"}\n');
    expect(read().topics).toEqual(['b']);
  });

  it('is closed at the end of a turn, and taken if it is whole', () => {
    const { path, read } = openInbox('{"topic":"a"}');
    expect(read(true)).toMatchObject({ topics: ['a'], problems: [], offset: 14 });
    expect(readFileSync(path, 'utf8')).toBe('{"topic":"a"}\n');
  });

  it('is closed and reported if it is not, and the next line is not lost', () => {
    const { path, read } = openInbox(`${toLine('a')}{"topic":"b`);
    const { topics, problems } = read(true);
    expect(topics).toEqual(['a']);
    expect(problems).toEqual([{ where: `${LABEL}:2`, message: 'not valid JSON', excerpt: '{"topic":"b' }]);
    appendFileSync(path, toLine('c'));
    expect(read(true)).toMatchObject({ topics: ['c'], problems: [] });
  });

  it('that cannot be closed is taken all the same, once', () => {
    const readOnly = {
      ...fs,
      write: () => {
        throw Object.assign(new Error('EROFS'), { code: 'EROFS' });
      },
    };
    const { path } = openInbox('{"topic":"a"}');
    const inbox = createJsonlInbox({ fs: readOnly, path, label: LABEL });
    const first = inbox.read(0, { final: true });
    expect(first.signals).toHaveLength(1);
    expect(toMessages(first.problems)).toEqual([`${LABEL}: the last line could not be closed (EROFS)`]);
    expect(inbox.read(first.offset, { final: true })).toEqual({ signals: [], problems: [], offset: first.offset });
  });
});

describe('a bad line', () => {
  it('is reported with its place in the file and loses none of the others', () => {
    const { path, read } = openInbox(`${toLine('old')}\n`);
    read();
    appendFileSync(path, `${toLine('a')}not json\n${toLine('b')}{"topic":"no spaces allowed"}\n[]\n${toLine('c')}`);
    const { topics, problems } = read();
    expect(topics).toEqual(['a', 'b', 'c']);
    expect(toMessages(problems)).toEqual([
      `${LABEL}:4: not valid JSON`,
      `${LABEL}:6: "no spaces allowed" is not a topic`,
      `${LABEL}:7: not a JSON object`,
    ]);
  });

  it('that is not UTF-8 is taken with its characters replaced, and reported', () => {
    const { read } = openInbox(
      Buffer.concat([Buffer.from('{"topic":"a","payload":"'), Buffer.from([0xff, 0xc3]), Buffer.from('"}\n\xff\n', 'latin1')]),
    );
    const { signals, problems } = read();
    expect(signals.map((signal) => signal.payload)).toEqual(['\uFFFD\uFFFD']);
    expect(toMessages(problems)).toEqual([
      `${LABEL}:1: not UTF-8: the event was taken with its broken characters replaced`,
      `${LABEL}:2: not valid JSON, and not UTF-8`,
    ]);
  });

  it('that begins in a hole of zero bytes is taken, and reported', () => {
    const { read } = openInbox(`\0\0\0${toLine('a')}\0\0\n{"topic":"b\0"}\n`);
    const { topics, problems } = read();
    expect(topics).toEqual(['a']);
    expect(toMessages(problems)).toEqual([
      `${LABEL}:1: zero bytes before the event, which was taken`,
      `${LABEL}:2: zero bytes, and nothing else`,
      `${LABEL}:3: not valid JSON`,
    ]);
  });

  it('of more than 4 MB is skipped and reported with its beginning', () => {
    const { read } = openInbox(`${toLine('a')}${'x'.repeat(5 << 20)}\n${toLine('b')}`);
    const { topics, problems } = read();
    expect(topics).toEqual(['a', 'b']);
    expect(problems).toEqual([
      { where: `${LABEL}:2`, message: 'the line has 5242880 bytes, over the limit of 4194304; it was skipped', excerpt: 'x'.repeat(200) },
    ]);
  });

  it('that is nested without end is reported, not fatal', () => {
    const { read } = openInbox(`{"topic":"a","payload":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n${toLine('b')}`);
    const { topics, problems } = read();
    expect(topics).toContain('b');
    expect(topics.length + problems.length).toBe(2);
  });

  it('shows no control characters to the terminal', () => {
    const { read } = openInbox('\u001b[2J\u0007 evil\n');
    expect(read().problems[0]?.excerpt).toBe('\\x1b[2J\\x07 evil');
  });

  it('is one of many: the first hundred are named, the others counted', () => {
    const { read } = openInbox('bad\n'.repeat(500));
    const { problems } = read();
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toEqual({ where: LABEL, message: '400 more lines have problems', excerpt: '' });
  });
});

describe('a place that is none, of a journal that is damaged or made up', () => {
  it.each([-5, Number.NaN, 1.5, Number.POSITIVE_INFINITY, null, '7'] as readonly unknown[])(
    'is told once, and the file is read whole (%j)',
    (place) => {
      const { inbox } = openInbox(toLine('a') + toLine('b'));
      const { signals, problems, offset } = inbox.read(place as number, { final: false });
      expect([signals.length, problems.map(({ message }) => message), offset]).toEqual([
        2,
        [expect.stringContaining('is not known')],
        2 * toLine('a').length,
      ]);
      expect(inbox.read(offset, { final: false })).toMatchObject({ signals: [], problems: [] });
      expect(inbox.skip(place as number)).toMatchObject({ lines: 2, offset });
      expect(openInbox('').inbox.skip(place as number)).toEqual({ lines: 0, bytes: 0, offset: 0 });
    },
  );
});

describe('a file that is not what it was', () => {
  it('because it became shorter is reported once and read from its beginning', () => {
    const { path, read } = openInbox(toLine('first') + toLine('second'));
    read();
    truncateSync(path, 0);
    appendFileSync(path, toLine('a'));
    const { topics, problems } = read();
    expect(topics).toEqual(['a']);
    expect(toMessages(problems)).toEqual([`${LABEL}: the file became shorter since it was last read; it is read again from its beginning`]);
    expect(read()).toMatchObject({ signals: [], problems: [] });
  });

  it('because it was overwritten with something longer is reported once and read from its beginning', () => {
    const { path, read } = openInbox(toLine('a'));
    read();
    writeFileSync(path, toLine('written-with-one-angle-bracket') + toLine('b'));
    const { topics, problems } = read();
    expect(topics).toEqual(['written-with-one-angle-bracket', 'b']);
    expect(toMessages(problems)).toEqual([`${LABEL}: the file was rewritten since it was last read; it is read again from its beginning`]);
    expect(read()).toMatchObject({ signals: [], problems: [] });
  });

  it('but begins with all that was read goes on as if nothing had happened', () => {
    const { path, read } = openInbox(toLine('a'));
    read();
    rmSync(path);
    writeFileSync(path, toLine('a') + toLine('b'));
    expect(read()).toMatchObject({ topics: ['b'], problems: [] });
  });

  it('because it was removed is reported once, and the next one is read', () => {
    const { path, read } = openInbox(toLine('a'));
    read();
    rmSync(path);
    expect(toMessages(read().problems)).toEqual([`${LABEL}: the file was removed`]);
    expect(read()).toMatchObject({ problems: [], offset: 0 });
    writeFileSync(path, toLine('b'));
    expect(read().topics).toEqual(['b']);
  });

  it('because a folder stands there is reported once, until a file is back', () => {
    const { path, read, inbox } = openInbox();
    mkdirSync(path);
    expect(inbox.end()).toBe(0);
    expect(toMessages(read().problems)).toEqual([`${LABEL}: what stands here is not a file`]);
    expect(read(true)).toMatchObject({ signals: [], problems: [] });
    inbox.append(toEvent('a'));
    expect(toMessages(read().problems)).toEqual([expect.stringMatching(/an event could not be noted: .* is not a file/)]);
    expect(read().problems).toEqual([]);
    rmSync(path, { recursive: true });
    writeFileSync(path, toLine('a'));
    expect(read().topics).toEqual(['a']);
  });

  it.each(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR'])(
    'because an agent closed it (%s) ends nothing: what could not be noted is told',
    (code) => {
      const { path } = openInbox(toLine('a'));
      const closed = {
        ...fs,
        open: (...[file, mode, ...rest]: Parameters<typeof fs.open>) => {
          if (mode === 'append') throw Object.assign(new Error(`${code}: no way in`), { code });
          return fs.open(file, mode, ...rest);
        },
      };
      const inbox = createJsonlInbox({ fs: closed, path, label: LABEL });
      inbox.append(toEvent('b'));
      expect(toMessages(inbox.read(0, { final: false }).problems)).toEqual([`${LABEL}: an event could not be noted: ${code}: no way in`]);
      const full = {
        ...closed,
        open: () => {
          throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
        },
      };
      expect(() => createJsonlInbox({ fs: full, path, label: LABEL }).append(toEvent('b'))).toThrow('ENOSPC');
    },
  );

  it('because the disk fails is reported once and read when the disk is back', () => {
    const { path } = openInbox(toLine('a'));
    let fails = true;
    const failing = {
      ...fs,
      open: (...args: Parameters<typeof fs.open>) => {
        if (fails) throw Object.assign(new Error('EIO'), { code: 'EIO' });
        return fs.open(...args);
      },
    };
    const inbox = createJsonlInbox({ fs: failing, path, label: LABEL });
    expect(toMessages(inbox.read(0, { final: false }).problems)).toEqual([`${LABEL}: the file cannot be read (EIO)`]);
    expect(inbox.read(0, { final: false }).problems).toEqual([]);
    fails = false;
    expect(inbox.read(0, { final: false }).signals).toHaveLength(1);
  });
});

describe('one read', () => {
  it('takes at most 10,000 events and leaves the others to the next', () => {
    const { read } = openInbox(toLine('a').repeat(25_000));
    const counts = [read(true), read(true), read(true), read(true)].map(({ topics, problems }) => [topics.length, problems.length]);
    expect(counts).toEqual([
      [10_000, 0],
      [10_000, 0],
      [5000, 0],
      [0, 0],
    ]);
  });

  it('takes at most 16 MB and leaves the others to the next', () => {
    const large = `${JSON.stringify({ topic: 'large', payload: 'x'.repeat(3_900_000) })}\n`;
    const { read } = openInbox(large.repeat(6));
    expect([read().topics.length, read().topics.length, read().topics.length]).toEqual([4, 2, 0]);
  });
});

describe('a record for agents to see', () => {
  it('is appended on a line of its own and never read back', () => {
    const { path, inbox, read } = openInbox('{"topic":"torn"');
    inbox.append({ ...toEvent('build.task', { n: 1 }), source: 'system' });
    expect(readFileSync(path, 'utf8')).toBe(
      '{"topic":"torn"\n{"by":"ralph","topic":"build.task","payload":{"n":1},"source":"system","ts":5}\n',
    );
    expect(read()).toMatchObject({ topics: [], problems: [{ where: `${LABEL}:1` }] });
  });

  it('makes the file and its folder', () => {
    const path = join(createTemporaryFolder(), 'gone', '.agent', 'events.jsonl');
    createJsonlInbox({ fs, path, label: LABEL }).append(toEvent('a'));
    expect(readFileSync(path, 'utf8')).toContain('"topic":"a"');
  });
});
