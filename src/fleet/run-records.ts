import { type Input, isInputType, type JournalEntry } from '../core/run/inputs.ts';
import { isJsonObject, type Json } from '../core/values/json.ts';
import type { Blobs } from '../ports/fleet.ts';
import { isSubjectPart } from './fleet-names.ts';
import { fromBody, parseContent, type SentContent, toBody } from './messages.ts';
import { MAX_REPORT_BYTES, toTooLarge } from './too-large.ts';

/** A bundle in the fleet, and the commit that it brings. */
export interface SentBundle {
  readonly blob: string;
  readonly commit: string;
}

/** A file in the fleet. */
export type SentFile = { readonly name: string } & SentContent;

/** A working tree in the fleet: a whole one, and what became of it step by step. */
export interface SentTree {
  /** All that was committed when the process that sends it sent the first one. */
  readonly base: SentBundle;
  /** A whole tree, and what was committed since. */
  readonly work: SentBundle & {
    readonly head: string;
    readonly branch: string | null;
    /** Its object id. */
    readonly tree: string;
  };
  readonly steps: readonly SentStep[];
  readonly scratchpad: string | null;
}

/** What changed from one tree to the next. */
export interface SentStep {
  /** Object id of the tree to which it leads, where it was sent. */
  readonly to: string;
  /** A list of changes: see `sendChanges`. */
  readonly body: Json;
}

/** What became of a file; without a `mode` it is gone. */
export type SentChange =
  | { readonly path: string; readonly mode: null }
  | ({ readonly path: string; readonly mode: string; readonly isNew: boolean } & SentContent);

/** As much as a snapshot of a working tree holds: whoever sends more is not to fill the memory. */
export const MAX_CHANGES = 20_000;
export const MAX_CHANGED_BYTES = 256 << 20;
export const CHANGES_LIMIT = '20,000 files and 256 MB';
/** Of a list in memory: small files stand in it in base64, and a path has 4096 characters. */
const MAX_LIST_CHARS = (MAX_CHANGED_BYTES / 3) * 4 + MAX_CHANGES * 4096;

/** Of a part of a list that is sent: each is parsed by itself. In UTF-8 it is at most three times as long, and that is less than what may be parsed at once. */
const PART_CHARS = 2 << 20;
/** The longest list has some 215. */
const MAX_PARTS = 512;

/** Sends a list of changes. One that is long goes in parts: files by themselves would each be asked for, and one text would have to be parsed at once. */
export async function sendChanges(blobs: Blobs, changes: readonly SentChange[]): Promise<Json> {
  const parts: Json[] = [];
  let part: SentChange[] = [];
  let chars = 0;
  const close = async (): Promise<void> => {
    parts.push(await toBody(blobs, part as unknown as Json));
    [part, chars] = [[], 0];
  };
  for (const change of changes) {
    const more = JSON.stringify(change).length + 1;
    if (chars > 0 && chars + more > PART_CHARS) await close();
    part.push(change);
    chars += more;
  }
  if (parts.length === 0) return toBody(blobs, part as unknown as Json);
  await close();
  return { parts };
}

/** Reads a list of changes as it was sent. Rejects where it is none: a part of them would be another tree. */
export async function readChanges(blobs: Blobs, body: Json): Promise<readonly SentChange[]> {
  const parts = isJsonObject(body) && Array.isArray(body['parts']) ? body['parts'] : [body];
  if (parts.length > MAX_PARTS) throw toTooLarge('What was changed', CHANGES_LIMIT);
  const changes: SentChange[] = [];
  let chars = 0;
  for (const part of parts) {
    const list = await fromBody(blobs, part, { maxBytes: MAX_REPORT_BYTES });
    if (!Array.isArray(list)) throw new Error('what was changed cannot be had from the fleet');
    if (changes.length + list.length > MAX_CHANGES) throw toTooLarge('What was changed', CHANGES_LIMIT);
    for (const value of list) {
      const change = parseChange(value);
      chars += change.path.length + ('bytes' in change ? change.bytes.length : 0);
      if (chars > MAX_LIST_CHARS) throw toTooLarge('What was changed', CHANGES_LIMIT);
      changes.push(change);
    }
  }
  return changes;
}

function parseChange(value: Json): SentChange {
  const { path, mode = null, isNew = false } = isJsonObject(value) ? value : {};
  const content = isJsonObject(value) ? parseContent(value) : null;
  if (typeof path !== 'string') throw new Error('what was changed cannot be read');
  if (mode === null) return { path, mode };
  if (typeof mode !== 'string' || content === null) throw new Error('what was changed cannot be read');
  return { path, mode, isNew: isNew === true, ...content };
}

/** What is kept of a run for whoever goes on with it. */
export type KeptRecord =
  | { readonly kind: 'entry'; readonly entry: JournalEntry }
  /** What it works with: the file of its settings, and what its gates compare with. */
  | { readonly kind: 'settings'; readonly settings: string; readonly references: readonly SentFile[] }
  /** The tree as it is from here on. */
  | { readonly kind: 'tree'; readonly tree: SentTree }
  /** The same, as a change of the last one. */
  | { readonly kind: 'step'; readonly step: SentStep; readonly scratchpad: string | null }
  /** Around a turn the tree was as one that is kept: the name of that moment, `7.1/before`, and the tree's object id. */
  | { readonly kind: 'snapshot'; readonly name: string; readonly tree: string }
  /** Prompt and outputs of a turn. */
  | { readonly kind: 'turn'; readonly name: string; readonly files: readonly SentFile[] }
  /** What a gate showed: its record under that number, and its output. */
  | { readonly kind: 'evidence'; readonly number: number; readonly files: readonly SentFile[] };

/** What is written at once: by whom, and what. */
export interface KeptPiece {
  readonly place: string;
  readonly records: readonly KeptRecord[];
}

/** Reads what was written; `null` for what cannot be that. What is not known in it is left out. */
export function parsePiece(value: Json): KeptPiece | null {
  if (!isJsonObject(value)) return null;
  const { v, place, records } = value;
  if (v !== 2 || typeof place !== 'string' || !isSubjectPart(place) || !Array.isArray(records)) return null;
  return { place, records: records.flatMap((record) => parseRecord(record) ?? []) };
}

const MOMENT = /^\d{1,9}\.\d{1,9}\/(?:opened|before|after)$/;
const OBJECT_ID = /^[0-9a-f]{40,64}$/;

function parseRecord(value: Json): KeptRecord | null {
  if (!isJsonObject(value)) return null;
  const { kind, entry, settings, references, tree, step, scratchpad, name, files, number } = value;
  if (kind === 'entry') {
    const read = parseEntry(entry);
    return read === null ? null : { kind, entry: read };
  }
  if (kind === 'settings') return typeof settings === 'string' ? { kind, settings, references: parseFiles(references) } : null;
  if (kind === 'tree') {
    const read = parseTree(tree);
    return read === null ? null : { kind, tree: read };
  }
  if (kind === 'step') {
    const read = parseStep(step);
    return read === null ? null : { kind, step: read, scratchpad: typeof scratchpad === 'string' ? scratchpad : null };
  }
  // They become the name of a ref, and what it is for.
  if (kind === 'snapshot') {
    const isNamed = typeof name === 'string' && MOMENT.test(name) && typeof tree === 'string' && OBJECT_ID.test(tree);
    return isNamed ? { kind, name, tree } : null;
  }
  // It becomes the name of files.
  if (kind === 'evidence') return isEvidenceNumber(number) ? { kind, number, files: parseFiles(files) } : null;
  // It becomes the name of a folder.
  return kind === 'turn' && typeof name === 'string' && /^\d{1,9}\.\d{1,9}$/.test(name) ? { kind, name, files: parseFiles(files) } : null;
}

function isEvidenceNumber(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function parseEntry(value: Json | undefined): JournalEntry | null {
  if (!isJsonObject(value)) return null;
  const { seq, input } = value;
  if (typeof seq !== 'number' || !isJsonObject(input) || typeof input['type'] !== 'string' || !isInputType(input['type'])) return null;
  return { seq, input: input as unknown as Input };
}

function parseBundle(value: Json | undefined): SentBundle | null {
  if (!isJsonObject(value)) return null;
  const { blob, commit } = value;
  return typeof blob === 'string' && typeof commit === 'string' ? { blob, commit } : null;
}

/** Reads where a working tree is; `null` for what does not say it. */
export function parseTree(value: Json | undefined): SentTree | null {
  if (!isJsonObject(value) || !isJsonObject(value['work'])) return null;
  const base = parseBundle(value['base']);
  const work = parseBundle(value['work']);
  const { head, branch = null, tree } = value['work'];
  const { scratchpad = null, steps } = value;
  const read = Array.isArray(steps) ? steps.map(parseStep) : [null];
  const isWork = typeof head === 'string' && typeof tree === 'string' && (branch === null || typeof branch === 'string');
  if (base === null || work === null || !isWork || !read.every((step) => step !== null)) return null;
  return { base, work: { ...work, head, branch, tree }, steps: read, scratchpad: typeof scratchpad === 'string' ? scratchpad : null };
}

function parseStep(value: Json | undefined): SentStep | null {
  if (!isJsonObject(value)) return null;
  const { to, body } = value;
  return typeof to === 'string' && body !== undefined ? { to, body } : null;
}

/** A file of a turn's folder: no path, and no name that is hidden. */
const FILE_NAME = /^[a-z0-9][a-z0-9.-]{0,60}$/;

/** No turn has more files than this that go along with it. */
export const MAX_FILES = 50;

/** Whether a file may go along under its name. */
export function isFileName(name: string): boolean {
  return FILE_NAME.test(name);
}

/** Reads a list of files; what is none is left out. */
export function parseFiles(value: Json | undefined): readonly SentFile[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_FILES).flatMap((file) => {
    if (!isJsonObject(file)) return [];
    const { name } = file;
    const content = parseContent(file);
    return typeof name === 'string' && content !== null && isFileName(name) ? [{ name, ...content }] : [];
  });
}
