import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, rmSync, unlinkSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { toErrorCode } from '../core/values/errors.ts';
import { isJsonObject, type Json, parseJson } from '../core/values/json.ts';
import type { KeptLease, KeptWords, Reports, RunLeases, RunLog, SteerWord, WorkReport } from '../ports/fleet.ts';
import { isOrderName, isSubjectPart, requirePart, toKey } from './fleet-names.ts';
import {
  createBell,
  dropDraft,
  type FolderPlaces,
  findFileText,
  findLast,
  findMark,
  findMarkedText,
  linkDraft,
  listFolderNames,
  makeInside,
  syncFolder,
  writeDraft,
} from './folder-files.ts';
import { readMoment } from './folder-post.ts';
import type { FolderState } from './folder-state.ts';
import { parseLease } from './kept-states.ts';
import { MAX_KEPT_WORDS, MAX_WORD_CHARS, parseSteerWord } from './messages.ts';
import { parseReport } from './work-record.ts';

/** What is written of a run: files 1, 2, 3, … in a folder of its own. The next number is made by whoever links it first. */
export function createFolderLog({ runs, drafts }: FolderPlaces): RunLog {
  const toFolder = (run: string): string => {
    requirePart(run);
    return join(runs, run);
  };
  return {
    append: async (run, { behind, name, body }) => {
      const folder = toFolder(run);
      const path = join(folder, String(behind + 1));
      const draft = await writeDraft(drafts, JSON.stringify({ name, body }));
      try {
        if (behind === 0) makeInside(folder);
        const outcome = linkDraft(draft, path);
        const isMade = outcome === 'made' && standsBehind(folder, behind);
        // The first try may have come to its end although nobody heard of it.
        const isOwn = isMade || (outcome === 'taken' && parseWriting(findFileText(path))?.name === name);
        if (!isOwn) return null;
        await syncFolder(folder);
        if (behind === 0) await syncFolder(runs);
        return behind + 1;
      } finally {
        await dropDraft(draft);
      }
    },
    read: async (run, visit) => {
      const folder = toFolder(run);
      const reader = createNumbers(folder, (text) => visit(parseWriting(text)?.body ?? null));
      reader.readOn();
      return reader.place();
    },
    forget: (run) => forgetFolder(toFolder(run), drafts),
    follow: async (run, visit) => followNumbers(toFolder(run), (text) => visit(parseWriting(text)?.body ?? null)),
  };
}

/** A number without the one before it is of a run that was forgotten meanwhile: it is taken back. */
function standsBehind(folder: string, behind: number): boolean {
  if (behind === 0 || existsSync(join(folder, String(behind)))) return true;
  try {
    unlinkSync(join(folder, String(behind + 1)));
  } catch (error) {
    if (toErrorCode(error) !== 'ENOENT') throw error;
  }
  return false;
}

function parseWriting(text: string | null): { readonly name: string; readonly body: Json } | null {
  const value = parseJson(text ?? '');
  if (!isJsonObject(value)) return null;
  const { name, body = null } = value;
  return typeof name === 'string' ? { name, body } : null;
}

/** Reads numbers, one after the other. What was forgotten begins anew. */
function createNumbers(folder: string, take: (text: string) => void) {
  let last = 0;
  /** Of the last one that was read: one that was written in its place is another. */
  let lastMark = '';
  return {
    place: () => last,
    readOn: (): void => {
      if (last > 0 && findMark(join(folder, String(last))) !== lastMark && existsSync(join(folder, '1'))) last = 0;
      for (;;) {
        const found = findMarkedText(join(folder, String(last + 1)));
        if (found === null) return;
        last += 1;
        lastMark = found.mark;
        take(found.text);
      }
    },
  };
}

/** Gives what is there, and then what comes. */
function followNumbers(folder: string, take: (text: string) => void): () => Promise<void> {
  const reader = createNumbers(folder, take);
  reader.readOn();
  const end = createBell(folder, reader.readOn);
  return async () => end();
}

/** It is away at once; that it takes time to remove keeps nobody. */
async function forgetFolder(folder: string, drafts: string): Promise<void> {
  const away = join(drafts, randomUUID());
  try {
    await rename(folder, away);
  } catch (error) {
    if (toErrorCode(error) === 'ENOENT') return;
    throw error;
  }
  await dropDraft(away);
}

/** Reports of a run: as what is written of it, but for that everybody writes at the end, and that a power cut may take them: it ends the worker, too, and its turn is taken again. */
export function createFolderReports({ reports, drafts }: FolderPlaces): Reports {
  const toFolder = (run: string): string => {
    requirePart(run);
    return join(reports, run);
  };
  return {
    append: async ({ run, name, worker, number, body }) => {
      toKey({ run, name });
      const folder = toFolder(run);
      const draft = await writeDraft(drafts, JSON.stringify({ name, worker, number, body }), true);
      try {
        for (let last = findLast(folder); ; ) {
          const outcome = linkDraft(draft, join(folder, String(last + 1)));
          if (outcome === 'made' && standsBehind(folder, last)) break;
          if (outcome === 'taken') last += 1;
          else last = findLast(folder);
          if (outcome === 'lacking') makeInside(folder);
        }
      } finally {
        await dropDraft(draft);
      }
    },
    follow: async (run, visit) => {
      const heard = new Set<string>();
      return followNumbers(toFolder(run), (text) => {
        const report = parseNamedReport(run, text);
        if (report === null) return;
        const { name, worker, number } = report;
        // One that was written again is the same one.
        const id = `${name} ${worker} ${number}`;
        if (heard.has(id)) return;
        heard.add(id);
        visit(report);
      });
    },
    forget: (run) => forgetFolder(toFolder(run), drafts),
  };
}

function parseNamedReport(run: string, text: string): WorkReport | null {
  const value = parseJson(text);
  const report = parseReport(text);
  const name = isJsonObject(value) ? value['name'] : null;
  return report === null || typeof name !== 'string' || !isOrderName(name) ? null : { run, name, ...report };
}

/**
 * A word is a file by its id, behind the moment at which it was kept: what is kept later stands behind it.
 *
 * @param requireOwn throws where the folder is not that of this fleet any more
 */
export function createFolderWords({ words, drafts }: FolderPlaces, requireOwn: () => void): KeptWords {
  const toFolder = (run: string): string => {
    requirePart(run);
    requireOwn();
    return join(words, run);
  };
  const listNames = (folder: string, id?: string): readonly string[] =>
    [...listFolderNames(folder)]
      .sort()
      .filter((name) => WORD_FILE.exec(name) !== null && (id === undefined || (toWordId(name) === id && isPlainFile(join(folder, name)))));
  return {
    keep: async (run, { id, body }) => {
      requirePart(id);
      const folder = toFolder(run);
      if (listNames(folder, id).length > 0) return;
      const draft = await writeDraft(drafts, JSON.stringify({ id, body }));
      try {
        const last = Number(listNames(folder).at(-1)?.slice(0, TIME_DIGITS) ?? 0);
        // By a clock that was put back it would stand before what was said before it.
        const path = join(folder, `${String(Math.max(Date.now(), last + 1)).padStart(TIME_DIGITS, '0')}.${id}`);
        while (linkDraft(draft, path) === 'lacking') makeInside(folder);
        await syncFolder(folder);
        await syncFolder(words);
      } finally {
        await dropDraft(draft);
      }
    },
    list: async (run) => {
      const folder = toFolder(run);
      const found = new Map<string, SteerWord>();
      for (const name of listNames(folder)) {
        if (found.size === MAX_KEPT_WORDS) break;
        const word = readWord(join(folder, name));
        // Of two that were kept at once the first one is meant.
        if (word?.id === toWordId(name) && !found.has(word.id)) found.set(word.id, word);
      }
      return [...found.values()];
    },
    drop: async (run, id) => {
      requirePart(id);
      const folder = toFolder(run);
      for (const name of listNames(folder, id)) rmSync(join(folder, name), { force: true });
    },
    forget: async (run) => forgetFolder(toFolder(run), drafts),
  };
}

/** What is no word goes; what is no file, such as a folder, a link or a pipe, nobody of the fleet put there, and it stays. */
function readWord(path: string): SteerWord | null {
  if (!isPlainFile(path)) return null;
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const word = size > MAX_WORD_BYTES ? null : parseSteerWord(findFileText(path) ?? '');
  if (word === null || word.id !== toWordId(basename(path))) rmSync(path, { force: true });
  return word;
}

function isPlainFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** A character of JSON takes three bytes at most. */
const MAX_WORD_BYTES = 3 * MAX_WORD_CHARS;

const toWordId = (name: string): string => name.slice(TIME_DIGITS + 1);

const TIME_DIGITS = 15;
const WORD_FILE = /^\d{15}\.[A-Za-z0-9_-]+$/;

const LEASE = 'lease.';

/** Who has which run, each a value of the state. */
export function createFolderLeases(state: FolderState): RunLeases {
  const look = (run: string): KeptLease | null => {
    const kept = isSubjectPart(run) ? state.get(LEASE + run) : null;
    const lease = parseLease(kept?.value);
    return kept === null || lease === null || lease.run !== run ? null : { lease, beat: kept.revision };
  };
  return {
    look: async (run) => look(run),
    write: async (lease, beat) => {
      requirePart(lease.run);
      // When that was is for whoever forgets what is old.
      return state.change(LEASE + lease.run, { ...lease, since: { ...readMoment() }, at: Date.now() }, beat);
    },
    forget: async (run, beat) => isSubjectPart(run) && (await state.change(LEASE + run, null, beat)) !== null,
    list: async () =>
      state.list(LEASE).flatMap(([key]) => {
        const kept = look(key.slice(LEASE.length));
        return kept === null ? [] : [kept];
      }),
  };
}
