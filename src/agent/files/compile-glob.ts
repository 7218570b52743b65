import picomatch from 'picomatch';
import { type PathRefusal, quotePath } from './check-path-text.ts';

/** Tells whether a relative path with `/` is meant. */
export type PathMatcher = (path: string) => boolean;

const maxPatternLength = 500;
/** With more stars in one name a matcher can need minutes for a long name. */
const maxStarsInName = 3;
const maxDeepStars = 4;

/** True for a pattern that no name and no path can make slow. */
export function isTameGlob(pattern: string): boolean {
  if (pattern.length > maxPatternLength) return false;
  const names = pattern.split('/');
  const stars = names.map((name) => (name === '**' ? 0 : name.replace(/\*+/g, '*').split('*').length - 1));
  return Math.max(...stars) <= maxStarsInName && names.filter((name) => name === '**').length <= maxDeepStars;
}

/**
 * A pattern becomes a matcher: `*`, `**`, `?`, `[a-z]`, `{a,b}`; everything else is taken literally, parentheses too. Dot files match.
 *
 * @returns why not, for patterns that leave the folder or could take too long.
 */
export function compileGlob(pattern: string): PathMatcher | PathRefusal {
  const shown = quotePath(pattern);
  if (pattern.trim() === '') return { refused: 'The pattern is empty.', advice: 'Give a pattern such as "**/*.ts".' };
  if (pattern.includes('\0')) return { refused: 'The pattern holds a NUL character.', advice: 'Give it again without it.' };
  if (pattern.startsWith('/') || /^[A-Za-z]:[\\/]/.test(pattern)) {
    return { refused: `The pattern ${shown} is absolute.`, advice: 'Give a relative pattern, and the folder as "path".' };
  }
  if (pattern.split('/').includes('..')) {
    return { refused: `The pattern ${shown} leads upwards.`, advice: 'Give the folder to search as "path", and a pattern without "..".' };
  }
  if (!isTameGlob(pattern)) {
    return {
      refused: `The pattern ${shown} is too long or has too many "*".`,
      advice: `At most ${maxStarsInName} in one name and ${maxDeepStars} times "**"; leave some out.`,
    };
  }
  try {
    const literal = pattern.replace(/^\.\//, '').replace(/[()|+!@$^]/g, '\\$&');
    return picomatch(literal, { dot: true, noextglob: true, nonegate: true });
  } catch {
    return { refused: `The pattern ${shown} cannot be understood.`, advice: 'Use *, **, ?, [a-z] and {a,b}.' };
  }
}
