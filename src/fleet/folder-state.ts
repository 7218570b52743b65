import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toErrorCode } from '../core/values/errors.ts';
import { isJsonObject, type Json, parseJson } from '../core/values/json.ts';
import {
  createBell,
  dropDraft,
  type FolderPlaces,
  findFileText,
  findLast,
  linkDraft,
  listFolderNames,
  toFolderGone,
  writeDraft,
} from './folder-files.ts';

/** A value as it stands. `revision` differs from all earlier ones of all values. */
export interface KeptValue {
  readonly value: Json;
  readonly revision: number;
}

/** Values that several processes change, each by compare-and-swap. */
export interface FolderState {
  /** As it stands now, whoever changed it. */
  readonly get: (key: string) => KeptValue | null;
  readonly list: (prefix: string) => readonly (readonly [string, KeptValue])[];
  /** Writes it if it still stands as it was seen; 0: there is none; `null` as a value: there is none from here on. The new revision, `null` where it had changed. */
  readonly change: (key: string, value: Json, revision: number) => Promise<number | null>;
  /** Hears that something has changed; the function that is returned ends it. */
  readonly onChange: (hear: () => void) => () => void;
  readonly close: () => void;
}

/**
 * Changes are files with numbers as names, in segments of so many: `state/7/1`, `state/7/2`, … The next number is made by whoever links it first, who has read all before it by then, so what is compared
 * cannot have changed. `state/7/0` is all that stood when segment 7 began.
 *
 * A power cut may take the newest changes, or leave numbers without what stood in them, which change nothing: nobody who knew of them lives, and who goes on with a run makes them anew.
 */
const SEGMENT = 2000;
/** In a segment that is not read any more. It stays for ever, and was there before the first number was removed: who was frozen and makes such a number anew sees it, and so does who reads that. */
const GONE = 'gone';

interface StateView {
  segment: number;
  position: number;
  readonly entries: Map<string, KeptValue>;
}

/** @param perSegment fewer of them for tests @param requireOwn throws where another fleet is in the place of this one: nothing is read or written there */
export function openFolderState(
  { state: folder, drafts }: FolderPlaces,
  perSegment = SEGMENT,
  requireOwn: () => void = () => undefined,
): FolderState {
  const hearing = new Set<() => void>();
  if (findLast(folder) === 0) makeSegment(folder, drafts, 1, []);
  let unwatch = (): void => undefined;
  const watchAnew = (segment: number): void => {
    unwatch();
    unwatch = createBell(join(folder, String(segment)), look);
  };
  const reader = createReader({ folder, perSegment, requireOwn }, watchAnew);
  const tell = (): void => {
    for (const hear of [...hearing]) hear();
  };
  const look = (): void => {
    if (reader.catchUp()) tell();
  };
  watchAnew(reader.view().segment);
  return {
    get: (key) => {
      look();
      return reader.view().entries.get(key) ?? null;
    },
    list: (prefix) => {
      look();
      return [...reader.view().entries].filter(([key]) => key.startsWith(prefix));
    },
    change: async (key, value, revision) => {
      const text = JSON.stringify({ key, value });
      const draft = await writeDraft(drafts, text, true);
      try {
        const made = writeNext({ folder, drafts, perSegment, reader }, draft, { text, key, revision });
        // What was read on the way is news, too.
        tell();
        return made;
      } finally {
        await dropDraft(draft);
      }
    },
    onChange: (hear) => {
      hearing.add(hear);
      return () => void hearing.delete(hear);
    },
    close: () => unwatch(),
  };
}

interface StateWriting {
  readonly text: string;
  readonly key: string;
  /** As it was seen. */
  readonly revision: number;
}

/** Makes the next number of a draft. The new revision, `null` where the value had changed. */
function writeNext(
  {
    folder,
    drafts,
    perSegment,
    reader,
  }: Pick<FolderPlaces, 'drafts'> & {
    readonly folder: string;
    readonly perSegment: number;
    readonly reader: ReturnType<typeof createReader>;
  },
  draft: string,
  { text, key, revision }: StateWriting,
): number | null {
  for (;;) {
    reader.catchUp();
    const view = reader.view();
    if ((view.entries.get(key)?.revision ?? 0) !== revision) return null;
    if (view.position === perSegment) {
      makeSegment(folder, drafts, view.segment + 1, [...view.entries]);
      retire(folder, view.segment - 1);
      continue;
    }
    const made = linkDraft(draft, join(folder, String(view.segment), String(view.position + 1)));
    if (made !== 'made' || isGone(folder, view.segment)) continue;
    apply(view, text, perSegment);
    return toRevision(view, perSegment);
  }
}

interface StateReading {
  readonly folder: string;
  readonly perSegment: number;
  readonly requireOwn: () => void;
}

/** Reads changes in their order. */
function createReader({ folder, perSegment, requireOwn }: StateReading, onSegment: (segment: number) => void) {
  let view = load(folder);
  /** Reads what is new; whether something is. */
  const catchUp = (): boolean => {
    requireOwn();
    for (let isChanged = false; ; ) {
      const records = readBehind(folder, view, perSegment);
      if (isGone(folder, view.segment)) {
        view = load(folder);
        isChanged = true;
        onSegment(view.segment);
        continue;
      }
      if (records.length === 0) requireSegment(folder, view.segment);
      for (const record of records) apply(view, record, perSegment);
      isChanged ||= records.length > 0;
      if (view.position < perSegment) return isChanged;
      if (existsSync(join(folder, String(view.segment + 1), '0'))) [view.segment, view.position] = [view.segment + 1, 0];
      // Emptied already, though this one was left whole.
      else if (isGone(folder, view.segment + 1)) [view, isChanged] = [load(folder), true];
      else return isChanged;
      onSegment(view.segment);
    }
  };
  return { view: (): StateView => view, catchUp };
}

function toRevision({ segment, position }: StateView, perSegment: number): number {
  return (segment - 1) * perSegment + position;
}

function isGone(folder: string, segment: number): boolean {
  return existsSync(join(folder, String(segment), GONE));
}

/** Where nothing is new, the folder may have been removed: who waits for something in it is to hear of that. */
function requireSegment(folder: string, segment: number): void {
  const place = join(folder, String(segment));
  if (!existsSync(join(place, '0')) && !isGone(folder, segment)) throw toFolderGone(place);
}

/** What is there behind what was read. */
function readBehind(folder: string, { segment, position }: StateView, perSegment: number): readonly string[] {
  const texts: string[] = [];
  for (let number = position + 1; number <= perSegment; number += 1) {
    const text = findFileText(join(folder, String(segment), String(number)));
    if (text === null) break;
    texts.push(text);
  }
  return texts;
}

function apply(view: StateView, text: string, perSegment: number): void {
  view.position += 1;
  const record = parseJson(text);
  if (!isJsonObject(record)) return;
  const { key, value = null } = record;
  if (typeof key !== 'string') return;
  if (value === null) view.entries.delete(key);
  else view.entries.set(key, { value, revision: toRevision(view, perSegment) });
}

/** All as it stood when the newest segment began. */
function load(folder: string): StateView {
  for (;;) {
    const segment = findLast(folder);
    const begun = parseJson(findFileText(join(folder, String(segment), '0')) ?? '');
    // A newer one has been made meanwhile.
    if (isGone(folder, segment)) continue;
    if (!Array.isArray(begun)) throw new Error(`what the fleet keeps in ${join(folder, String(segment))} cannot be read`);
    return { segment, position: 0, entries: new Map(begun.flatMap(parseEntry)) };
  }
}

function parseEntry(entry: Json): readonly (readonly [string, KeptValue])[] {
  if (!Array.isArray(entry)) return [];
  const [key, value, revision] = entry as readonly Json[];
  return typeof key === 'string' && value !== undefined && typeof revision === 'number' ? [[key, { value, revision }]] : [];
}

/** Makes a segment, unless somebody else has: what stands at its beginning is the same whoever makes it. */
function makeSegment(folder: string, drafts: string, segment: number, entries: readonly (readonly [string, KeptValue])[]): void {
  const draft = join(drafts, randomUUID());
  mkdirSync(draft, { mode: 0o700 });
  const text = JSON.stringify(entries.map(([key, { value, revision }]) => [key, value, revision]));
  try {
    writeFileSync(join(draft, '0'), text, { mode: 0o600, flush: true });
    syncNow(draft);
    renameSync(draft, join(folder, String(segment)));
    syncNow(folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!['ENOTEMPTY', 'EEXIST'].includes(toErrorCode(error))) throw error;
  }
}

/** How many segments back it is looked for one that a process was killed over. */
const LOOK_BACK = 20;

/** Empties the segments up to one, the oldest first: who was frozen at the end of one that is left whole looks for the next. */
function retire(folder: string, newest: number): void {
  for (let segment = Math.max(1, newest - LOOK_BACK + 1); segment <= newest; segment += 1) {
    const place = join(folder, String(segment));
    const names = listFolderNames(place).filter((name) => name !== GONE);
    if (names.length === 0) continue;
    writeFileSync(join(place, GONE), '', { mode: 0o600, flush: true });
    syncNow(place);
    for (const name of names) rmSync(join(place, name), { force: true });
  }
}

function syncNow(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
