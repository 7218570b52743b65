import { type EventContracts, EXTERNAL, findNearMiss, isTopic, type Json, parseJson, RALPH, RalphError } from '../core/index.ts';
import { isCompletionTopic, mayEnd, mayPublish, publishableBy, type Topology } from '../topology/index.ts';
import { createPayloadCheck } from './create-payload-check.ts';

/** More would hide what matters. */
const MAX_TOPICS = 20;

/** An event to be published, as it was written on a command line. */
export interface EventWords {
  readonly topic: string;
  readonly payload: string | undefined;
  /** The payload is JSON, not text. */
  readonly json: boolean;
  readonly target?: string;
}

/** The payload as it is written into the file. Throws a `RalphError` (`emit-json`) when it should be JSON and is not. */
export function toPayload({ topic, payload, json }: EventWords): Json {
  if (!json) return payload ?? '';
  const value = parseJson(payload ?? '');
  if (value !== undefined) return value;
  throw new RalphError({
    code: 'emit-json',
    what: 'The payload is not valid JSON.',
    why: '--json says that it is.',
    fix: `Quote it for the shell, such as: ralph emit ${topic} '{"files": 3}' --json`,
  });
}

/** The payload as it is handed on. Throws a `RalphError` (`emit-payload`) when it is not what the schema of its topic asks for. */
export function toCheckedPayload(topic: string, payload: Json, contracts: EventContracts | undefined): Json {
  const check = createPayloadCheck(contracts);
  const verdict = check === null ? { payload } : check(topic, payload);
  if ('payload' in verdict) return verdict.payload;
  throw new RalphError({
    code: 'emit-payload',
    what: `The payload of ${topic} is not what its schema asks for: ${verdict.problem}.`,
    why: 'Whoever takes the event relies on it; nothing was published.',
    fix: `Publish it again with such a payload, as JSON (on a command line: ralph emit ${topic} '{…}' --json).`,
  });
}

/**
 * Holds the contract of a hat against an event, before it is written.
 *
 * @param topology `null` where the contract is not known: then only the form is checked
 * @throws RalphError `emit-topic`, `emit-refused`, with the list of what is allowed
 */
export function checkEvent({ topic, target }: EventWords, hat: string, topology: Topology | null): void {
  if (!isTopic(topic)) {
    throw new RalphError({
      code: 'emit-topic',
      what: `"${topic}" is not a topic.`,
      fix: 'A topic is words of letters, digits, _ and - joined by dots, such as build.done.',
    });
  }
  if (topology === null) return;
  if (isCompletionTopic(topology, topic)) return checkEnd(topology, hat, topic);
  if (!mayPublish(topology, hat, topic, target)) throw toRefusal(topology, hat, topic);
  if (target !== undefined && target !== RALPH && !topology.hatById.has(target)) {
    throw new RalphError({
      code: 'emit-refused',
      what: `There is no hat "${target}".`,
      fix: toHatsText(target, [...topology.hatById.keys()]),
    });
  }
}

function toHatsText(target: string, hats: readonly string[]): string {
  const near = findNearMiss(target, hats);
  return `${near === undefined ? '' : `Did you mean ${near}? `}Hats: ${hats.join(', ')}.`;
}

function checkEnd(topology: Topology, hat: string, topic: string): void {
  if (mayEnd(topology, hat)) return;
  throw new RalphError({
    code: 'emit-refused',
    what: `${hat} may not end the run, so ${topic} was not published.`,
    why: 'Only those who see the whole work may declare it complete.',
    fix: hat === EXTERNAL ? 'To end the run without that: ralph stop' : toAllowedText(topology, hat),
  });
}

/** A person may publish what Ralph may. They mistype; an agent oversteps. */
function toPersonRefusal(topology: Topology, topic: string): RalphError {
  const topics = publishableBy(topology, EXTERNAL).filter((known) => !known.includes('*'));
  const near = findNearMiss(topic, topics);
  const more = topics.length > MAX_TOPICS ? ', …' : '';
  return new RalphError({
    code: 'emit-refused',
    what: `No hat takes ${topic}, so it was not published.`,
    why: 'You can publish what hats of this run take, and topics that are terminal, required or gated.',
    fix: `${near === undefined ? '' : `Did you mean ${near}?\n`}Topics of this run: ${topics.slice(0, MAX_TOPICS).join(', ')}${more}.`,
  });
}

function toRefusal(topology: Topology, hat: string, topic: string): RalphError {
  if (hat === EXTERNAL) return toPersonRefusal(topology, topic);
  return new RalphError({
    code: 'emit-refused',
    what: `${hat} may not publish ${topic}; nothing was published.`,
    why: 'A hat publishes only the topics of its contract.',
    fix: toAllowedText(topology, hat),
  });
}

function toAllowedText(topology: Topology, hat: string): string {
  const allowed = publishableBy(topology, hat);
  return allowed.length === 0 ? 'This hat may publish nothing.' : `Allowed topics: ${allowed.join(', ')}.`;
}
