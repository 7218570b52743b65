import { hasWildcard, intersectsPatterns, type PublishSpec } from '../core/index.ts';
import { findRoutes } from './route-table.ts';
import type { Topology } from './topology.ts';

/** A hat that may take an event, and the trigger by which it does; `null` where a target names the hat. */
export interface Taker {
  readonly hat: string;
  readonly trigger: string | null;
}

/** Says who may take what is published under a topic or a pattern. */
export interface TakerIndex {
  /** In the order of the file; under `exclusive` routing a plain topic has at most one. Empty where nobody takes it. */
  readonly takersOf: (publish: PublishSpec) => readonly Taker[];
}

/** Builds the index once for a team; asking it takes time in proportion to the answer. */
export function createTakerIndex(topology: Topology): TakerIndex {
  return {
    takersOf: ({ topic, target }) => {
      if (target !== undefined) return topology.hatById.has(target) ? [{ hat: target, trigger: null }] : [];
      return hasWildcard(topic) ? intersecting(topology, topic) : matching(topology, topic);
    },
  };
}

function matching(topology: Topology, topic: string): readonly Taker[] {
  const takers = findRoutes(topology.routes, topic).flatMap((route) => route.hats.map((hat) => ({ hat, trigger: route.pattern })));
  return topology.spec.routing === 'fanout' ? takers : takers.slice(0, 1);
}

function intersecting(topology: Topology, pattern: string): readonly Taker[] {
  return topology.hats.flatMap((hat) => {
    const trigger = hat.triggers.find((candidate) => intersectsPatterns(candidate, pattern));
    return trigger === undefined ? [] : [{ hat: hat.id, trigger }];
  });
}
