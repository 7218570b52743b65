import { dirname } from 'node:path';
import { type Confinement, type Mount, orderMounts, toDepth } from './confinement.ts';

/**
 * The same confinement as a profile of macOS' `sandbox-exec -p`. Pure. **Never run**: there was no such machine; it follows the published
 * profiles of the system. Seatbelt cannot put one folder in the place of another, so `own` mounts are writable where they really are (HOME and TMPDIR must
 * point there) and what they stand for is denied. The last rule that fits counts: what lies deeper comes later.
 */
export function planSeatbelt({ mounts, hasNetwork }: Confinement): string {
  const rules = orderMounts(mounts).flatMap(toRules);
  const ordered = rules.sort((left, right) => toDepth(left.place) - toDepth(right.place));
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    '(allow file-write* (subpath "/dev"))',
    ...ordered.map(({ words, place }) => `(${words} (subpath ${JSON.stringify(place)}))`),
    ...toWays(ordered),
    ...(hasNetwork ? [] : ['(deny network*)', '(allow network* (local ip "localhost:*"))']),
    '',
  ].join('\n');
}

interface Rule {
  readonly words: string;
  readonly place: string;
}

const CLOSED = 'deny file-read* file-write*';
const OPEN = 'allow file-read* file-write*';
const SEEN = 'allow file-read*';

function toRules({ kind, path, from = path }: Mount): readonly Rule[] {
  switch (kind) {
    case 'hidden':
      return [{ words: CLOSED, place: path }];
    case 'own':
      return [
        { words: CLOSED, place: path },
        { words: OPEN, place: from },
      ];
    case 'readable':
      // What is seen under another name here may be written where it really is.
      return [{ words: SEEN, place: from }, ...(from === path ? [{ words: 'deny file-write*', place: from }] : [])];
    case 'writable':
      return [{ words: OPEN, place: from }];
  }
}

/** The folders on the way to what is open must be findable, though nothing else in them is: names and contents stay hidden. */
function toWays(rules: readonly Rule[]): readonly string[] {
  const ways = rules.filter(({ words }) => words !== CLOSED).flatMap(({ place }) => listAbove(place));
  return [...new Set(ways)].map((place) => `(allow file-read-metadata (literal ${JSON.stringify(place)}))`);
}

function listAbove(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [...listAbove(above), above];
}
