import { TOPIC_RESUME } from '../../core/events/reserved.ts';
import { matchesTopic } from '../../core/events/topics.ts';
import type { HatSpec } from '../../core/run/run-spec.ts';
import type { FlowFinding, Repair } from '../../core/schema/finding.ts';
import { readOwn } from '../../core/values/json.ts';
import { toHatsYaml, toLoopYaml } from '../analysis/fix-yaml.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import { findTakers, type Topology } from '../routing/compile-topology.ts';

/** The recovery hat takes `task.resume`. Under `ralph` only where one is named. */
export const checkRecovery: FlowRule = (topology, { looseTriggers }) => {
  const hat = findRecoveryHat(topology);
  if (hat === undefined || hat.triggers.length === 0) return [];
  const triggers = [...hat.triggers, ...(readOwn(looseTriggers, hat.id) ?? [])];
  return triggers.some((trigger) => matchesTopic(trigger, TOPIC_RESUME)) ? [] : [toFinding(topology, hat)];
};

/** Who is called when nothing is waiting; a name that is unknown has a finding of its own. */
function findRecoveryHat({ coordination, spec, hats, hatById, recoveryHat, fallback }: Topology): HatSpec | undefined {
  if (spec.recoveryHat !== null && !hatById.has(spec.recoveryHat)) return undefined;
  if (coordination === 'ralph') return spec.recoveryHat === null ? undefined : hatById.get(spec.recoveryHat);
  if (coordination !== 'hats' || hats.length < 2) return undefined;
  return hatById.get(recoveryHat ?? fallback);
}

function toFinding(topology: Topology, hat: HatSpec): FlowFinding {
  const { spec } = topology;
  const { id } = hat;
  const isNamed = spec.recoveryHat === id;
  const remedy = toRemedy(topology, hat);
  return {
    code: 'recovery-resume',
    severity: 'error',
    at: { kind: 'hat-list', hat: id, list: 'triggers' },
    message: `Recovery hat '${id}' does not subscribe to 'task.resume'.`,
    why: `When Ralph is interrupted and resumed, or when nothing is waiting, it publishes 'task.resume'. The recovery hat must handle this event to continue execution.${isNamed ? '' : ` '${id}' is the recovery hat because ${toReason(id)}.`}`,
    fix: remedy.fix,
    repairs: remedy.repairs,
    hats: [id],
    topics: [TOPIC_RESUME],
    ...(isNamed ? { related: [{ at: { kind: 'loop', key: 'recovery_hat' }, message: 'It is named here.' }] } : {}),
  };
}

/** Where another hat takes the topic, a second taker would make it ambiguous: that one is the recovery hat, or gives the topic away. */
function toRemedy({ routes, spec, hatById }: Topology, { id, triggers }: HatSpec): Required<Pick<FlowFinding, 'fix' | 'repairs'>> {
  const [taker] = spec.routing === 'fanout' ? [] : findTakers(routes, TOPIC_RESUME);
  const own = { hat: id, list: 'triggers', items: triggers, added: TOPIC_RESUME } as const;
  const add: Repair = {
    title: `add "${TOPIC_RESUME}" to the triggers of ${id}`,
    isSafe: true,
    change: { kind: 'add-item', to: { kind: 'hat-list', hat: id, list: 'triggers' }, item: TOPIC_RESUME },
  };
  const others = taker === undefined ? [] : (hatById.get(taker)?.triggers ?? []);
  if (taker === undefined || !others.includes(TOPIC_RESUME))
    return { fix: `Add 'task.resume' to the recovery hat's triggers:\n\n${toHatsYaml(own)}`, repairs: [add] };
  const name: Repair = {
    title: `name "${taker}" as the recovery hat`,
    isSafe: false,
    change: { kind: 'set', key: 'recovery_hat', text: taker },
  };
  const rest = others.filter((trigger) => trigger !== TOPIC_RESUME);
  const move =
    rest.length === 0
      ? ''
      : `\n\nor let '${id}' have the event in its place:\n\n${toHatsYaml({ hat: taker, list: 'triggers', items: rest }, own)}`;
  return { fix: `Name '${taker}', who takes 'task.resume':\n\n${toLoopYaml('recovery_hat', taker)}${move}`, repairs: [name] };
}

function toReason(id: string): string {
  return id === 'planner' ? 'no other is named and it is called planner' : 'no other is named and it gets the first event';
}
