import { matchesTopic } from '../core/events/topics.ts';
import { toPayloadText } from '../core/values/json.ts';
import { type Mismatch, toListText } from './mismatch.ts';
import type { EventFacts, RefusalFacts } from './run-facts.ts';
import type { Expectation, ExpectedEvent, ExpectedRefusal } from './scenario.ts';

const NOBODY = 'nobody';

/** Compares the events that were published with what is expected. */
export function checkEvents(expected: Expectation, seen: readonly EventFacts[]): readonly Mismatch[] {
  const absent = (expected.events_absent ?? []).flatMap((pattern) =>
    seen
      .filter((event) => matchesTopic(pattern, event.topic))
      .map((event) => ({ what: 'events_absent', expected: `no ${pattern}`, seen: showEvent(event) })),
  );
  return [
    ...checkAll('events', expected.events?.map(toExpected), seen, fitsEvent, showEvent, showExpected),
    ...checkSome(expected.events_include?.map(toExpected) ?? [], seen),
    ...absent,
  ];
}

export function checkRefusals(expected: Expectation, seen: readonly RefusalFacts[]): readonly Mismatch[] {
  return checkAll('refused', expected.refused?.map(toExpectedRefusal), seen, fitsRefusal, showRefusal, showExpectedRefusal);
}

/** All of them, one by one: the first that differs is told, and the whole list. */
function checkAll<Wanted, Seen>(
  what: string,
  expected: readonly Wanted[] | undefined,
  seen: readonly Seen[],
  fits: (wanted: Wanted, seen: Seen) => boolean,
  show: (seen: Seen) => string,
  showWanted: (wanted: Wanted) => string,
): readonly Mismatch[] {
  if (expected === undefined) return [];
  const length = Math.max(expected.length, seen.length);
  for (let index = 0; index < length; index += 1) {
    const wanted = expected[index];
    const found = seen[index];
    if (wanted !== undefined && found !== undefined && fits(wanted, found)) continue;
    const rest = `${found === undefined ? 'nothing more' : show(found)}${seen.length === 0 ? '' : `\nall of them:\n${seen.map((entry, at) => `  [${at}] ${show(entry)}`).join('\n')}`}`;
    return [{ what: `${what}[${index}]`, expected: wanted === undefined ? 'nothing more' : showWanted(wanted), seen: rest }];
  }
  return [];
}

/** Some of them, in order; others may stand between. */
function checkSome(expected: readonly ExpectedEvent[], seen: readonly EventFacts[]): readonly Mismatch[] {
  let from = 0;
  for (const [index, wanted] of expected.entries()) {
    const at = seen.findIndex((event, place) => place >= from && fitsEvent(wanted, event));
    if (at < 0)
      return [
        {
          what: `events_include[${index}]`,
          expected: showExpected(wanted),
          seen: `${from === 0 ? '' : `after [${from - 1}], only:\n`}${seen.slice(from).map(showEvent).join('\n') || 'nothing more'}`,
        },
      ];
    from = at + 1;
  }
  return [];
}

function toExpected(entry: string | ExpectedEvent): ExpectedEvent {
  if (typeof entry !== 'string') return entry;
  const [source = '', topic, to = ''] = entry.split(' -> ');
  if (topic === undefined) return { topic: source };
  return { source, topic, to: to === NOBODY ? [] : to.split(/, */) };
}

function fitsEvent(wanted: ExpectedEvent, event: EventFacts): boolean {
  return (
    wanted.topic === event.topic &&
    (wanted.source === undefined || wanted.source === event.source) &&
    (wanted.to === undefined || toListText(wanted.to) === toListText(event.to)) &&
    (wanted.target === undefined || wanted.target === event.target) &&
    (wanted.how === undefined || wanted.how === event.how) &&
    (wanted.payload === undefined || toPayloadText(event.payload).includes(wanted.payload))
  );
}

/** An event on one line, as a scenario would write it. */
export function showEvent(event: EventFacts): string {
  const payload = toPayloadText(event.payload).replace(/\s+/g, ' ').trim();
  const target = event.target === null ? '' : `, target ${event.target}`;
  const shown = payload === '' ? '' : ` ${JSON.stringify(payload.slice(0, 80))}`;
  return `${event.source} -> ${event.topic} -> ${event.to.join(', ') || NOBODY} (${event.how}${target})${shown}`;
}

function showExpected({ source, topic, to, target, how, payload }: ExpectedEvent): string {
  const extras = [how, target === undefined ? undefined : `target ${target}`].filter((part) => part !== undefined);
  const flow =
    source === undefined && to === undefined
      ? topic
      : `${source ?? '?'} -> ${topic} -> ${to === undefined ? '?' : to.join(', ') || NOBODY}`;
  return `${flow}${extras.length === 0 ? '' : ` (${extras.join(', ')})`}${payload === undefined ? '' : ` with ${JSON.stringify(payload)}`}`;
}

function toExpectedRefusal(entry: string | ExpectedRefusal): ExpectedRefusal {
  if (typeof entry !== 'string') return entry;
  const [hat = '', topic, why] = entry.split(' -> ');
  if (topic === undefined) return { topic: hat };
  return { hat, topic, ...(why === undefined ? {} : { why: why as NonNullable<ExpectedRefusal['why']> }) };
}

function fitsRefusal(wanted: ExpectedRefusal, seen: RefusalFacts): boolean {
  return (
    wanted.topic === seen.topic &&
    (wanted.hat ?? seen.hat) === seen.hat &&
    (wanted.why ?? seen.why) === seen.why &&
    (wanted.allowed === undefined || toListText(wanted.allowed) === toListText(seen.allowed))
  );
}

/** A refusal on one line, as a scenario would write it. */
export function showRefusal({ hat, topic, why, allowed }: RefusalFacts): string {
  return `${hat} -> ${topic} -> ${why}${allowed.length === 0 ? '' : ` (allowed: ${allowed.join(', ')})`}`;
}

function showExpectedRefusal({ hat, topic, why, allowed }: ExpectedRefusal): string {
  const flow = hat === undefined && why === undefined ? topic : `${hat ?? '?'} -> ${topic} -> ${why ?? '?'}`;
  return allowed === undefined ? flow : `${flow} (allowed: ${toListText(allowed)})`;
}
