import { hasWildcard } from '../../core/events/topics.ts';
import { countEdits } from '../../core/text/near-miss.ts';

/** Finds the topic that was probably meant by another one. */
export interface NearTopics {
  /** The known topic that differs from this one by a misspelling; `undefined` where there is none, or where the topic itself is known. */
  readonly find: (topic: string) => string | undefined;
}

/** How many topics that differ in one place are compared with the one that is looked up. */
const MAX_COMPARED = 500;
/** How many look-ups are made; whoever has more unknown topics than this has another problem. */
const MAX_LOOKUPS = 200;

/**
 * An index of known topics. A near topic reads the same except for case, dots and dashes (`build_done`), or has the same words except one, and that one
 * has one or two wrong letters (`biuld.done`). Words that differ in digits (`step-1.done`, `step-2.done`) or in their meaning (`test.passed`,
 * `test.failed`) are not near. Built in time proportional to the topics.
 */
export function createNearTopics(topics: Iterable<string>): NearTopics {
  const known = new Set(topics);
  const byPlain = new Map<string, string>();
  const byRest = new Map<string, string[]>();
  for (const topic of known) {
    byPlain.set(toPlain(topic), topic);
    for (const { key } of listGaps(topic)) {
      const bucket = byRest.get(key);
      if (bucket === undefined) byRest.set(key, [topic]);
      else if (bucket.length < MAX_COMPARED) bucket.push(topic);
    }
  }
  let lookups = 0;
  return {
    find: (topic) => {
      if (known.has(topic) || lookups >= MAX_LOOKUPS) return undefined;
      lookups += 1;
      return byPlain.get(toPlain(topic)) ?? findBySpelling(topic, byRest);
    },
  };
}

function findBySpelling(topic: string, byRest: ReadonlyMap<string, readonly string[]>): string | undefined {
  for (const { key, index, segment } of listGaps(topic)) {
    const found = (byRest.get(key) ?? []).find((candidate) => isNearWord(segment, candidate.split('.')[index] ?? ''));
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Gap {
  /** The topic with one segment left out. */
  readonly key: string;
  readonly index: number;
  readonly segment: string;
}

function listGaps(topic: string): readonly Gap[] {
  const segments = topic.split('.').slice(0, 8);
  return segments.map((segment, index) => ({ key: segments.map((other, at) => (at === index ? '*' : other)).join('.'), index, segment }));
}

function toPlain(topic: string): string {
  return topic.toLowerCase().replace(/[-_.]/g, '');
}

/** One letter wrong in a word of four and more, or missing in it (`don`), two in one of eight and more; a different digit is never a misspelling. */
function isNearWord(left: string, right: string): boolean {
  if (left.replace(/\D/g, '') !== right.replace(/\D/g, '')) return false;
  const [shorter, longer] = [Math.min(left.length, right.length), Math.max(left.length, right.length)];
  const allowed = longer < 4 || shorter < 3 ? 0 : shorter < 8 ? 1 : 2;
  return allowed > 0 && shorter <= 60 && Math.abs(left.length - right.length) <= allowed && countEdits(left, right) <= allowed;
}

/** What was probably meant by a topic or pattern that meets none of the known ones. */
export interface NearPattern {
  /** The topic with the wrong word corrected: it meets `known`. */
  readonly mended: string;
  readonly known: string;
}

/** A word that is the only one in common has to be as long as this: `text.*` is not `test.done`. */
const MIN_ALONE = 5;

/**
 * Looks for a misspelling where one of the two is a pattern (`reveiw.request` beside `review.*`): word by word, one word is nearly the same in
 * both, and all others are the same or a star. Each look-up takes bounded time.
 */
export function createNearPatterns(known: Iterable<string>): (written: string) => NearPattern | undefined {
  const all = [...new Set(known)];
  const patterns = all.filter(hasWildcard).slice(0, MAX_COMPARED).map(toSplitTopic);
  const first = all.slice(0, MAX_COMPARED).map(toSplitTopic);
  let lookups = 0;
  return (written) => {
    if (lookups >= MAX_LOOKUPS) return undefined;
    lookups += 1;
    const given = toSplitTopic(written);
    for (const candidate of hasWildcard(written) ? first : patterns) {
      const mended = mendWord(given, candidate);
      if (mended !== null) return { mended, known: candidate.text };
    }
    return undefined;
  };
}

interface SplitTopic {
  readonly text: string;
  readonly words: readonly string[];
  /** True where a star at the end stands for more words. */
  readonly isOpen: boolean;
}

function toSplitTopic(text: string): SplitTopic {
  const words = text.split('.');
  return { text, words, isOpen: words.at(-1) === '*' };
}

/** The text with its one wrong word corrected; `null` where none is wrong, or more than one. */
function mendWord(written: SplitTopic, known: SplitTopic): string | null {
  if (written.words.length > known.words.length && !known.isOpen) return null;
  if (known.words.length > written.words.length && !written.isOpen) return null;
  let wrong = -1;
  let same = 0;
  const shared = Math.min(written.words.length, known.words.length);
  for (let at = 0; at < shared; at += 1) {
    const left = written.words[at] as string;
    const right = known.words[at] as string;
    if (left === '*' || right === '*') continue;
    if (left === right) {
      same += 1;
      continue;
    }
    if (wrong !== -1 || !isNearWord(left, right)) return null;
    wrong = at;
  }
  const word = known.words[wrong];
  if (word === undefined || (same === 0 && word.length < MIN_ALONE)) return null;
  return written.words.map((other, at) => (at === wrong ? word : other)).join('.');
}
