import type { Line } from '../cells/screen.ts';
import { KEYS } from '../keys.ts';
import { span } from './words.ts';

/** The page of `?`: every key. */
export function toKeysPage(): readonly Line[] {
  const width = Math.max(...KEYS.map(({ shown }) => shown.length)) + 2;
  return KEYS.map(({ shown, meaning, steers }) => [
    span(`  ${shown.padEnd(width)}`, 'name'),
    span(meaning),
    span(steers === true ? ' (not in the past, not with --read-only)' : '', 'faint'),
  ]);
}
