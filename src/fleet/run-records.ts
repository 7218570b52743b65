import { type Input, isInputType } from '../core/run/inputs.ts';
import { isJsonObject, type Json } from '../core/values/json.ts';
import type { JournalEntry } from '../ports/journal.ts';
import { isSubjectPart } from './fleet-names.ts';

/** A bundle in the fleet, and the commit that it brings. */
export interface SentBundle {
  readonly blob: string;
  readonly commit: string;
}

/** A file in the fleet. */
export interface SentFile {
  readonly name: string;
  readonly blob: string;
}

/** A working tree in the fleet. */
export interface SentTree {
  /** All that was committed when the process that sends it sent the first one. */
  readonly base: SentBundle;
  /** The tree itself, and what was committed since. */
  readonly work: SentBundle & { readonly head: string; readonly branch: string | null };
  readonly scratchpad: string | null;
}

/** What is kept of a run for whoever goes on with it. */
export type KeptRecord =
  | { readonly kind: 'entry'; readonly entry: JournalEntry }
  /** What it works with: the file of its settings, and what its gates compare with. */
  | { readonly kind: 'settings'; readonly settings: string; readonly references: readonly SentFile[] }
  /** The tree as it is from here on. */
  | { readonly kind: 'tree'; readonly tree: SentTree }
  /** Prompt and outputs of a turn. */
  | { readonly kind: 'turn'; readonly name: string; readonly files: readonly SentFile[] };

/** What is written at once: by whom, and what. */
export interface KeptPiece {
  readonly place: string;
  readonly records: readonly KeptRecord[];
}

/** Reads what was written; `null` for what cannot be that. What is not known in it is left out. */
export function parsePiece(value: Json): KeptPiece | null {
  if (!isJsonObject(value)) return null;
  const { v, place, records } = value;
  if (v !== 1 || typeof place !== 'string' || !isSubjectPart(place) || !Array.isArray(records)) return null;
  return { place, records: records.flatMap((record) => parseRecord(record) ?? []) };
}

function parseRecord(value: Json): KeptRecord | null {
  if (!isJsonObject(value)) return null;
  const { kind, entry, settings, references, tree, name, files } = value;
  if (kind === 'entry') {
    const read = parseEntry(entry);
    return read === null ? null : { kind, entry: read };
  }
  if (kind === 'settings') return typeof settings === 'string' ? { kind, settings, references: parseFiles(references) } : null;
  if (kind === 'tree') {
    const read = parseTree(tree);
    return read === null ? null : { kind, tree: read };
  }
  // It becomes the name of a folder.
  return kind === 'turn' && typeof name === 'string' && /^\d{1,9}\.\d{1,9}$/.test(name) ? { kind, name, files: parseFiles(files) } : null;
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
  const { head, branch = null } = value['work'];
  if (base === null || work === null || typeof head !== 'string' || (branch !== null && typeof branch !== 'string')) return null;
  const { scratchpad = null } = value;
  return { base, work: { ...work, head, branch }, scratchpad: typeof scratchpad === 'string' ? scratchpad : null };
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
    const { name, blob } = file;
    return typeof name === 'string' && typeof blob === 'string' && isFileName(name) ? [{ name, blob }] : [];
  });
}
