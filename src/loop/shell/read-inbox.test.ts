import { describe, expect, it } from 'vitest';
import type { EventSignal, Signal, SignalProblem } from '../../core/events/event.ts';
import type { PayloadCheck } from '../../core/run/run-spec.ts';
import type { Inbox } from '../../ports/inbox.ts';
import { checkPayloads, dropStrayLines, readOutside, readWholeInbox } from './read-inbox.ts';

/** A file of events of which one read takes three lines. */
function openFile(text: string): { readonly inbox: Inbox; readonly add: (more: string) => void } {
  let lines = text.split('\n').filter((line) => line !== '');
  const toSignal = (line: string): EventSignal => ({ kind: 'event', channel: 'jsonl', topic: line, payload: '' });
  const isJunk = (line: string): boolean => line.startsWith('junk');
  const inbox: Inbox = {
    end: () => lines.length,
    hasMore: (offset) => offset !== lines.length,
    read: (offset) => {
      const taken = lines.slice(offset, offset + 3);
      const problems: SignalProblem[] = taken.filter(isJunk).map((line) => ({ where: 'file', message: 'not valid JSON', excerpt: line }));
      const signals = taken.filter((line) => !isJunk(line) && line !== 'own').map(toSignal);
      const offsetNow = offset + taken.length;
      return { signals, problems, offset: offsetNow, ...(offsetNow < lines.length && { isFull: true }) };
    },
    skip: (offset) => ({ lines: lines.length - offset, bytes: 10 * (lines.length - offset), offset: lines.length }),
    append: () => undefined,
  };
  return {
    inbox,
    add: (more) => {
      lines = [...lines, ...more.split('\n')];
    },
  };
}

describe('the agents’ file at the end of a turn', () => {
  it('is read to its end, however much is in it: the surplus is dropped and told with its count', () => {
    const { inbox } = openFile('a\njunk\nb\njunk\njunk\ndeploy.go');
    const { signals, problems, offset } = readWholeInbox(inbox, 0);
    expect(signals.map(({ topic }) => topic)).toEqual(['a', 'b']);
    expect(problems.map(({ message }) => message)).toEqual([
      'more than one turn may publish: 2 events were taken, 3 more lines (30 bytes) were dropped',
      'not valid JSON',
    ]);
    expect([offset, inbox.hasMore(offset)]).toEqual([6, false]);
  });

  it('says nothing of a surplus where there is none', () => {
    const { inbox } = openFile('a\nb');
    expect(readWholeInbox(inbox, 1)).toMatchObject({ signals: [{ topic: 'b' }], problems: [], offset: 2 });
  });
});

describe('lines in it while no agent is at work', () => {
  it('are nobody’s: none is an event, and that is told', () => {
    const { inbox, add } = openFile('a');
    add('deploy.go\nbuild.done\nx\ny');
    const { problems, offset } = dropStrayLines(inbox, 1);
    expect(problems[0]).toMatchObject({
      message: expect.stringContaining('3 events came while no agent was at work'),
      excerpt: 'deploy.go, build.done, x',
    });
    expect([problems[1]?.message, offset]).toEqual([
      'more than one turn may publish: 3 events were taken, 1 more lines (10 bytes) were dropped',
      5,
    ]);
  });

  it('are no problem where the loop itself wrote them, or there are none', () => {
    const { inbox } = openFile('a\nown');
    expect([dropStrayLines(inbox, 1), dropStrayLines(inbox, 2)]).toEqual([
      { problems: [], offset: 2 },
      { problems: [], offset: 2 },
    ]);
  });
});

const SIGNALS: readonly Signal[] = [
  { kind: 'event', channel: 'jsonl', topic: 'a', payload: '{"n":1}' },
  { kind: 'event', channel: 'text', topic: 'b', payload: 'x' },
  { kind: 'promise', channel: 'text' },
  { kind: 'transition', hat: 'a' },
];

const check: PayloadCheck = (topic) => (topic === 'a' ? { payload: { n: 1 } } : { problem: 'payload is string' });

it('writes the verdict on each event, and takes the payload as its schema sees it', () => {
  expect(checkPayloads(SIGNALS, check)).toEqual([
    { kind: 'event', channel: 'jsonl', topic: 'a', payload: { n: 1 } },
    { kind: 'event', channel: 'text', topic: 'b', payload: 'x', payloadProblem: 'payload is string' },
    SIGNALS[2],
    SIGNALS[3],
  ]);
});

it('leaves signals alone where nothing is checked', () => {
  expect(checkPayloads(SIGNALS, undefined)).toBe(SIGNALS);
});

/** A file of so many events, of which one read takes so many. */
function createInbox(count: number, atOnce: number): Inbox {
  return {
    end: () => count,
    hasMore: (offset) => offset !== count,
    read: (offset) => {
      const end = Math.min(count, offset + atOnce);
      const signals = Array.from(
        { length: end - offset },
        (_, at): EventSignal => ({
          kind: 'event',
          channel: 'jsonl',
          topic: 'human.note',
          payload: offset + at,
        }),
      );
      return { signals, problems: [], offset: end, ...(end < count && { isFull: true }) };
    },
    skip: (offset) => ({ lines: 0, bytes: 0, offset }),
    append: () => undefined,
  };
}

function hear(outside: Inbox, from: number) {
  const batches = [...readOutside({ outside }, from)];
  return {
    payloads: batches.flatMap(({ signals }) => signals.map((signal) => (signal as EventSignal).payload)),
    problems: batches.flatMap(({ problems }) => problems),
    end: batches.at(-1)?.outsideOffset ?? from,
  };
}

describe('one look at what people published', () => {
  it('takes all of it, in its order, however many reads that needs', () => {
    const { payloads, problems, end } = hear(createInbox(25, 10), 0);
    expect(payloads).toEqual(Array.from({ length: 25 }, (_, at) => at));
    expect([problems, end]).toEqual([[], 25]);
    expect(hear(createInbox(25, 10), 25)).toEqual({ payloads: [], problems: [], end: 25 });
  });

  it('leaves to the next read what is more than ten reads, says so, and loses nothing', () => {
    const inbox = createInbox(25, 1);
    const seen: unknown[] = [];
    const told: string[] = [];
    let from = 0;
    for (let look = 0; look < 3; look += 1) {
      const { payloads, problems, end } = hear(inbox, from);
      seen.push(...payloads);
      told.push(...problems.map(({ message }) => message));
      from = end;
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, at) => at));
    expect(told).toEqual(Array(2).fill(expect.stringContaining('the rest comes with the next read')));
  });

  it('ends where nothing more can be read', () => {
    const stuck: Inbox = { ...createInbox(5, 1), hasMore: () => true, read: (offset) => ({ signals: [], problems: [], offset }) };
    expect(hear(stuck, 0)).toEqual({ payloads: [], problems: [], end: 0 });
  });
});
