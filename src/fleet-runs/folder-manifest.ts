import { createHash, type Hash } from 'node:crypto';
import { createReadStream, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { CHANGES_LIMIT, MAX_CHANGED_BYTES, MAX_CHANGES, type SentChange } from '../fleet/run-records.ts';
import { toTooLarge } from '../fleet/too-large.ts';
import type { Repository } from '../git/contract.ts';
import { encodeNames, toLook } from '../git/file-names.ts';
import { demandGit } from '../git/git.ts';
import { createLeftOutNotes } from '../panel/share/left-out.ts';
import { isTaken, listWorkspace } from '../panel/share/list-workspace.ts';
import type { Blobs } from '../ports/fleet.ts';
import { FILE_MODES, readFileState, readStateSize } from '../workspace/bundle/file-changes.ts';
import { toSentChange } from './sent-work.ts';

/** The work in a folder: by path, what git calls the file: `<mode> <object id>`. */
export type Manifest = ReadonlyMap<string, string>;

/** So many are looked at in a row. */
const AT_ONCE = 256;
/** As much as an agent's folder is made of; what is sent of it has limits of its own. */
const LIMITS = { maxFiles: 100_000, maxBytes: Number.POSITIVE_INFINITY };

/**
 * Reads what is in folders, a file that looks as it did once: what snapshots hold, byte by byte. Nothing else may write into the folder meanwhile.
 *
 * @param skipped paths that are not looked at; see `ListRules`
 * @throws RalphError `fleet-too-large`
 */
export function createManifestReader(): (top: string, skipped: readonly string[]) => Promise<Manifest> {
  const known = new Map<string, { readonly look: string; readonly file: string }>();
  return async (top, skipped) => {
    const notes = createLeftOutNotes();
    const { files, links } = await listWorkspace(top, { ...LIMITS, skipped }, notes);
    // What is not seen would seem to be gone.
    if (notes.list().reasons.includes('files')) throw toTooLarge('What is in the folder', CHANGES_LIMIT);
    const manifest = new Map<string, string>();
    for (const [place, path] of [...files, ...links].entries()) {
      // Others have something to do, too.
      if (place % AT_ONCE === AT_ONCE - 1) await pause();
      const whole = join(top, path);
      const look = toLook(whole);
      const before = known.get(whole);
      const file = before !== undefined && before.look === look ? before.file : await readFile(top, path);
      if (look === null || file === null) continue;
      known.set(whole, { look, file });
      manifest.set(path, file);
    }
    return manifest;
  };
}

/** A larger file is read piece by piece. */
const AT_ONCE_BYTES = 1 << 20;

async function readFile(top: string, path: string): Promise<string | null> {
  const bytes = readStateSize(top, path);
  if (bytes > AT_ONCE_BYTES) return readInPieces(encodeNames(join(top, path)), bytes);
  const state = readFileState(top, path);
  return state === null ? null : `${state.mode} ${startId(state.bytes.length).update(state.bytes).digest('hex')}`;
}

async function readInPieces(place: string | Buffer, bytes: number): Promise<string | null> {
  const id = startId(bytes);
  const { mode } = lstatSync(place);
  for await (const piece of createReadStream(place)) id.update(piece as Buffer);
  return `${(mode & 0o100) === 0 ? '100644' : '100755'} ${id.digest('hex')}`;
}

function startId(bytes: number): Hash {
  return createHash('sha1').update(`blob ${bytes}\0`);
}

/** What of a tree could be work. Throws GitProblem. */
export async function readTreeManifest({ git }: Pick<Repository, 'git'>, tree: string, skipped: readonly string[]): Promise<Manifest> {
  const manifest = new Map<string, string>();
  for (const record of (await demandGit(git, ['ls-tree', '-r', '-z', tree])).split('\0')) {
    const tab = record.indexOf('\t');
    const [mode = '', , id = ''] = record.slice(0, Math.max(0, tab)).split(' ');
    const path = record.slice(tab + 1);
    if (FILE_MODES.some((one) => one === mode) && isTaken(path, skipped)) manifest.set(path, `${mode} ${id}`);
  }
  return manifest;
}

/** Paths at which two of them differ, sorted. */
export function listApart(one: Manifest, other: Manifest): readonly string[] {
  return [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path)).sort();
}

/**
 * Puts files of a folder on their way, as they are there.
 *
 * @param before what the receiver has: of what is not in it is said that it is new
 * @throws RalphError `fleet-too-large`
 */
export async function packFiles(blobs: Blobs, top: string, paths: readonly string[], before: Manifest): Promise<readonly SentChange[]> {
  if (paths.length > MAX_CHANGES) throw toTooLarge('What was changed', CHANGES_LIMIT);
  const changes: SentChange[] = [];
  let bytes = 0;
  for (const path of paths) {
    bytes += readStateSize(top, path);
    if (bytes > MAX_CHANGED_BYTES) throw toTooLarge('What was changed', CHANGES_LIMIT);
    const state = readFileState(top, path);
    changes.push(await toSentChange(blobs, path, state, !before.has(path)));
  }
  return changes;
}
