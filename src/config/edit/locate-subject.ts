import { resolve } from 'node:path';
import type { FlowFinding, HatList, ItemSubject, Subject } from '../../core/schema/finding.ts';
import {
  type Diagnostic,
  findPlace,
  type LocatedMap,
  type LocatedValue,
  type Path,
  type Place,
  readAt,
  toDiagnostic,
  toShownPlace,
  toSpan,
  withoutWords,
} from '../findings/located.ts';
import { TRIGGER_KEYS } from '../keys/settings-table.ts';
import { liesOutside } from '../layers/read-text-file.ts';

/** Puts a finding about the flow of events at its place in the files. */
export function placeFlowFinding(root: LocatedMap, { at, related, repairs, ...finding }: FlowFinding): Diagnostic {
  const others = (related ?? []).map((other) => ({ ...toSpan(locateSubject(root, other.at)), message: other.message }));
  const place = locateSubject(root, at);
  if (place.file.isForeign === true || isOfForeignInstructions(root, at, place)) return toDiagnostic(place, withoutWords(finding));
  const possible = (repairs ?? []).filter(({ change }) => change.kind !== 'replace' || isWrittenAt(place, at));
  return {
    ...toDiagnostic(place, finding),
    ...(possible.length === 0 ? {} : { repairs: possible }),
    ...(others.length === 0 ? {} : { related: others }),
  };
}

/** True for words of an `instructions_file` that lies outside of the folder of the file that names it. */
function isOfForeignInstructions(root: LocatedMap, at: Subject, place: Place): boolean {
  if (at.kind !== 'hat-words' || isWrittenAt(place, at)) return false;
  const file = readAt(root, ['hats', at.hat, 'instructions_file']);
  if (file?.kind !== 'scalar' || typeof file.value !== 'string') return false;
  const { folder } = file.place.file;
  return liesOutside(resolve(folder, file.value), [folder]);
}

/** Where the words of an item stand; `null` where the text has them in another form. */
export function locateItemWords(root: LocatedMap, at: ItemSubject): Place | null {
  const place = locateSubject(root, at);
  return isWrittenAt(place, at) ? place : null;
}

/** True if the words that a finding is about stand at its place; false where the place is only near them. */
function isWrittenAt({ file, start, end }: Place, at: Subject): boolean {
  const words = toWords(at);
  const written = file.text.slice(start, end);
  return words !== undefined && (written === words || written === `"${words}"` || written === `'${words}'`);
}

/** The words of a subject that is nothing but words. */
function toWords(at: Subject): string | undefined {
  if (at.kind === 'hat-words') return at.words;
  if (at.kind === 'gate' || at.kind === 'event') return at.topic;
  return at.kind === 'hat-item' || at.kind === 'loop' ? at.item : undefined;
}

/** Where a part of a configuration stands; where it is not written, the nearest part of it that is. */
function locateSubject(root: LocatedMap, subject: Subject): Place {
  switch (subject.kind) {
    case 'hats':
      return findPlace(root, ['hats'], 'key');
    case 'hat':
      return findPlace(root, ['hats', subject.hat], 'key');
    case 'hat-list':
      return findPlace(root, toListPath(root, subject.hat, subject.list), 'key');
    case 'hat-item':
      return locateItem(root, toListPath(root, subject.hat, subject.list), subject.item);
    case 'hat-words':
      return locateWords(root, ['hats', subject.hat, 'instructions'], subject.words);
    case 'loop':
      return subject.item === undefined
        ? findPlace(root, ['event_loop', subject.key])
        : locateItem(root, ['event_loop', subject.key], subject.item);
    case 'gate':
      return subject.topic === undefined
        ? findPlace(root, ['gates', subject.index], 'key')
        : locateItem(root, ['gates', subject.index, 'on'], subject.topic);
    case 'event':
      return findPlace(root, ['events', subject.topic], 'key');
  }
}

/** The list of a hat under the name that the user gave it; a list that is not written leads to the hat itself. */
export function toListPath(root: LocatedMap, hat: string, list: HatList): Path {
  const entries = readAt(root, ['hats', hat]);
  const names: readonly string[] = list === 'triggers' ? TRIGGER_KEYS : [list];
  const written = entries?.kind === 'map' ? names.find((name) => entries.entries.has(name)) : undefined;
  return written === undefined ? ['hats', hat] : ['hats', hat, written];
}

function locateItem(root: LocatedMap, list: Path, item: string): Place {
  const value = readAt(root, list);
  return (value === undefined ? undefined : itemsOf(value).get(item)) ?? findPlace(root, list, 'key');
}

/** Places of items by list: a list may have thousands of findings. */
const ITEMS = new WeakMap<LocatedValue, ReadonlyMap<string, Place>>();

/** The topics of a list, or the one that stands in its place, with the first place of each. */
function itemsOf(value: LocatedValue): ReadonlyMap<string, Place> {
  const known = ITEMS.get(value);
  if (known !== undefined) return known;
  const places = new Map<string, Place>();
  for (const candidate of value.kind === 'list' ? value.items : [value]) {
    const topic = candidate.kind === 'map' ? candidate.entries.get('topic')?.value : candidate;
    if (topic?.kind === 'scalar' && !places.has(topic.written)) places.set(topic.written, topic.place);
  }
  ITEMS.set(value, places);
  return places;
}

/** Where words stand whole (`build.done` is not in `build.done.twice`); else where they stand at all, or -1. */
function findWords(text: string, words: string): number {
  if (words === '') return 0;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const isBegun = at > 0 && /[\w.-]/.test(text[at - 1] ?? '');
    const isContinued = /^(?:[\w-]|\.[\w-])/.test(text.slice(at + words.length, at + words.length + 2));
    if (!isBegun && !isContinued) return at;
  }
  return text.indexOf(words);
}

/** Where words stand in a text; the text's key where it has them in another form. */
function locateWords(root: LocatedMap, path: Path, words: string): Place {
  const value = readAt(root, path);
  if (value?.kind !== 'scalar') return findPlace(root, path, 'key');
  const { file, start, end } = value.place;
  const at = findWords(file.text.slice(start, end), words);
  return at < 0 ? toShownPlace({ key: findPlace(root, path, 'key'), value }) : { file, start: start + at, end: start + at + words.length };
}
