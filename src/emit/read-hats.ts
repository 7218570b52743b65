import { RALPH } from '../core/events/reserved.ts';
import type { Topology } from '../topology/routing/compile-topology.ts';
import { emittableBy } from '../topology/routing/queries.ts';
import { type EventPlace, readTopology } from './contract-file.ts';

const MAX_HATS = 100;
const MAX_TEXT = 300;
const MAX_TOPICS = 50;

/** A hat, without what only its own agent is told. */
export interface KnownHat {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Topics and patterns that it takes. */
  readonly triggers: readonly string[];
  /** Topics and patterns that it may publish. */
  readonly publishes: readonly string[];
}

/** The hats of the run in whose turn this is called, Ralph last where it asks itself; `null` where the contract is not known. Never throws. */
export function readHats({ hat, contractFile }: Pick<EventPlace, 'hat' | 'contractFile'>): readonly KnownHat[] | null {
  const topology = readTopology(contractFile);
  if (topology === null) return null;
  const hats = topology.hats.slice(0, MAX_HATS).map(({ id, name, description, triggers }) => ({
    id,
    name: name.slice(0, MAX_TEXT),
    description: description.slice(0, MAX_TEXT),
    triggers: triggers.slice(0, MAX_TOPICS),
    publishes: listTopics(topology, id),
  }));
  if (hat !== RALPH || hats.length === 0) return hats;
  return [...hats, { id: RALPH, name: 'Ralph', description: '', triggers: [], publishes: listTopics(topology, RALPH) }];
}

function listTopics(topology: Topology, hat: string): readonly string[] {
  return emittableBy(topology, hat).slice(0, MAX_TOPICS);
}
