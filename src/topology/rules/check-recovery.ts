import { type FlowFinding, type HatSpec, matchesTopic, TOPIC_RESUME } from '../../core/index.ts';
import type { FlowRule } from '../flow-rule.ts';
import type { Topology } from '../topology.ts';
import { toHatsYaml } from './fix-yaml.ts';

/** Rule 6 of seed 001: the recovery hat takes `task.resume`. Under `ralph` only where one is named. */
export const checkRecovery: FlowRule = (topology, { looseTriggers }) => {
  const hat = findRecoveryHat(topology);
  if (hat === undefined || hat.triggers.length === 0) return [];
  const triggers = [...hat.triggers, ...((Object.hasOwn(looseTriggers, hat.id) ? looseTriggers[hat.id] : undefined) ?? [])];
  return triggers.some((trigger) => matchesTopic(trigger, TOPIC_RESUME)) ? [] : [toFinding(topology, hat)];
};

/** Who is called when nothing is waiting; a name that is unknown has a finding of its own. */
function findRecoveryHat({ coordination, spec, hats, hatById, recoveryHat, fallback }: Topology): HatSpec | undefined {
  if (spec.recoveryHat !== null && !hatById.has(spec.recoveryHat)) return undefined;
  if (coordination === 'ralph') return spec.recoveryHat === null ? undefined : hatById.get(spec.recoveryHat);
  if (coordination !== 'hats' || hats.length < 2) return undefined;
  return hatById.get(recoveryHat ?? fallback);
}

function toFinding({ spec }: Topology, { id, triggers }: HatSpec): FlowFinding {
  const isNamed = spec.recoveryHat === id;
  return {
    code: 'recovery-resume',
    severity: 'error',
    at: { kind: 'hat-list', hat: id, list: 'triggers' },
    message: `Recovery hat '${id}' does not subscribe to 'task.resume'.`,
    why: `When Ralph is interrupted and resumed, or when nothing is waiting, it publishes 'task.resume'. The recovery hat must handle this event to continue execution.${isNamed ? '' : ` '${id}' is the recovery hat because ${toReason(id)}.`}`,
    fix: `Add 'task.resume' to the recovery hat's triggers:\n\n${toHatsYaml({ hat: id, list: 'triggers', items: triggers, added: TOPIC_RESUME })}`,
    hats: [id],
    topics: [TOPIC_RESUME],
    repairs: [
      {
        title: `add "${TOPIC_RESUME}" to the triggers of ${id}`,
        isSafe: true,
        change: { kind: 'add-item', to: { kind: 'hat-list', hat: id, list: 'triggers' }, item: TOPIC_RESUME },
      },
    ],
    ...(isNamed ? { related: [{ at: { kind: 'loop', key: 'recovery_hat' }, message: 'It is named here.' }] } : {}),
  };
}

function toReason(id: string): string {
  return id === 'planner' ? 'no other is named and it is called planner' : 'no other is named and it gets the first event';
}
