import { hasWildcard } from '../../core/index.ts';
import { isNearWord } from './near-topics.ts';

/** What was probably meant by a topic or pattern that meets none of the known ones. */
export interface NearPattern {
  /** It, with the wrong word mended: it meets `known`. */
  readonly mended: string;
  readonly known: string;
}

/** How many are compared with the one that is looked up. */
const MAX_COMPARED = 500;
/** How many look-ups are made. */
const MAX_LOOKUPS = 200;
/** A word that no other word of the pattern speaks for has to be as long as this: `text.*` is not `test.done`. */
const MIN_ALONE = 5;

/**
 * Looks for a slip of the pen where one of the two is a pattern (`reveiw.request` beside `review.*`): word by word, one that stands in both and is
 * nearly the same, all others the same or a star. Each look-up takes bounded time.
 */
export function createNearPatterns(known: Iterable<string>): (written: string) => NearPattern | undefined {
  const all = [...new Set(known)];
  const patterns = all.filter(hasWildcard).slice(0, MAX_COMPARED).map(toWords);
  const first = all.slice(0, MAX_COMPARED).map(toWords);
  let lookups = 0;
  return (written) => {
    if (lookups >= MAX_LOOKUPS) return undefined;
    lookups += 1;
    const given = toWords(written);
    for (const candidate of hasWildcard(written) ? first : patterns) {
      const mended = mendWord(given, candidate);
      if (mended !== null) return { mended, known: candidate.text };
    }
    return undefined;
  };
}

interface Words {
  readonly text: string;
  readonly words: readonly string[];
  /** True where a star at the end stands for more words. */
  readonly isOpen: boolean;
}

function toWords(text: string): Words {
  const words = text.split('.');
  return { text, words, isOpen: words.at(-1) === '*' };
}

/** The text with its one wrong word mended; `null` where none is wrong, or more than one. */
function mendWord(written: Words, known: Words): string | null {
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
