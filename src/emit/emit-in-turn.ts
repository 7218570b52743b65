import { appendAgentLine, createSharedFileSystem } from '../journal/index.ts';
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
 * @throws RalphError `emit-refused`, `emit-topic`, `emit-json`, `emit-payload`, `events-file-not-a-file`; the system error
 */
export function emitInto(words: EventWords, place: EventPlace): void {
  const contract = place.contractFile === null ? null : readContract(place.contractFile);
  const topology = contract === null ? null : compileTopology(contract.spec);
  checkEvent(words, place.hat, topology);
  const payload = toCheckedPayload(words.topic, toPayload(words), topology?.spec.events);
  const event = { topic: words.topic, payload, ts: Date.now() };
  const fs = createSharedFileSystem(place.root ?? contract?.workspace ?? null);
  appendAgentLine({ fs, path: place.eventsFile }, words.target === undefined ? event : { ...event, target: words.target });
}

/** The topology of a contract; `null` where it is not known. Never throws. */
export function readTopology(contractFile: string | null): Topology | null {
  const contract = contractFile === null ? null : readContract(contractFile);
  return contract === null ? null : compileTopology(contract.spec);
}
