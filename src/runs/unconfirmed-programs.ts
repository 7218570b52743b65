import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { toShellWord } from '../core/text/shell-word.ts';
import { isJsonObject, type Json, readOwn, toJsonObject } from '../core/values/json.ts';
import { quietly, tryOr } from '../core/values/result.ts';
import type { GitPrograms, RepositorySettings } from '../git/contract.ts';
import { captureGitPrograms } from '../git/repository.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { readSettings, writeSettings } from '../journal/run-settings.ts';
import type { Layout } from './layout.ts';
import { readRunFile } from './run-file.ts';

type Folder = Pick<Layout, 'stateDir'>;
type GitPlace = Pick<RepositorySettings, 'cwd' | 'env'>;

/**
 * What was added to git's configuration during a run, by key: an agent may have written it, so no later run takes it for the person's own. The person
 * confirms it by removing the file in which this is kept, when no run is under way: a run that knows of it writes it anew.
 */
type Unconfirmed = Readonly<Record<string, UnconfirmedProgram>>;

interface UnconfirmedProgram {
  /** SHA-256 of what it said: with any other value the key is a person's again. */
  readonly seen: string;
}

/** Keeps what was seen to appear during a run. */
export interface ProgramNotes {
  /** What was noted before. */
  readonly keys: readonly string[];
  /** Adds what differs now from what a run trusts. Never throws: what cannot be written is noted at the next call. */
  readonly note: (now: Readonly<Record<string, string | null>>, trusted: GitPrograms) => void;
}

/** In the state folder, where an isolated agent cannot write; without isolation an agent that removes it has it written anew after its turn. */
export function openProgramNotes(layout: Folder): ProgramNotes {
  let noted = readNotes(layout);
  return {
    keys: Object.keys(noted),
    note: (now, trusted) => {
      const fresh = Object.entries(now).flatMap(([key, value]) =>
        value === null || readOwn(trusted, key) === value ? [] : [[key, { seen: toPrint(value) }] as const],
      );
      // A run in another worktree may have written since.
      noted = { ...readNotes(layout), ...noted, ...Object.fromEntries(fresh) };
      if (Object.keys(noted).length > 0) writeNotes(layout, noted);
    },
  };
}

/**
 * The programs that git may run in a run that begins now: those that its configuration names, without what nobody confirmed. What the notes say is never run: without
 * isolation an agent can write them, and the worst that comes of it is a program left out.
 */
export async function captureTrustedPrograms(layout: Folder, place: GitPlace): Promise<GitPrograms> {
  const programs = await captureGitPrograms(place);
  const noted = readNotes(layout);
  return Object.fromEntries(Object.entries(programs).filter(([key, value]) => !isUnconfirmed(noted, key, value)));
}

/** Whether there is anything that nobody confirmed. Asks git nothing. */
export function hasUnconfirmed(layout: Folder): boolean {
  return Object.keys(readNotes(layout)).length > 0;
}

/** Notes what came since a run began that was killed before it could look. Never rejects. */
export async function noteProgramsOfDead(layout: Folder, settingsPath: string, place: GitPlace): Promise<void> {
  try {
    const { gitPrograms } = readRunFile(settingsPath);
    const now = Object.entries(await captureGitPrograms(place)).filter(([key, value]) => readOwn(gitPrograms, key) !== value);
    openProgramNotes(layout).note(Object.fromEntries(now), gitPrograms);
  } catch {
    // Nobody can tell any more what was there before that run.
  }
}

/** What a person should know of it before a run; no sentence where there is nothing. */
export async function toUnconfirmedWarnings(layout: Folder, place: GitPlace): Promise<readonly string[]> {
  const noted = readNotes(layout);
  if (Object.keys(noted).length === 0) return [];
  const keys = Object.entries(await captureGitPrograms(place)).filter(([key, value]) => isUnconfirmed(noted, key, value));
  if (keys.length === 0) return [];
  const names = keys.slice(0, SHOWN_KEYS).map(([key]) => key);
  const more = keys.length > SHOWN_KEYS ? ` and ${keys.length - SHOWN_KEYS} more` : '';
  return [
    `This was added to git's configuration during a run, so that Ralph's git does without it: ${names.join(', ')}${more}. ` +
      `If it is yours, when no run is under way: rm ${toShellWord(toPath(layout))} (see what it says: git config --show-origin --list)`,
  ];
}

const SHOWN_KEYS = 5;
const FILE = 'git-programs.json';

function toPath({ stateDir }: Folder): string {
  return join(stateDir, FILE);
}

function isUnconfirmed(noted: Unconfirmed, key: string, value: string): boolean {
  return readOwn(noted, key)?.seen === toPrint(value);
}

function toPrint(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

function readNotes(layout: Folder): Unconfirmed {
  const value = tryOr(() => readSettings(nodeFileSystem, toPath(layout)), null);
  if (!isJsonObject(value)) return {};
  const entries = Object.entries(value).flatMap(([key, entry]) => {
    const { seen } = toJsonObject(entry);
    return typeof seen === 'string' ? [[key, { seen }] as const] : [];
  });
  return Object.fromEntries(entries);
}

function writeNotes(layout: Folder, noted: Unconfirmed): void {
  if (JSON.stringify(readNotes(layout)) === JSON.stringify(noted)) return;
  quietly(() => writeSettings(nodeFileSystem, toPath(layout), noted as unknown as Json));
}
