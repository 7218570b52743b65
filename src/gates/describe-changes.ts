import { diffArrays } from 'diff';
import { compareLines } from '../core/text/compare-lines.ts';
import { readOwn } from '../core/values/json.ts';
import type { PinnedFile, Pins } from './pin-files.ts';

/** Where more lines differ, all from the first to the last of them are shown as replaced: to find the rest would take longer than anybody waits for it. */
const MAX_EDIT_LENGTH = 1000;
const CONTEXT = 2;
const MAX_DIFF_LINES = 30;
const MAX_FILES_SHOWN = 8;

/** What differs between the files as they were pinned and as they are, in words for the agent that changed them; empty for nothing. */
export function describeChanges(pinned: Pins, now: Pins): string {
  const paths = [...new Set([...Object.keys(pinned), ...Object.keys(now)])].sort();
  const changed = paths.filter((path) => readOwn(pinned, path)?.hash !== readOwn(now, path)?.hash);
  if (changed.length === 0) return '';
  // What files are called outside of the workspace is not for agents to read either.
  const leading = new Map(changed.map((path) => [path, readOwn(pinned, path) === undefined ? readOwn(now, path)?.behind : undefined]));
  const named = changed.filter((path) => leading.get(path) === undefined);
  const links = [...new Set(leading.values())].filter((link) => link !== undefined);
  const parts = named.slice(0, MAX_FILES_SHOWN).map((path) => describeFile(path, readOwn(pinned, path), readOwn(now, path)));
  const more = named.length - MAX_FILES_SHOWN;
  return [
    'These files are protected: they must be as they were when the run began. Put them back (take out what was added).',
    ...parts,
    ...links.map((link) => `added: files behind ${link}`),
    ...(more > 0 ? [`and ${more} more: ${named.slice(MAX_FILES_SHOWN, MAX_FILES_SHOWN + 20).join(', ')}`] : []),
  ].join('\n');
}

function describeFile(path: string, before: PinnedFile | undefined, now: PinnedFile | undefined): string {
  if (before === undefined) return `added: ${path}`;
  if (now === undefined) return `removed: ${path}${before.text === null ? '' : `; it held:\n${cut(before.text)}`}`;
  const turned = before.kind === now.kind ? '' : ` (it was ${before.kind ?? 'something else'}, now ${now.kind ?? 'something else'})`;
  if (before.text !== now.text && before.text !== null && now.text !== null)
    return `changed: ${path}${turned}\n${diffLines(before.text, now.text, MAX_DIFF_LINES)}`;
  if (turned !== '') return `changed: ${path}${turned}`;
  const isSameText = before.text !== null && before.text === now.text;
  return `changed: ${path} (${isSameText ? 'not its content, but whether it may be executed' : 'no text, too long to show, or outside of the workspace'})`;
}

function cut(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const more = lines.length - MAX_DIFF_LINES;
  return [...lines.slice(0, MAX_DIFF_LINES).map((line) => `-${line}`), ...(more > 0 ? [`… ${more} more lines`] : [])].join('\n');
}

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
