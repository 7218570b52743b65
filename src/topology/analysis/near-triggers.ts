import { DEFAULT_PROMISE, TOPIC_COMPLETE } from '../../core/events/reserved.ts';
import { hasWildcard } from '../../core/events/topics.ts';
import type { Repair } from '../../core/schema/finding.ts';
import type { Topology } from '../routing/compile-topology.ts';
import { createNearPatterns, createNearTopics, type NearPattern } from './near-topics.ts';

/** What was probably meant by a topic that nobody takes: one that a hat takes, or one that needs nobody. */
export interface NearTrigger {
  /** What to write instead. */
  readonly topic: string;
  /** The trigger that takes it, and the first hat that has it; `null` where the topic needs no taker. */
  readonly taker: { readonly hat: string; readonly trigger: string } | null;
  /** What becomes of it, as words that follow its name: `which ends the run`. */
  readonly fate: string;
  /** True if it is written in at least as many places as the topic, or the topic is clearly the slip. */
  readonly isLikely: boolean;
  /** Which of the two is misspelt: `left` is the topic, `right` the trigger; `null` where it is not clear. */
  readonly slip: Slip;
  /** True if it is clear which one is; else a person has to say. */
  readonly isSure: boolean;
  /** True if it is written nowhere else: changing it there is enough. */
  readonly isAlone: boolean;
}

/** Looks for triggers, completions and terminal events that differ from a topic by a misspelling. */
export function createNearTriggers(topology: Topology): (topic: string) => NearTrigger | undefined {
  const { routes, spec } = topology;
  const triggers = [...routes.exact.keys(), ...routes.patterns.map((route) => route.pattern)];
  const completions = [spec.promise, TOPIC_COMPLETE, DEFAULT_PROMISE];
  const near = createNearTopics([...triggers, ...completions, ...spec.terminalEvents]);
  const nearPattern = createNearPatterns(triggers);
  const hatOf = createHatLookUp(topology);
  const judge = createSlipJudge(topology);
  return (topic) => {
    const found = near.find(topic);
    if (found === undefined) {
      const pattern = nearPattern(topic);
      const hat = pattern === undefined ? undefined : hatOf(pattern.known);
      return pattern === undefined || hat === undefined
        ? undefined
        : toMended(pattern, hat, judge.count(pattern.known) >= judge.count(topic));
    }
    // Whoever writes the usual word where the promise is another one means the promise.
    if (completions.includes(found)) {
      return toUntaken(found === DEFAULT_PROMISE ? spec.promise : found, 'which ends the run');
    }
    const hat = hatOf(found);
    if (hat === undefined) return toUntaken(found, 'which is a terminal event');
    const slip = judge.compare(topic, found);
    return {
      topic: found,
      taker: { hat, trigger: found },
      fate: `which '${hat}' triggers on`,
      isLikely: slip === 'left' || judge.count(found) >= judge.count(topic),
      slip,
      isSure: slip !== null,
      isAlone: judge.count(found) === 1 && !hasWildcard(found),
    };
  };
}

function createHatLookUp({ routes }: Topology): (trigger: string) => string | undefined {
  return (trigger) => (routes.exact.get(trigger) ?? routes.patterns.find((route) => route.pattern === trigger))?.hats[0];
}

/** A topic that ends the run, or needs no taker. It is declared, so it was probably meant, but a person has to decide. */
function toUntaken(topic: string, fate: string): NearTrigger {
  return { topic, taker: null, fate, isLikely: true, slip: null, isSure: false, isAlone: false };
}

function toMended({ mended, known }: NearPattern, hat: string, isLikely: boolean): NearTrigger {
  const fate = `which '${hat}' takes by '${known}'`;
  return { topic: mended, taker: { hat, trigger: known }, fate, isLikely, slip: null, isSure: false, isAlone: false };
}

/** Which of two spellings is the mistake; `null` where it is not clear. */
export type Slip = 'left' | 'right' | null;

/** Decides between two spellings of a topic by what else the team writes. */
interface SlipJudge {
  /** In how many lists of hats and gates a topic or pattern is. */
  readonly count: (topic: string) => number;
  /**
   * The mistake is written less often, has words that fewer other topics have, and lacks a word that most teams use. The last counts twice; where the
   * three balance, it is not clear.
   */
  readonly compare: (left: string, right: string) => Slip;
}

/** Words of which most topics are made. */
const COMMON_WORDS = new Set(
  'added analysis approved asked audit blocked build change changed changes check checked code complete completed confirmed created deploy design docs done draft error failed finished fix fixed found human implement issue merge merged message passed plan planned proposed published ready refused rejected release report request requested research resolved result resume review reviewed spec start started stopped task test tested tests update updated verified verify work write written'.split(
    ' ',
  ),
);

/** A judge for a team, made in time proportional to its topics. */
export function createSlipJudge({ hats, spec }: Topology): SlipJudge {
  const mentions = new Map<string, number>();
  const count = (topic: string): void => {
    mentions.set(topic, (mentions.get(topic) ?? 0) + 1);
  };
  for (const hat of hats) {
    hat.triggers.forEach(count);
    for (const entry of hat.publishes) count(entry.topic);
  }
  for (const gate of spec.gates) gate.on.forEach(count);
  const users = countUsers([...mentions.keys(), ...spec.terminalEvents]);
  const timesOf = (topic: string): number => mentions.get(topic) ?? 0;
  const compare = (left: string, right: string): Slip => {
    const byTimes = Math.sign(timesOf(left) - timesOf(right));
    const byWords = Math.sign(vouch(users, left, right) - vouch(users, right, left));
    const byCommon = Math.sign(countCommon(left) - countCommon(right));
    return toSlip(byTimes + byWords + 2 * byCommon);
  };
  return { count: timesOf, compare };
}

/** `lead`: how much more speaks for the left spelling. */
function toSlip(lead: number): Slip {
  return lead === 0 ? null : lead < 0 ? 'left' : 'right';
}

function countCommon(topic: string): number {
  return [...toWords(topic)].filter((word) => COMMON_WORDS.has(word)).length;
}

/** How many different topics have each word. */
function countUsers(topics: readonly string[]): ReadonlyMap<string, number> {
  const users = new Map<string, number>();
  for (const topic of new Set(topics)) for (const word of toWords(topic)) users.set(word, (users.get(word) ?? 0) + 1);
  return users;
}

/** How many other topics have the words of a topic that the other spelling lacks. */
function vouch(users: ReadonlyMap<string, number>, topic: string, other: string): number {
  const lacked = toWords(other);
  let others = 0;
  for (const word of toWords(topic)) if (!lacked.has(word)) others += Math.max(0, (users.get(word) ?? 0) - 1);
  return others;
}

function toWords(topic: string): Set<string> {
  return new Set(topic.split('.'));
}

/** Repairs that make a topic and a trigger agree, for a finding at the topic: the misspelling is corrected; where it is not clear which one it is, a person chooses. */
export function toSpellingRepairs(topic: string, near: NearTrigger): readonly Repair[] {
  const atTopic: Repair = {
    title: `write "${near.topic}" instead of "${topic}"`,
    isSafe: near.slip === 'left' && near.isSure,
    change: { kind: 'replace', text: near.topic },
  };
  if (near.taker === null || near.taker.trigger !== near.topic) return [atTopic];
  const { hat } = near.taker;
  const atTrigger: Repair = {
    title: `write "${topic}" instead of "${near.topic}" in the triggers of '${hat}'`,
    isSafe: near.slip === 'right' && near.isSure && near.isAlone,
    change: { kind: 'replace-item', at: { kind: 'hat-item', hat, list: 'triggers', item: near.topic }, text: topic },
  };
  const both = near.slip === 'right' ? [atTrigger, atTopic] : [atTopic, atTrigger];
  return near.isSure ? both.slice(0, 1) : both;
}
