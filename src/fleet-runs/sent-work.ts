import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import type { Environment } from '../core/values/environment.ts';
import { isJsonObject, type Json, mapTexts } from '../core/values/json.ts';
import { demandBlob, findContent, fromContent, type SentContent, toContent } from '../fleet/messages.ts';
import {
  CHANGES_LIMIT,
  MAX_CHANGED_BYTES,
  readChanges,
  type SentBundle,
  type SentChange,
  type SentStep,
  type SentTree,
} from '../fleet/run-records.ts';
import { isTooLarge, MAX_FILE_BYTES, toTooLarge } from '../fleet/too-large.ts';
import type { Repository } from '../git/contract.ts';
import { demandGit } from '../git/git.ts';
import { listTrees } from '../git/trees.ts';
import { findFileHash } from '../hooks/run-handler.ts';
import { withHandle, writeAll } from '../journal/file-system.ts';
import { createSharedFileSystem } from '../journal/shared-file-system.ts';
import { isTaken } from '../panel/share/list-workspace.ts';

import type { Blobs } from '../ports/fleet.ts';
import { fetchBundle, isObjectId, type MadeCommits, type SentWork } from '../workspace/bundle/bundle.ts';
import { FILE_MODES, type FileChanges, type FileState, isWorkPath, storeChanges, storeSteps } from '../workspace/bundle/file-changes.ts';

/**
 * Takes a working tree in, with all that leads to it.
 *
 * @param scratch absolute path of a folder of ours
 * @returns its `commit` is the object id of a tree where it was sent step by step
 */
export async function fetchTree(blobs: Blobs, repository: Pick<Repository, 'git'>, tree: SentTree, scratch: string): Promise<SentWork> {
  const { work, steps } = tree;
  const { head, branch } = work;
  const last = steps.at(-1);
  // In the folder from which it was sent it is there.
  if (last !== undefined && (await hasObject(repository, last.to, 'tree')) && (await hasObject(repository, head, 'commit')))
    return { commit: last.to, head, branch };
  await fetchWhole(blobs, repository, tree, scratch);
  if (last === undefined) return { commit: work.commit, head, branch };
  const changes = new Map<string, FileState | null>();
  for (const { body } of steps) for (const [path, state] of await fetchChanges(blobs, body)) changes.set(path, state);
  const stored = await storeChanges(repository, work.commit, changes, join(scratch, 'ralph.steps'));
  await demandGit(repository.git, ['update-ref', 'refs/ralph-fleet/tree', stored]);
  return { commit: stored, head, branch };
}

/** Takes the whole tree in with which steps begin, and all commits that lead to it. */
async function fetchWhole(
  blobs: Blobs,
  repository: Pick<Repository, 'git'>,
  { base, work }: Pick<SentTree, 'base' | 'work'>,
  scratch: string,
): Promise<void> {
  const file = join(scratch, 'ralph.bundle');
  const fetch = async ({ blob, commit }: SentBundle, ref: string): Promise<void> => {
    if (!(await hasObject(repository, commit, 'commit')))
      await fetchBundle(repository, { bundle: await demandBlob(blobs, blob), file, ref, commit });
  };
  // A run that goes on in another process has another base.
  await fetch(base, `refs/ralph-fleet/base-${base.commit}`);
  await fetch(work, 'refs/ralph-fleet/work');
}

async function hasObject({ git }: Pick<Repository, 'git'>, id: string, type: 'commit' | 'tree'): Promise<boolean> {
  return isObjectId(id) && (await git(['cat-file', '-e', `${id}^{${type}}`])).ok;
}

/** Which of the trees that were sent are wanted, by their object ids. */
interface WantedTrees {
  readonly trees: readonly SentTree[];
  readonly ids: ReadonlySet<string>;
}

/**
 * Stores trees that were sent, without names. Those that cannot be had are left out.
 *
 * @returns ids of trees that are in the repository then
 * @throws GitProblem, the system error
 */
export async function storeTrees(
  blobs: Blobs,
  repository: Repository,
  { trees, ids }: WantedTrees,
  scratch: string,
): Promise<ReadonlySet<string>> {
  // Of trees that begin with the same whole one, the last has the steps of all.
  const chains = new Map(trees.map((tree) => [tree.work.commit, tree]));
  const there = await listTrees(repository, [...ids, ...[...chains.values()].flatMap(({ steps }) => steps.map(({ to }) => to))]);
  for (const chain of chains.values()) await storeChain(blobs, repository, chain, { ids, there, scratch });
  return there;
}

interface Wanted {
  readonly ids: ReadonlySet<string>;
  /** Those that are in the repository: more and more of them. */
  readonly there: Set<string>;
  readonly scratch: string;
}

/** Of files in steps that are stored at once. */
const MAX_BATCH_BYTES = 64 << 20;

/** Stores trees step by step, up to the last one that is wanted. What comes behind one that cannot be had cannot be had either. */
async function storeChain(blobs: Blobs, repository: Repository, chain: SentTree, { ids, there, scratch }: Wanted): Promise<void> {
  const { work, steps } = chain;
  const isLacking = ({ to }: Pick<SentStep, 'to'>): boolean => ids.has(to) && !there.has(to);
  const last = steps.findLastIndex(isLacking);
  if (last < 0 && !isLacking({ to: work.tree })) return;
  try {
    await fetchWhole(blobs, repository, chain, scratch);
    if (await hasObject(repository, work.tree, 'tree')) there.add(work.tree);
    const first = steps.findIndex(isLacking);
    // Each is stored on top of the one before it: the nearest that is here is begun with.
    for (let next = steps.findLastIndex(({ to }, index) => index < first && there.has(to)) + 1; first >= 0 && next <= last; ) {
      const base = steps[next - 1]?.to ?? work.commit;
      const batch = await fetchBatch(blobs, steps.slice(next, last + 1));
      await storeSteps(repository, base, batch, join(scratch, 'ralph.steps'));
      next += batch.length;
    }
  } catch {
    // A view of the past is lost, not the work.
  }
  for (const id of await listTrees(
    repository,
    steps.map(({ to }) => to),
  ))
    there.add(id);
}

/** The changes of the first of these steps: as many as may be in memory at once. */
async function fetchBatch(blobs: Blobs, steps: readonly SentStep[]): Promise<readonly FileChanges[]> {
  const batch: FileChanges[] = [];
  let bytes = 0;
  for (const { body } of steps) {
    if (bytes > MAX_BATCH_BYTES) break;
    // What comes before one that is forgotten can be had.
    const changes = await fetchChanges(blobs, body).catch(() => null);
    if (changes === null && batch.length > 0) break;
    if (changes === null) throw new Error('a step is forgotten');
    batch.push(changes);
    for (const state of changes.values()) bytes += state?.bytes.length ?? 0;
  }
  return batch;
}

/** What was changed, with what is in the files. Rejects where it cannot be had. */
export async function fetchChanges(blobs: Blobs, body: Json): Promise<FileChanges> {
  return toFileChanges(blobs, await readChanges(blobs, body));
}

/** What is in the files of a list. Rejects where it cannot be had. */
export async function toFileChanges(blobs: Blobs, sent: readonly SentChange[]): Promise<FileChanges> {
  const changes = new Map<string, FileState | null>();
  let left = MAX_CHANGED_BYTES;
  for (const change of sent) {
    if (!isWorkPath(change.path)) throw new Error(`that is no path of a file: ${JSON.stringify(change.path.slice(0, 200))}`);
    const mode = FILE_MODES.find((known) => known === change.mode);
    if (change.mode === null) changes.set(change.path, null);
    else if (mode === undefined) throw new Error(`that is no kind of file: ${JSON.stringify(change.mode.slice(0, 20))}`);
    else {
      const bytes = await fromContent(blobs, change, { maxBytes: left }).catch((error: unknown) => {
        throw isTooLarge(error) ? toTooLarge('What was changed', CHANGES_LIMIT) : error;
      });
      left -= bytes.length;
      if (left < 0) throw toTooLarge('What was changed', CHANGES_LIMIT);
      changes.set(change.path, { mode, bytes });
    }
  }
  return changes;
}

/** Puts a file on its way. `null`: it is gone. */
export async function toSentChange(blobs: Blobs, path: string, state: FileState | null, isNew: boolean): Promise<SentChange> {
  if (state === null) return { path, mode: null };
  return { path, mode: state.mode, isNew, ...(await toContent(blobs, state.bytes)) };
}

/** Commits that do not come home, and why: half a sentence. */
export interface LeftCommits {
  readonly why: string;
}

/** Commits on their way home. */
export interface SentCommits extends MadeCommits {
  readonly blob: string;
}

/** Of all commits of a turn. */
export const MAX_COMMITTED_BYTES = 256 << 20;

/** Whether a file comes home. */
export function toFilter({ settings }: { readonly settings: Settings }): (path: string) => boolean {
  const apart = [settings.stateDir, ...settings.worktreeLinks];
  return (path) => isTaken(path, apart);
}

/** An output that was sent; `null`: it is not there any more, or larger than any that a worker may send. */
export async function findOutput(blobs: Blobs, content: SentContent): Promise<Uint8Array | null> {
  return findContent(blobs, content, { maxBytes: MAX_FILE_BYTES }).catch((error: unknown) => {
    if (isTooLarge(error)) return null;
    throw error;
  });
}

/** Secrets do not travel: what a reference names is what it says here. */
export function withSecrets(settings: Settings, env: Environment): Settings {
  const { backends, mcpServers, variables = {} } = settings;
  const fill = (text: string): string =>
    text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (mark, name: string) => (name in variables ? (env[name] ?? '') : mark));
  const resolve = <Value>(value: Value): Value => mapTexts(value as Json, fill) as Value;
  return { ...settings, backends: resolve(backends), mcpServers: resolve(mcpServers) };
}

/** Paths of scripts, each with the hash of what it held when the run began. */
function listScripts(value: Json): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) return value.flatMap(listScripts);
  if (!isJsonObject(value)) return [];
  const { path, sha256 } = value;
  return typeof path === 'string' && typeof sha256 === 'string' ? [[path, sha256]] : Object.values(value).flatMap(listScripts);
}

/**
 * Scripts of hooks that are not where the run has them, for this is another machine, are in the folder of the worker: what they held is known, and others do not run.
 *
 * @param folders absolute paths that the working tree has where the run is
 */
export function withScripts<Some extends Pick<Settings, 'hooks' | 'backendHooks'>>(
  settings: Some,
  folders: readonly string[],
  root: string,
): Some {
  const { hooks, backendHooks } = settings;
  const hashes = new Map(listScripts([hooks ?? null, backendHooks ?? null] as unknown as Json));
  // Another checkout may be where the run has its own.
  const isRunsOwn = (path: string): boolean => {
    const hash = hashes.get(path);
    return hash === undefined ? existsSync(path) : hash === findFileHash(path);
  };
  const toHere = (text: string): string => {
    const folder = folders.find((known) => text.startsWith(`${known}/`));
    return folder === undefined || isRunsOwn(text) ? text : join(root, text.slice(folder.length));
  };
  const place = <Value>(value: Value): Value => mapTexts(value as Json, toHere) as Value;
  return { ...settings, ...(hooks && { hooks: place(hooks) }), ...(backendHooks && { backendHooks: place(backendHooks) }) };
}

/** Whether a folder of state may be made under that name below a folder of ours. */
export function isStateFolder(name: unknown): name is string {
  return typeof name === 'string' && /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/.test(name) && !name.split('/').includes('..');
}

/** Through no link: agents may put anything in its place. `null`: there is none. */
export function writeScratchpad(
  { workspace, settings }: { readonly workspace: string; readonly settings: Settings },
  text: string | null,
): void {
  const fs = createSharedFileSystem(workspace);
  const path = join(workspace, settings.prompts.scratchpad);
  try {
    if (fs.stat(path) !== null) fs.unlink(path);
    if (text === null) return;
    withHandle(fs, fs.open(path, 'create'), (handle) => writeAll(fs, handle, Buffer.from(text)));
  } catch {
    // A note that cannot be kept is lost; the work is not.
  }
}
