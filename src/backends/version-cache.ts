import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject, parseJson } from '../core/index.ts';
import { numberAt, objectAt, textAt } from './json-fields.ts';

/** What a program file looked like when its version was asked. */
export interface FileStamp {
  readonly mtimeMs: number;
  readonly sizeBytes: number;
}

/** Remembers versions of programs by their path, as long as the file does not change. */
export interface VersionCache {
  find(path: string, stamp: FileStamp): string | undefined;
  note(path: string, stamp: FileStamp, version: string): void;
  /** Writes what is new. A cache that cannot be written is no error: the next time just takes longer. */
  save(): void;
}

/** `$XDG_CACHE_HOME/ralph/backends.json`, else under `~/.cache`; `undefined` where neither is known. */
export function toCacheFile(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const folder = env['XDG_CACHE_HOME'] || (env['HOME'] && join(env['HOME'], '.cache'));
  return folder ? join(folder, 'ralph', 'backends.json') : undefined;
}

/** Reads the cache; a missing or damaged file is an empty one. Without a file nothing is kept. */
export function openVersionCache(file: string | undefined): VersionCache {
  const entries = new Map(file === undefined ? [] : readEntries(file));
  let isChanged = false;
  return {
    find(path, stamp) {
      const entry = entries.get(path);
      return entry?.mtimeMs === stamp.mtimeMs && entry.sizeBytes === stamp.sizeBytes ? entry.version : undefined;
    },
    note(path, stamp, version) {
      entries.set(path, { ...stamp, version });
      isChanged = true;
    },
    save() {
      if (file !== undefined && isChanged) writeEntries(file, entries);
    },
  };
}

interface Entry extends FileStamp {
  readonly version: string;
}

function readEntries(file: string): [string, Entry][] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  const programs = objectAt(parseJson(text), 'programs');
  return Object.entries(programs).flatMap(([path, entry]): [string, Entry][] => {
    const [mtimeMs, sizeBytes, version] = [numberAt(entry, 'mtimeMs'), numberAt(entry, 'sizeBytes'), textAt(entry, 'version')];
    return isJsonObject(entry) && mtimeMs !== null && sizeBytes !== null && version !== '' ? [[path, { mtimeMs, sizeBytes, version }]] : [];
  });
}

function writeEntries(file: string, entries: ReadonlyMap<string, Entry>): void {
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(draft, `${JSON.stringify({ programs: Object.fromEntries(entries) })}\n`);
    // Renamed into place: two of us at once leave one whole file.
    renameSync(draft, file);
  } catch {
    // Versions are asked again next time; a draft that could not be renamed is overwritten by the next of the same id.
  }
}
