import type { EventSignal } from '../../src/core/events/event.ts';
import { parseInboxLine } from '../../src/core/events/inbox-line.ts';
import type { Inbox } from '../../src/ports/inbox.ts';

/** Offsets count lines here: what matters is that nothing is read twice or never. */
export function createMemoryInbox(lines: string[]): Inbox {
  return {
    end: () => lines.length,
    hasMore: (offset) => offset !== lines.length,
    skip: (offset) => ({ lines: lines.length - offset, bytes: 0, offset: lines.length }),
    read: (offset) => {
      const fresh = lines.slice(offset).map((line) => parseInboxLine(line));
      const signals = fresh.flatMap((line): EventSignal[] => (line.kind === 'signal' ? [line.signal] : []));
      const problems = fresh.flatMap((line) =>
        line.kind === 'problem' ? [{ where: 'events.jsonl', message: line.message, excerpt: '' }] : [],
      );
      return { signals, problems, offset: lines.length };
    },
    append: (event) => {
      lines.push(JSON.stringify({ by: 'ralph', topic: event.topic }));
    },
  };
}
