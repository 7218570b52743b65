import type { Signal, SignalProblem } from '../../core/events/event.ts';
import type { ExternalEvents } from '../../core/run/inputs.ts';
import type { PayloadCheck } from '../../core/run/run-spec.ts';
import type { Inbox, InboxBatch } from '../../ports/inbox.ts';

/**
 * Reads all that is in the agents' file now, so that nothing of one turn is left for the next. What exceeds one read is dropped and reported as a problem;
 * an honest agent does not write that much.
 */
export function readWholeInbox(inbox: Inbox, from: number): InboxBatch {
  const { signals, problems, offset, isFull } = inbox.read(from, { final: true });
  if (isFull !== true) return { signals, problems, offset };
  const dropped = inbox.skip(offset);
  return { signals, problems: [toDropped(signals.length, dropped), ...problems], offset: dropped.offset };
}

/**
 * Drops lines that came into the agents' file while no agent was at work. They are not read as events: a process that a turn left behind could else publish
 * as the next hat. Lines that the loop itself wrote are skipped.
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

/** Reads of one call; each becomes an input of its own. */
const MAX_READS = 10;

/**
 * What people have published since `from`, one part for each read, in order; nothing where they published nothing. A line that is being written is left for
 * the next call; so is what {@link MAX_READS} reads do not take, which is reported as a problem.
 */
export function* readOutside(
  { outside, checkPayload }: { readonly outside?: Inbox; readonly checkPayload?: PayloadCheck },
  from: number,
): Generator<ExternalEvents> {
  let offset = from;
  for (let reads = 1; reads <= MAX_READS && outside?.hasMore(offset); reads += 1) {
    const batch = outside.read(offset, { final: false });
    const isMore = batch.isFull === true && reads === MAX_READS;
    const problems = isMore ? [...batch.problems, TOO_MUCH] : batch.problems;
    offset = batch.offset;
    if (batch.signals.length > 0 || problems.length > 0)
      yield { signals: checkPayloads(batch.signals, checkPayload), problems, outsideOffset: offset };
    if (batch.isFull !== true) return;
  }
}

const TOO_MUCH: SignalProblem = {
  where: 'outside.jsonl',
  message: 'more stands there than one read takes; the rest comes with the next read',
  excerpt: '',
};

/**
 * Checks the payloads of signals against the schemas of their topics, before they become an input: the verdict is part of the input, so that the decision
 * reads nothing else. A payload that passes is handed on as the schema sees it, a text that holds JSON as that JSON.
 */
export function checkPayloads<S extends Signal>(signals: readonly S[], check: PayloadCheck | undefined): readonly S[] {
  return check === undefined ? signals : signals.map((signal) => checkOne(signal, check));
}

function checkOne<S extends Signal>(signal: S, check: PayloadCheck): S {
  if (signal.kind !== 'event') return signal;
  const verdict = check(signal.topic, signal.payload);
  return 'payload' in verdict ? { ...signal, payload: verdict.payload } : { ...signal, payloadProblem: verdict.problem };
}
