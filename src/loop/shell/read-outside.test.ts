import { describe, expect, it } from 'vitest';
import type { EventSignal } from '../../core/index.ts';
import type { Inbox } from '../../ports/index.ts';
import { readOutside } from './read-inbox.ts';

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
