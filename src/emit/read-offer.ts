import { RALPH } from '../core/events/reserved.ts';
import { matchesTopic } from '../core/events/topics.ts';
import { describeShape } from '../core/schema/describe-shape.ts';
import type { Topology } from '../topology/routing/compile-topology.ts';
import { emittableBy } from '../topology/routing/queries.ts';
import { type EventPlace, readTopology } from './contract-file.ts';

/** More shapes than this cost the model more than they help. */
const MAX_SHAPES = 20;

/** What a hat may publish, for a tool that says so before it is called. */
export interface HatOffer {
  readonly hat: string;
  /** Topics and patterns, what ends the run among them where the hat may; `null` where the contract is not known. */
  readonly topics: readonly string[] | null;
  /** Who an event can be addressed to: ids of hats, and `ralph`. Empty where there is no other. */
  readonly targets: readonly string[];
  /** The shape of the payload, for topics among these that have a schema. */
  readonly shapes: Readonly<Record<string, string>>;
}

/** Reads what the hat of a turn may publish; its contract may be unknown. Never throws. */
export function readOffer({ hat, contractFile }: EventPlace): HatOffer {
  const topology = readTopology(contractFile);
  if (topology === null) return { hat, topics: null, targets: [], shapes: {} };
  const others = [...topology.hatById.keys()].filter((id) => id !== hat);
  const targets = others.length === 0 || hat === RALPH ? others : [...others, RALPH];
  const topics = emittableBy(topology, hat);
  return { hat, topics, targets, shapes: listShapes(topology, topics) };
}

function listShapes({ spec }: Topology, topics: readonly string[]): HatOffer['shapes'] {
  const known = Object.entries(spec.events ?? {}).flatMap(([topic, { schema }]) =>
    schema !== undefined && topics.some((pattern) => matchesTopic(pattern, topic)) ? [[topic, describeShape(schema)] as const] : [],
  );
  return Object.fromEntries(known.slice(0, MAX_SHAPES));
}
