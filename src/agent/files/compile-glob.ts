import picomatch from 'picomatch';
import { accept, type Refusal, type Result, refuse } from '../../core/values/result.ts';
import { quotePath } from './check-path-text.ts';

/** Tells whether a relative path with `/` is meant. */
export type GlobMatcher = (path: string) => boolean;

const MAX_PATTERN_CHARACTERS = 500;
/** With more stars in one name a matcher can need minutes for a long name. */
const MAX_STARS_IN_NAME = 3;
const MAX_DEEP_STARS = 4;

/** True for a pattern that no name and no path can make slow. */
export function isTameGlob(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_CHARACTERS) return false;
  const names = pattern.split('/');
  const stars = names.map((name) => (name === '**' ? 0 : name.replace(/\*+/g, '*').split('*').length - 1));
  return Math.max(...stars) <= MAX_STARS_IN_NAME && names.filter((name) => name === '**').length <= MAX_DEEP_STARS;
}

/**
 * Makes a matcher of a pattern: `*`, `**`, `?`, `[a-z]`, `{a,b}`; everything else is taken literally, parentheses too. Dot files match.
 * Refused are patterns that leave the folder or could take too long.
 */
export function compileGlob(pattern: string): Result<GlobMatcher> {
  const refusal = findPatternRefusal(pattern);
  if (refusal !== null) return refuse(refusal);
  try {
    const literal = pattern.replace(/^\.\//, '').replace(/[()|+!@$^]/g, '\\$&');
    return accept(picomatch(literal, { dot: true, noextglob: true, nonegate: true }));
  } catch {
    return refuse({ reason: `The pattern ${quotePath(pattern)} cannot be understood.`, advice: 'Use *, **, ?, [a-z] and {a,b}.' });
  }
}

function findPatternRefusal(pattern: string): Refusal | null {
  const shown = quotePath(pattern);
  if (pattern.trim() === '') return { reason: 'The pattern is empty.', advice: 'Give a pattern such as "**/*.ts".' };
  if (pattern.includes('\0')) return { reason: 'The pattern holds a NUL character.', advice: 'Give it again without it.' };
  if (pattern.startsWith('/') || /^[A-Za-z]:[\\/]/.test(pattern)) {
    return { reason: `The pattern ${shown} is absolute.`, advice: 'Give a relative pattern, and the folder as "path".' };
  }
  if (pattern.split('/').includes('..')) {
    return { reason: `The pattern ${shown} leads upwards.`, advice: 'Give the folder to search as "path", and a pattern without "..".' };
  }
  if (isTameGlob(pattern)) return null;
  return {
    reason: `The pattern ${shown} is too long or has too many "*".`,
    advice: `At most ${MAX_STARS_IN_NAME} in one name and ${MAX_DEEP_STARS} times "**"; leave some out.`,
  };
}
