import { RALPH, TOPIC_RESUME } from '../../core/events/reserved.ts';
import { toHatsYaml } from '../analysis/fix-yaml.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import { mayEnd } from '../routing/queries.ts';

/** Somebody may end the run. Under `ralph` and in solo Ralph may. */
export const checkExit: FlowRule = (topology) => {
  const { coordination, hats, hatById, entry, spec } = topology;
  // A hat with Ralph's id has its own finding; that it may not end the run follows from it.
  if (coordination !== 'hats' || hats.length === 0 || hatById.has(RALPH) || hats.some((hat) => mayEnd(topology, hat.id))) return [];
  const hat = hatById.get(entry) ?? hats[0];
  if (hat === undefined) return [];
  return [
    {
      code: 'exit-missing',
      severity: 'error',
      at: { kind: 'hats' },
      message: 'No hat can terminate the loop.',
      why: `The completion promise '${spec.promise}' can only be emitted by the recovery hat, by a lone hat, or by a hat that lists it in its publishes. Currently, no hat meets these criteria.`,
      fix: `Ensure that the hat which can assess completion is the recovery hat:\n\n${toHatsYaml({ hat: hat.id, list: 'triggers', items: hat.triggers, added: TOPIC_RESUME })}\n\nor let the hat that finishes the work publish the promise:\n\n${toHatsYaml({ hat: hat.id, list: 'publishes', items: hat.publishes, added: spec.promise })}`,
      topics: [spec.promise],
    },
  ];
};
