import type { HatSpec } from '../../core/run/run-spec.ts';
import type { FlowFinding } from '../../core/schema/finding.ts';
import { toHatsYaml } from '../analysis/fix-yaml.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import type { Topology } from '../routing/compile-topology.ts';
import { createTakerIndex } from '../routing/taker-index.ts';

const SHOWN_HATS = 20;
const MAX_TOPICS = 1000;

/** A `*.blocked` that goes to another hat than the recovery hat. Only a hint: the team may have its own resolver. */
export const checkBlockedEvents: FlowRule = (topology) => {
  const { recoveryHat, hats } = topology;
  if (topology.coordination !== 'hats' || recoveryHat === null || hats.length < 2) return [];
  const index = createTakerIndex(topology);
  const publishers = new Map<string, HatSpec[]>();
  hats.forEach((hat) => {
    hat.publishes.forEach(({ topic }) => {
      if (!topic.endsWith('.blocked')) return;
      const known = publishers.get(topic);
      if (known === undefined) publishers.set(topic, [hat]);
      else if (known.at(-1) !== hat) known.push(hat);
    });
  });
  return [...publishers].slice(0, MAX_TOPICS).flatMap(([topic, from]) => {
    const targets = from.flatMap((hat) => hat.publishes.filter((entry) => entry.topic === topic).map((entry) => entry.target));
    const takers = [...new Set(targets)].flatMap((target) => index.takersOf(target === undefined ? { topic } : { topic, target }));
    if (takers.length === 0 || takers.some((taker) => taker.hat === recoveryHat)) return [];
    return [toFinding(topology, topic, from, takers[0]?.hat ?? '', takers[0]?.trigger ?? null)];
  });
};

function toFinding(
  { hatById, recoveryHat }: Topology,
  topic: string,
  from: readonly HatSpec[],
  taker: string,
  trigger: string | null,
): FlowFinding {
  const [first] = from;
  const recovery = recoveryHat ?? '';
  const triggersOf = (id: string): readonly string[] => hatById.get(id)?.triggers ?? [];
  const others = triggersOf(taker).filter((other) => other !== topic);
  const moved = trigger === topic && others.length > 0 ? [{ hat: taker, list: 'triggers', items: others } as const] : [];
  const list = toHatsYaml({ hat: recovery, list: 'triggers', items: triggersOf(recovery), added: topic }, ...moved);
  return {
    code: 'blocked-without-recovery',
    severity: 'hint',
    at: { kind: 'hat-item', hat: first?.id ?? '', list: 'publishes', item: topic },
    message: `'${topic}' goes to '${taker}', not to the recovery hat '${recovery}'.`,
    why: `A hat that is stuck publishes it, and '${recovery}' is the hat for stuck work. If '${taker}' cannot help, nobody else hears of it.`,
    fix: `If '${taker}' is meant to resolve it, leave it. Otherwise:\n\n${list}`,
    hats: [...from.slice(0, SHOWN_HATS).map((hat) => hat.id), taker],
    topics: [topic],
    ...(trigger === null
      ? {}
      : { related: [{ at: { kind: 'hat-item', hat: taker, list: 'triggers', item: trigger }, message: `'${taker}' takes it here.` }] }),
  };
}
