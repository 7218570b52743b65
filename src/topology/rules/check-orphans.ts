import type { HatSpec } from '../../core/run/run-spec.ts';
import type { FlowFinding, ListSubject, Repair } from '../../core/schema/finding.ts';
import { toHatsYaml, toLoopYaml } from '../analysis/fix-yaml.ts';
import { type FlowRule, type Orphan, UNCHECKED } from '../analysis/flow-rule.ts';
import { createNearTriggers, type NearTrigger, toSpellingRepairs } from '../analysis/near-triggers.ts';
import type { Topology } from '../routing/compile-topology.ts';

/** What a hat publishes is taken by a hat, or is terminal. Under `ralph` Ralph takes the rest: see `checkNearMisses`. */
export const checkOrphans: FlowRule = (topology, facts) => {
  if (topology.coordination !== 'hats') return [];
  const { orphans, isWhole } = facts.orphans();
  if (orphans.length === 0) return isWhole ? [] : [UNCHECKED];
  const near = createNearTriggers(topology);
  const findings = orphans.map((orphan) => toFinding(topology, orphan, near(orphan.topic)));
  return isWhole ? findings : [...findings, UNCHECKED];
};

function toFinding(topology: Topology, orphan: Orphan, near: NearTrigger | undefined): FlowFinding {
  const { hat, topic, list } = orphan;
  return {
    code: 'event-orphan',
    severity: 'error',
    at: { kind: 'hat-item', hat, list, item: topic },
    message: `Event '${topic}' published by '${hat}' has no subscriber.`,
    why: `This event would be published but never handled by a hat, causing the loop to stop making progress.${toHint(topic, near)}`,
    fix: toFix(topology, orphan, near),
    hats: [hat],
    topics: near === undefined ? [topic] : [topic, near.topic],
    repairs: near === undefined ? toTakerRepairs(topology, orphan) : toSpellingRepairs(topic, near),
  };
}

function toHint(topic: string, near: NearTrigger | undefined): string {
  if (near === undefined) return '';
  return near.slip === 'right' && near.taker !== null
    ? ` '${near.taker.hat}' triggers on '${near.topic}': did you mean '${topic}' there?`
    : ` Did you mean '${near.topic}', ${near.fate}?`;
}

/** In the order in which the fix names them: who is called for what went wrong gets it; else nobody needs to. */
function toTakerRepairs(topology: Topology, { hat, topic }: Orphan): readonly Repair[] {
  const recovery = findRecovery(topology, hat, topic);
  const list = recovery === undefined ? undefined : ({ kind: 'hat-list', hat: recovery.id, list: 'triggers' } as const);
  const terminal = toAddRepair(topic, { kind: 'loop', key: 'terminal_events' }, 'terminal_events');
  return list === undefined ? [terminal] : [toAddRepair(topic, list, `the triggers of '${list.hat}'`), terminal];
}

function toAddRepair(topic: string, to: ListSubject, place: string): Repair {
  return { title: `add "${topic}" to ${place}`, isSafe: false, change: { kind: 'add-item', to, item: topic } };
}

function toFix(topology: Topology, orphan: Orphan, near: NearTrigger | undefined): string {
  const { hat, topic, list } = orphan;
  if (near?.slip === 'right' && near.taker !== null) {
    const taker = near.taker.hat;
    const others = (topology.hatById.get(taker)?.triggers ?? []).filter((item) => item !== near.topic);
    const yaml = toHatsYaml({ hat: taker, list: 'triggers', items: others, added: topic });
    return `Write '${topic}' in the triggers of '${taker}':\n\n${yaml}\n\nor write '${near.topic}' where '${hat}' publishes it.`;
  }
  if (near !== undefined) {
    const isTrigger = near.taker !== null && near.taker.trigger === near.topic;
    const other = isTrigger
      ? `or write '${topic}' in the triggers of '${near.taker.hat}', if '${near.topic}' is the slip.`
      : toTakerFix(topology, hat, topic, 'or add');
    return `Write '${near.topic}' in the place of '${topic}':\n\n${toSpelledYaml(topology, orphan, near.topic)}\n\n${other}`;
  }
  const terminals = [...topology.spec.terminalEvents.slice(0, 20), topic];
  const terminal = topic.includes('*')
    ? ''
    : `or, if this event signals completion, add it to terminal_events:\n\n${toLoopYaml('terminal_events', terminals)}\n\n`;
  return `${toTakerFix(topology, hat, topic, 'Add')}\n\n${terminal}or remove '${topic}' from ${hat}'s ${list} list.`;
}

function toSpelledYaml(topology: Topology, { hat, topic }: Orphan, meant: string): string {
  const entries = topology.hatById.get(hat)?.publishes ?? [];
  const others = entries.filter((entry) => entry.topic !== topic && entry.topic !== meant);
  return toHatsYaml({ hat, list: 'publishes', items: others, added: meant });
}

/** What went wrong is for the recovery hat; anything else is for a hat of its own. */
function toTakerFix(topology: Topology, publisher: string, topic: string, add: 'Add' | 'or add'): string {
  const recovery = findRecovery(topology, publisher, topic);
  if (recovery !== undefined) {
    const yaml = toHatsYaml({ hat: recovery.id, list: 'triggers', items: recovery.triggers, added: topic });
    return `${add} '${topic}' to the triggers of '${recovery.id}', who is called when the work is stuck:\n\n${yaml}`;
  }
  const [word = 'taker'] = topic.split('.');
  const name = word === '*' ? 'taker' : word;
  const id = topology.hatById.has(name) ? `${name}-taker` : name;
  return `${add} a hat that triggers on '${topic}':\n\n${toHatsYaml({ hat: id, list: 'triggers', items: [topic] })}`;
}

/** The recovery hat, where the topic says that something went wrong, and another hat publishes it. */
function findRecovery({ hatById, fallback }: Topology, publisher: string, topic: string): HatSpec | undefined {
  const recovery = /\.(blocked|failed|error)$/.test(topic) ? hatById.get(fallback) : undefined;
  return recovery?.id === publisher ? undefined : recovery;
}
