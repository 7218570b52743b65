import type { Topology } from '../topology.ts';

/** Which of two spellings is the slip of the pen; `null` where nothing tells. */
export type Slip = 'left' | 'right' | null;

/** Judges between two spellings of a topic by what else the team writes. */
export interface SlipJudge {
  /** In how many lists of hats and gates a topic or pattern stands. */
  readonly count: (topic: string) => number;
  /**
   * The slip is what is written less often, has the words that fewer other topics have, and lacks a word which most teams write. That a word is a common one, and
   * its neighbour none, says more than either of the others; where they balance, nothing tells.
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

/** By how much more speaks for the left spelling. */
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
