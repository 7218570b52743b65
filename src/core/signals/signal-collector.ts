import { countCut, toBoundedPayload, toCutProblem } from '../events/bounded-payload.ts';
import type { Signal, SignalCollector, SignalProblem } from '../events/event.ts';

const MAX_SIGNALS = 1000;
/** Characters of all payloads together. */
const MAX_TOTAL_LENGTH = 10_000_000;
const EXCERPT_LENGTH = 200;

/** A collector that takes a thousand signals with ten million characters and a thousand problems; the rest is reported or dropped. */
export function createSignalCollector(): SignalCollector {
  const signals: Signal[] = [];
  const problems: SignalProblem[] = [];
  let length = 0;

  const report = (message: string, excerpt: string): void => {
    if (problems.length < MAX_SIGNALS) problems.push({ where: 'output', message, excerpt: excerpt.slice(0, EXCERPT_LENGTH) });
  };
  const add = (given: Signal): void => {
    const signal = given.kind === 'event' ? { ...given, payload: toBoundedPayload(given.payload) } : given;
    length += toLength(signal);
    if (signals.length < MAX_SIGNALS && length <= MAX_TOTAL_LENGTH) {
      signals.push(signal);
      const cut = given.kind === 'event' ? countCut(given.payload) : 0;
      if (given.kind === 'event' && cut > 0) report(toCutProblem(given.topic, cut), '');
    } else report('too many signals in one turn; this one is left out', signal.kind === 'event' ? signal.topic : signal.kind);
  };
  return { signals, problems, add, report };
}

function toLength(signal: Signal): number {
  if (signal.kind !== 'event') return 0;
  return typeof signal.payload === 'string' ? signal.payload.length : JSON.stringify(signal.payload).length;
}
