import { countCut } from '../core/events/bounded-payload.ts';
import type { RefusedEmit } from '../core/events/event.ts';
import { EXTERNAL, RALPH } from '../core/events/reserved.ts';
import { isTopic } from '../core/events/topics.ts';
import type { EventContracts } from '../core/run/run-spec.ts';
import { findNearMiss } from '../core/text/near-miss.ts';
import { isRalphError, RalphError } from '../core/values/errors.ts';
import { type Json, parseJson } from '../core/values/json.ts';
import { appendAgentLine, appendAgentRefusal } from '../journal/agent-line.ts';
import { createSharedFileSystem } from '../journal/shared-file-system.ts';
import { compileTopology, type Topology } from '../topology/routing/compile-topology.ts';
import { emittableBy, isCompletionTopic, mayEnd, mayPublish, publishableBy } from '../topology/routing/queries.ts';
import { type EventPlace, readContract } from './contract-file.ts';
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

/**
 * Appends an event to the agents' file, after checking it against the contract of the hat in whose turn it is called, so that an agent
 * that errs can correct itself at once. The loop checks again: this is a help, not the wall.
 *
 * @returns how many characters of the payload are cut off, because it is too long
 * @throws RalphError `emit-refused`, `emit-topic`, `emit-json`, `emit-payload`, `events-file-not-a-file`; the system error
 */
export function emitInto(words: EventWords, place: EventPlace): number {
  const contract = place.contractFile === null ? null : readContract(place.contractFile);
  const topology = contract === null ? null : compileTopology(contract.spec);
  const fs = createSharedFileSystem(place.root ?? contract?.workspace ?? null);
  const payload = noteRefusal({ fs, path: place.eventsFile }, words, place, () => {
    checkEvent(words, place.hat, topology);
    return toCheckedPayload(words.topic, toPayload(words), topology?.spec.events);
  });
  const event = { topic: words.topic, payload, ...(place.sender !== undefined && { sender: place.sender }), ts: Date.now() };
  appendAgentLine({ fs, path: place.eventsFile }, words.target === undefined ? event : { ...event, target: words.target });
  return countCut(payload);
}

/** What a refusal is recorded as; a slip of the form, such as bad JSON, is none. */
const REFUSALS: Readonly<Record<string, RefusedEmit['why']>> = { 'emit-refused': 'scope', 'emit-payload': 'payload' };

/** An agent that is refused says so in its own file, so that people see it and it is told again in its next turn. */
function noteRefusal<T>(file: Parameters<typeof appendAgentRefusal>[0], { topic }: EventWords, { sender }: EventPlace, check: () => T): T {
  try {
    return check();
  } catch (error) {
    const why = isRalphError(error) ? REFUSALS[error.code] : undefined;
    if (why !== undefined && sender === undefined)
      appendAgentRefusal(file, { topic, why, detail: isRalphError(error) ? error.message : '' });
    throw error;
  }
}

/** What the sender is told of a payload that is too long; empty for none. */
export function toCutText(cut: number): string {
  return cut === 0
    ? ''
    : `The payload is too long: its last ${cut} characters are cut off. Put what is long into a file and name the file.\n`;
}

/** The payload as it is written into the file. Throws a `RalphError` (`emit-json`) when it should be JSON and is not. */
function toPayload({ topic, payload, json }: EventWords): Json {
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
function toCheckedPayload(topic: string, payload: Json, contracts: EventContracts | undefined): Json {
  const check = createPayloadCheck(contracts);
  const verdict = check === null ? { payload } : check(topic, payload);
  if ('payload' in verdict) return verdict.payload;
  throw new RalphError({
    code: 'emit-payload',
    what: `The payload of ${topic} is not what its schema asks for: ${verdict.problem}.`,
    why: 'The hat that takes the event relies on it; nothing was published.',
    fix: `Publish it again with such a payload, as JSON (on a command line: ralph emit ${topic} '{…}' --json).`,
  });
}

/**
 * Checks an event against the contract of a hat, before it is written.
 *
 * @param topology `null` where the contract is not known: then only the form is checked
 * @throws RalphError `emit-topic`, `emit-refused`, with the list of what is allowed
 */
function checkEvent({ topic, target }: EventWords, hat: string, topology: Topology | null): void {
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
  const allowed = emittableBy(topology, hat);
  return allowed.length === 0 ? 'This hat may publish nothing.' : `Allowed topics: ${allowed.join(', ')}.`;
}
