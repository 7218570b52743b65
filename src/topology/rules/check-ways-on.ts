import type { FlowFinding, HatSpec } from '../../core/index.ts';
import { mayEnd } from '../queries.ts';
import type { Topology } from '../topology.ts';
import type { FlowRule } from '../validate-topology.ts';

/** A hat of a team that can neither hand on nor end: after each of its turns the recovery hat has to find out what happened. */
export const checkWaysOn: FlowRule = (topology) => {
  if (topology.coordination !== 'hats' || topology.hats.length < 2) return [];
  return topology.hats
    .filter((hat) => hat.publishes.length === 0 && hat.transitions.length === 0 && !mayEnd(topology, hat.id))
    .map((hat) => toFinding(topology, hat));
};

function toFinding({ hatById, recoveryHat, entry }: Topology, { id }: HatSpec): FlowFinding {
  const next = recoveryHat ?? entry;
  const triggers = hatById.get(next)?.triggers.slice(0, 4) ?? [];
  return {
    code: 'hat-no-way-on',
    severity: 'warning',
    at: { kind: 'hat', hat: id },
    message: `Hat '${id}' has no way to hand on: it publishes nothing and may not end the run.`,
    why: `After its turn nothing is left to do, so '${next}' is called with \`task.resume\` and does not learn what '${id}' did.`,
    fix: `Let it say that it is done, to somebody who takes that:\n\nhats:\n  ${id}:\n    publishes: [${id}.done]\n  ${next}:\n    triggers: [${[...triggers, `${id}.done`].join(', ')}]`,
    hats: [id],
  };
}
