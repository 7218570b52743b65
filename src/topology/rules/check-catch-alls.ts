import { TOPIC_READY, TOPIC_RESUME, TOPIC_START } from '../../core/events/reserved.ts';
import { hasWildcard, toPrecedence } from '../../core/events/topics.ts';
import type { HatSpec } from '../../core/run/run-spec.ts';
import type { FlowFinding } from '../../core/schema/finding.ts';
import { type ListFix, toHatsYaml } from '../analysis/fix-yaml.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import { createNearTopics } from '../analysis/near-topics.ts';
import { findRoutes, type Topology } from '../routing/compile-topology.ts';
import { isTerminalTopic, takersOf } from '../routing/queries.ts';

const SHOWN_TOPICS = 5;

/**
 * A trigger of stars alone (`*`, `*.*`) beside other hats takes whatever nobody takes by name. There is a finding where it hides a mistake:
 *
 * - a published topic that differs from another hat's trigger by a misspelling;
 * - the start or the resumption of the run, while another hat takes one of the two by name, or the hat with the star hands over to nobody;
 * - what other hats publish and nobody takes by name, where the hat with the star does not lead the team. A leading hat with a star does what Ralph
 *   would.
 */
export const checkCatchAlls: FlowRule = (topology) => {
  const catchers = topology.hats.filter((hat) => hat.triggers.some(isCatchAll));
  if (topology.coordination === 'solo' || topology.hats.length < 2 || catchers.length === 0) return [];
  const swallowed = listSwallowed(topology, new Set(catchers.map((hat) => hat.id)));
  const slips = findSlips(topology, swallowed);
  const told = new Set(slips.map((finding) => finding.topics?.[0]));
  return [
    ...slips,
    ...catchers.flatMap((hat) => findTakenStart(topology, hat)),
    ...findHidden(
      topology,
      swallowed.filter(({ topic }) => !told.has(topic)),
    ),
  ];
};

function isCatchAll(trigger: string): boolean {
  return hasWildcard(trigger) && toPrecedence(trigger)[1] === 0;
}

function catchAllOf(hat: HatSpec): string {
  return hat.triggers.find(isCatchAll) ?? '*';
}

/** A topic that a hat publishes and only a catch-all of another one takes. */
interface Swallowed {
  readonly topic: string;
  readonly by: string;
  readonly from: string;
}

function listSwallowed(topology: Topology, catchers: ReadonlySet<string>): readonly Swallowed[] {
  const seen = new Map<string, Swallowed>();
  for (const hat of topology.hats) {
    for (const { topic, target } of hat.publishes) {
      if (target !== undefined || hasWildcard(topic) || seen.has(topic) || isTerminalTopic(topology, topic)) continue;
      const [by] = takersOf(topology, topic);
      if (by === undefined || by === hat.id || !catchers.has(by)) continue;
      if (findRoutes(topology.routes, topic).every((route) => isCatchAll(route.pattern))) seen.set(topic, { topic, by, from: hat.id });
    }
  }
  return [...seen.values()];
}

function findSlips({ hats, hatById }: Topology, swallowed: readonly Swallowed[]): readonly FlowFinding[] {
  const near = createNearTopics(hats.flatMap((hat) => hat.triggers.filter((trigger) => !hasWildcard(trigger))));
  return swallowed.flatMap(({ topic, by, from }) => {
    const meant = near.find(topic);
    const taker = meant === undefined ? undefined : hats.find((hat) => hat.triggers.includes(meant));
    if (meant === undefined || taker === undefined || taker.id === by) return [];
    const star = catchAllOf(hatById.get(by) ?? taker);
    return [
      {
        code: 'wildcard-swallows',
        severity: 'warning',
        at: { kind: 'hat-item', hat: from, list: 'publishes', item: topic },
        message: `'${topic}' ends at the '${star}' of '${by}': did you mean '${meant}', which '${taker.id}' takes?`,
        why: `No hat takes '${topic}' by name, so the catch-all gets it and '${taker.id}' waits for nothing.`,
        fix: `Write the same topic on both sides:\n\n${toHatsYaml(...toRenamed(hatById.get(from), topic, meant), { hat: taker.id, list: 'triggers', items: taker.triggers })}`,
        hats: [from, by, taker.id],
        topics: [topic, meant],
        related: [
          { at: { kind: 'hat-item', hat: taker.id, list: 'triggers', item: meant }, message: `'${taker.id}' takes '${meant}'.` },
          { at: { kind: 'hat-item', hat: by, list: 'triggers', item: star }, message: 'This takes it.' },
        ],
        repairs: [{ title: `publish "${meant}"`, isSafe: true, change: { kind: 'replace', text: meant } }],
      } as const,
    ];
  });
}

function toRenamed(hat: HatSpec | undefined, topic: string, meant: string): readonly ListFix[] {
  if (hat === undefined) return [];
  return [
    { hat: hat.id, list: 'publishes', items: hat.publishes.map((entry) => (entry.topic === topic ? { ...entry, topic: meant } : entry)) },
  ];
}

function findTakenStart(topology: Topology, hat: HatSpec): readonly FlowFinding[] {
  if (topology.coordination !== 'hats') return [];
  const { spec } = topology;
  const caught = (topic: string): boolean => takersOf(topology, topic)[0] === hat.id && isCaught(topology, topic);
  const isEntry = spec.startingHat === null && topology.entry === hat.id && caught(topology.startTopic);
  const isRecovery = spec.recoveryHat === null && topology.recoveryHat === hat.id && caught(TOPIC_RESUME);
  if (!isEntry && !isRecovery) return [];
  const named = topology.hats.find((other) => other.id !== hat.id && other.triggers.some((trigger) => isStart(trigger)));
  const handsOn = hat.publishes.some(
    ({ topic, target }) => target !== undefined || hasWildcard(topic) || takersOf(topology, topic)[0] !== hat.id,
  );
  if (named === undefined && (handsOn || hat.transitions.length > 0)) return [];
  return [toStartFinding(hat, isEntry ? topology.startTopic : TOPIC_RESUME, isEntry && isRecovery, named)];
}

function isCaught({ routes }: Topology, topic: string): boolean {
  return findRoutes(routes, topic).every((route) => isCatchAll(route.pattern));
}

function isStart(trigger: string): boolean {
  return trigger === TOPIC_START || trigger === TOPIC_READY || trigger === TOPIC_RESUME;
}

function toStartFinding(hat: HatSpec, topic: string, isBoth: boolean, named: HatSpec | undefined): FlowFinding {
  const star = catchAllOf(hat);
  const what = isBoth ? `'${TOPIC_START}' and '${TOPIC_RESUME}'` : `'${topic}'`;
  const role = isBoth ? 'begins the run and is its recovery hat' : topic === TOPIC_RESUME ? 'is the recovery hat' : 'begins the run';
  const reason = named === undefined ? 'it hands on to nobody' : `'${named.id}' takes its counterpart by name`;
  const leader = named?.id ?? 'planner';
  const triggers = [...new Set([TOPIC_START, TOPIC_RESUME, ...(named?.triggers ?? [])])];
  return {
    code: 'wildcard-swallows',
    severity: 'warning',
    at: { kind: 'hat-item', hat: hat.id, list: 'triggers', item: star },
    message: `The '${star}' of '${hat.id}' takes ${what}.`,
    why: `So '${hat.id}' ${role}, although ${reason}.`,
    fix: `Name who takes both, or give '${hat.id}' the topics that it is for instead of '${star}':\n\n${toHatsYaml({ hat: leader, list: 'triggers', items: triggers })}`,
    hats: [hat.id, ...(named === undefined ? [] : [named.id])],
    topics: isBoth ? [TOPIC_START, TOPIC_RESUME] : [topic],
    ...(named === undefined
      ? {}
      : { related: [{ at: { kind: 'hat-list', hat: named.id, list: 'triggers' }, message: `The triggers of '${named.id}'.` }] }),
  };
}

function findHidden(topology: Topology, swallowed: readonly Swallowed[]): readonly FlowFinding[] {
  const byHat = new Map<string, Swallowed[]>();
  for (const entry of swallowed) {
    const known = byHat.get(entry.by);
    if (known === undefined) byHat.set(entry.by, [entry]);
    else known.push(entry);
  }
  return [...byHat].flatMap(([id, hidden]) => {
    const hat = topology.hatById.get(id);
    const isLeader = topology.coordination === 'hats' && (topology.recoveryHat === id || topology.entry === id);
    return hat === undefined || isLeader ? [] : [toHiddenFinding(topology, hat, hidden)];
  });
}

function toHiddenFinding({ coordination }: Topology, hat: HatSpec, hidden: readonly Swallowed[]): FlowFinding {
  const star = catchAllOf(hat);
  const more = hidden.length - SHOWN_TOPICS;
  const shown = hidden.slice(0, SHOWN_TOPICS);
  const otherwise = coordination === 'ralph' ? 'would go to Ralph, who coordinates' : 'would be an error, because nobody takes it';
  return {
    code: 'wildcard-swallows',
    severity: 'warning',
    at: { kind: 'hat-item', hat: hat.id, list: 'triggers', item: star },
    message: `The '${star}' of '${hat.id}' takes ${shown.map(({ topic }) => `'${topic}'`).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
    why: `An event goes to one hat. Without the star it ${otherwise}; with it '${hat.id}' has the last word, and it does not lead the team.`,
    fix: `If '${hat.id}' is meant to get it, name it; otherwise name who is:\n\n${toHatsYaml({ hat: hat.id, list: 'triggers', items: hidden.map(({ topic }) => topic) })}`,
    hats: [hat.id, ...new Set(hidden.slice(0, 20).map(({ from }) => from))],
    topics: hidden.slice(0, 20).map(({ topic }) => topic),
    related: shown.map(({ topic, from }) => ({
      at: { kind: 'hat-item', hat: from, list: 'publishes', item: topic } as const,
      message: `'${from}' publishes '${topic}'.`,
    })),
  };
}
