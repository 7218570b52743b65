import { diffLines } from './diff-lines.ts';
import type { PinnedFile, Pins } from './pin-files.ts';

const MAX_DIFF_LINES = 30;
const MAX_FILES_SHOWN = 8;

/** What differs between the files as they were pinned and as they are, in words for who changed them; empty for nothing. */
export function describeChanges(pinned: Pins, now: Pins): string {
  const paths = [...new Set([...Object.keys(pinned), ...Object.keys(now)])].sort();
  const changed = paths.filter((path) => readPin(pinned, path)?.hash !== readPin(now, path)?.hash);
  if (changed.length === 0) return '';
  // What files are called outside of the workspace is not for agents to read either.
  const leading = new Map(changed.map((path) => [path, readPin(pinned, path) === undefined ? readPin(now, path)?.behind : undefined]));
  const named = changed.filter((path) => leading.get(path) === undefined);
  const links = [...new Set(leading.values())].filter((link) => link !== undefined);
  const parts = named.slice(0, MAX_FILES_SHOWN).map((path) => describeFile(path, readPin(pinned, path), readPin(now, path)));
  const more = named.length - MAX_FILES_SHOWN;
  return [
    'These files are protected: they must be as they were when the run began. Put them back (take out what was added).',
    ...parts,
    ...links.map((link) => `added: files behind ${link}`),
    ...(more > 0 ? [`and ${more} more: ${named.slice(MAX_FILES_SHOWN, MAX_FILES_SHOWN + 20).join(', ')}`] : []),
  ].join('\n');
}

function readPin(pins: Pins, path: string): PinnedFile | undefined {
  return Object.hasOwn(pins, path) ? pins[path] : undefined;
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
