import { diffArrays } from 'diff';
import { compareLines } from '../core/index.ts';

/** How many lines a change adds and takes away. */
export interface LineChanges {
  readonly added: number;
  readonly removed: number;
}

/** Where more lines differ, all from the first to the last of them count as replaced: to find the rest would take longer than anybody waits for it. */
const maxEditLength = 1000;

/** Counts the lines that differ between two texts. */
export function countLineChanges(before: string, after: string): LineChanges {
  const changes = compareLines(toLines(before), toLines(after), (left, right) => diffArrays(left, right, { maxEditLength }));
  const count = (kind: 'added' | 'removed'): number => changes.reduce((sum, change) => sum + (change[kind] ? change.value.length : 0), 0);
  return { added: count('added'), removed: count('removed') };
}

/** As a diff says it: `+3 -1`. */
export function describeChanges({ added, removed }: LineChanges): string {
  return `+${added} -${removed}`;
}

function toLines(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
