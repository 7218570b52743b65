import type { EventSignal, SignalProblem } from '../../core/index.ts';
import type { Inbox, InboxBatch } from '../../ports/index.ts';

/** One read takes a bounded part; a file that grows faster than it is read is left for the next turn. */
const MAX_READS = 4;

/** Everything that is in the agents' file now, up to a bound. */
export function readWholeInbox(inbox: Inbox, from: number): InboxBatch {
  const signals: EventSignal[] = [];
  const problems: SignalProblem[] = [];
  let offset = from;
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const batch = inbox.read(offset, { final: true });
    signals.push(...batch.signals);
    problems.push(...batch.problems);
    const isDone = batch.offset === offset || batch.signals.length + batch.problems.length === 0;
    offset = batch.offset;
    if (isDone) break;
  }
  return { signals, problems, offset };
}
