import { countCut, isRalphError, type RefusedEmit, type Sender } from '../core/index.ts';
import { appendAgentLine, appendAgentRefusal, createSharedFileSystem } from '../journal/index.ts';
import { compileTopology, type Topology } from '../topology/index.ts';
import { checkEvent, type EventWords, toCheckedPayload, toPayload } from './check-event.ts';
import { readContract } from './contract-file.ts';

/** Where an event goes, and whose it is. */
export interface EventPlace {
  readonly eventsFile: string;
  readonly hat: string;
  /** `null` where nobody knows it. */
  readonly contractFile: string | null;
  /** The folder that holds the file, absolute, where the contract does not say it: no link between the two is followed. */
  readonly root?: string;
  /** The person who publishes; absent for an agent. */
  readonly sender?: Sender;
}

/** Where the environment of an agent's turn says that events go; `null` outside of a turn. */
export function findTurn(env: Readonly<Record<string, string | undefined>>): EventPlace | null {
  const { RALPH_EVENTS_FILE: eventsFile, RALPH_CONTRACT: contractFile, RALPH_HAT: hat } = env;
  if (eventsFile === undefined || eventsFile === '' || hat === undefined || hat === '') return null;
  return { eventsFile, hat, contractFile: contractFile ?? null };
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

/** The topology of a contract; `null` where it is not known. Never throws. */
export function readTopology(contractFile: string | null): Topology | null {
  const contract = contractFile === null ? null : readContract(contractFile);
  return contract === null ? null : compileTopology(contract.spec);
}
