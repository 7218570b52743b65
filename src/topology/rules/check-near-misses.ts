import type { FlowFinding, RelatedSubject } from '../../core/index.ts';
import type { FlowRule } from '../flow-rule.ts';
import type { Topology } from '../topology.ts';
import { findDeadTriggers } from './dead-triggers.ts';
import { toHatsYaml } from './fix-yaml.ts';
import { createNearTriggers, type NearTrigger } from './near-triggers.ts';
import { findOrphans, type Orphan } from './orphans.ts';
import { toSpellingRepairs } from './spelling-repairs.ts';

/**
 * What the rules 4 and 5 of seed 001 become under `ralph`, where Ralph takes what no hat takes and can call any hat: a word only where a slip of
 * the pen is likely. Where both spellings are written equally often it is told at what is published; `createSlipJudge` says which one is mended.
 * Triggers that wait in vain are told under `hats` too: there rule 4 has told what is published.
 */
export const checkNearMisses: FlowRule = (topology, facts) => {
  if (topology.coordination === 'solo') return [];
  const { orphans } = findOrphans(topology, facts);
  const near = orphans.length === 0 ? () => undefined : createNearTriggers(topology);
  const events: FlowFinding[] = [];
  const told = new Set<string>();
  for (const orphan of orphans) {
    const meant = near(orphan.topic);
    if (meant === undefined || (topology.coordination === 'ralph' && !meant.isLikely)) continue;
    if (topology.coordination === 'ralph') events.push(toEventFinding(topology, orphan, meant));
    told.add(orphan.topic).add(meant.taker?.trigger ?? meant.topic);
  }
  return [...events, ...findDeadTriggers(topology, told)];
};

function toEventFinding(topology: Topology, { hat, topic, list }: Orphan, meant: NearTrigger): FlowFinding {
  const { taker } = meant;
  const isTrigger = meant.slip === 'right' && taker !== null;
  const question = taker === null ? `${meant.topic}', ${meant.fate}?` : `${meant.topic}'?`;
  return {
    code: 'event-near-miss',
    severity: 'warning',
    at: { kind: 'hat-item', hat, list, item: topic },
    message: isTrigger
      ? `No hat takes '${topic}', published by '${hat}': is '${topic}' meant by '${meant.topic}', which '${taker.hat}' triggers on?`
      : `No hat takes '${topic}', published by '${hat}': did you mean '${question}`,
    why: toReason(topic, meant),
    fix: isTrigger ? toTriggerFix(topology, topic, taker) : toTopicFix(topology, { hat, topic }, meant),
    hats: taker === null ? [hat] : [hat, taker.hat],
    topics: [topic, meant.topic],
    ...(taker === null ? {} : { related: [toRelated(taker)] }),
    repairs: toSpellingRepairs(topic, meant),
  };
}

function toReason(topic: string, { taker, topic: meant, fate }: NearTrigger): string {
  return taker === null
    ? `'${meant}' is a topic ${fate}; '${topic}' goes to Ralph instead.`
    : `'${taker.hat}' triggers on '${taker.trigger}'; '${topic}' goes to Ralph instead.`;
}

function toRelated({ hat, trigger }: NonNullable<NearTrigger['taker']>): RelatedSubject {
  return { at: { kind: 'hat-item', hat, list: 'triggers', item: trigger }, message: `'${hat}' triggers on '${trigger}' here.` };
}

function toTopicFix(topology: Topology, { hat, topic }: Pick<Orphan, 'hat' | 'topic'>, meant: NearTrigger): string {
  const items = topology.hatById.get(hat)?.publishes.map((entry) => (entry.topic === topic ? { ...entry, topic: meant.topic } : entry));
  return `Write '${meant.topic}':\n\n${toHatsYaml({ hat, list: 'publishes', items: items ?? [] })}`;
}

function toTriggerFix(topology: Topology, topic: string, { hat, trigger }: NonNullable<NearTrigger['taker']>): string {
  const items = topology.hatById.get(hat)?.triggers.map((item) => (item === trigger ? topic : item));
  return `Write '${topic}':\n\n${toHatsYaml({ hat, list: 'triggers', items: items ?? [] })}`;
}
