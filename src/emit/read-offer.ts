import { RALPH, TOPIC_COMPLETE } from '../core/index.ts';
import { mayEnd, publishableBy } from '../topology/index.ts';
import { type EventPlace, readTopology } from './emit-in-turn.ts';

/** What a hat may publish, for a tool that says so before it is called. */
export interface HatOffer {
  readonly hat: string;
  /** Topics and patterns, what ends the run among them where the hat may; `null` where the contract is not known. */
  readonly topics: readonly string[] | null;
  /** Who an event can be addressed to: ids of hats, and `ralph`. Empty where there is nobody else. */
  readonly targets: readonly string[];
}

/** Reads what the hat of a turn may publish. Never throws. */
export function readOffer({ hat, contractFile }: EventPlace): HatOffer {
  const topology = readTopology(contractFile);
  if (topology === null) return { hat, topics: null, targets: [] };
  const ends = mayEnd(topology, hat) ? [...new Set([TOPIC_COMPLETE, topology.spec.promise])] : [];
  const others = [...topology.hatById.keys()].filter((id) => id !== hat);
  const targets = others.length === 0 || hat === RALPH ? others : [...others, RALPH];
  return { hat, topics: [...publishableBy(topology, hat), ...ends], targets };
}
