import type { HatSpec } from '../../core/run/run-spec.ts';
import type { FlowFinding } from '../../core/schema/finding.ts';
import { toHatsYaml, toOwnTopic } from '../analysis/fix-yaml.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import type { Topology } from '../routing/compile-topology.ts';
import { mayEnd } from '../routing/queries.ts';

/** A hat of a team that can neither hand over nor end the run: after each of its turns the recovery hat has to find out what happened. */
export const checkWaysOn: FlowRule = (topology, { looseTriggers }) => {
  if (topology.coordination !== 'hats' || topology.hats.length < 2) return [];
  return (
    topology.hats
      // What could not be read of a hat, such as its import, has a finding of its own.
      .filter(
        (hat) =>
          !Object.hasOwn(looseTriggers, hat.id) && hat.publishes.length === 0 && hat.transitions.length === 0 && !mayEnd(topology, hat.id),
      )
      .map((hat) => toFinding(topology, hat))
  );
};

function toFinding({ hatById, recoveryHat, entry, spec }: Topology, { id }: HatSpec): FlowFinding {
  const next = recoveryHat ?? entry;
  const topic = toOwnTopic(id, 'done');
  const list = toHatsYaml(
    { hat: id, list: 'publishes', items: [topic] },
    { hat: next, list: 'triggers', items: hatById.get(next)?.triggers ?? [], added: topic },
  );
  return {
    code: 'hat-no-way-on',
    severity: 'warning',
    at: { kind: 'hat', hat: id },
    message: `Hat '${id}' has no way to hand on: it publishes nothing and may not end the run.`,
    why:
      spec.routing === 'fanout'
        ? `Nothing follows from its turn, and nobody learns what '${id}' did, not even that it is done before the run ends.`
        : `After its turn nothing is left to do, so '${next}' is called with \`task.resume\` and does not learn what '${id}' did.`,
    fix: `Let it say that it is done, to somebody who takes that:\n\n${list}`,
    hats: [id],
  };
}
