import type { SignalProblem } from '../../core/index.ts';
import type { Inbox, InboxBatch } from '../../ports/index.ts';

/**
 * Everything that is in the agents' file now, so that nothing of one turn is left for whoever reads next: one read's worth is taken, the rest is
 * dropped and told. Of an honest agent that is everything.
 */
export function readWholeInbox(inbox: Inbox, from: number): InboxBatch {
  const { signals, problems, offset, isFull } = inbox.read(from, { final: true });
  if (isFull !== true) return { signals, problems, offset };
  const dropped = inbox.skip(offset);
  return { signals, problems: [toDropped(signals.length, dropped), ...problems], offset: dropped.offset };
}

/**
 * What stands in the agents' file although no agent is at work is nobody's: it is not read as events, for a process that a turn left could
 * else speak as somebody it is not. What the loop itself noted there is passed over.
 */
export function dropStrayLines(inbox: Inbox, from: number): { readonly problems: readonly SignalProblem[]; readonly offset: number } {
  if (!inbox.hasMore(from)) return { problems: [], offset: from };
  const { signals, problems, offset } = readWholeInbox(inbox, from);
  if (signals.length === 0) return { problems, offset };
  const topics = [...new Set(signals.map(({ topic }) => topic))].slice(0, 5).join(', ');
  const count = signals.length === 1 ? 'an event' : `${signals.length} events`;
  const stray: SignalProblem = {
    where: EVENTS,
    message: `${count} came while no agent was at work, so nobody knows whose they are; dropped. People publish with \`ralph emit\``,
    excerpt: topics,
  };
  return { problems: [stray, ...problems], offset };
}

/** How problems of the whole file name it. */
const EVENTS = 'the events file';

function toDropped(taken: number, { lines, bytes }: { readonly lines: number; readonly bytes: number }): SignalProblem {
  const message = `more than one turn may publish: ${taken} events were taken, ${lines} more lines (${bytes} bytes) were dropped`;
  return { where: EVENTS, message, excerpt: '' };
}
