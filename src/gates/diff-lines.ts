import { diffArrays } from 'diff';
import { compareLines } from '../core/index.ts';

/** Where more lines differ, all from the first to the last of them are shown as replaced: to find the rest would take longer than anybody waits for it. */
const MAX_EDIT_LENGTH = 1000;
const CONTEXT = 2;

/**
 * What differs between two texts, line by line, as people read it: ` ` in both, `-` only before, `+` only after, `…` for what is left out.
 *
 * @param maxLines of the result; of the rest those that differ are counted
 */
export function diffLines(before: string, after: string, maxLines: number): string {
  const lines = toMarked(splitLines(before), splitLines(after));
  const text: string[] = [];
  let last = -1;
  lines.forEach((line, index) => {
    if (!isNearChange(lines, index)) return;
    if (index > last + 1) text.push('…');
    text.push(line);
    last = index;
  });
  const more = text.slice(maxLines).filter((line) => /^[-+]/.test(line)).length;
  return [...text.slice(0, maxLines), ...(more > 0 ? [`… ${more} more lines differ`] : [])].join('\n');
}

function splitLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function isNearChange(lines: readonly string[], index: number): boolean {
  for (let near = Math.max(0, index - CONTEXT); near <= Math.min(lines.length - 1, index + CONTEXT); near += 1) {
    if (!lines[near]?.startsWith(' ')) return true;
  }
  return false;
}

function toMarked(before: readonly string[], after: readonly string[]): readonly string[] {
  const changes = compareLines(before, after, (left, right) => diffArrays(left, right, { maxEditLength: MAX_EDIT_LENGTH }));
  return changes.flatMap(({ added, removed, value }) => value.map((line) => `${added ? '+' : removed ? '-' : ' '}${line}`));
}
