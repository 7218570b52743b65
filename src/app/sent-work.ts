import { join } from 'node:path';
import type { Environment } from '../core/values/environment.ts';
import { type Json, mapTexts } from '../core/values/json.ts';
import { demandBlob, fromContent, readChanges, type SentChange, type SentTree, toContent } from '../fleet/index.ts';
import { demandGit, type Repository } from '../git/index.ts';
import { createSharedFileSystem, withHandle, writeAll } from '../journal/index.ts';
import type { Blobs } from '../ports/fleet.ts';
import type { RunFile } from '../runs/index.ts';
import {
  FILE_MODES,
  type FileChanges,
  type FileState,
  fetchBundle,
  isObjectId,
  isWorkPath,
  type SentWork,
  storeChanges,
} from '../workspace/bundle/index.ts';

/**
 * Takes a working tree in, with all that leads to it.
 *
 * @param scratch absolute path of a folder of ours
 * @returns its `commit` is the object id of a tree where it was sent step by step
 */
export async function fetchTree(blobs: Blobs, repository: Pick<Repository, 'git'>, tree: SentTree, scratch: string): Promise<SentWork> {
  const { base, work, steps } = tree;
  const { head, branch } = work;
  const { git } = repository;
  const file = join(scratch, 'ralph.bundle');
  // A run that goes on in another process has another base.
  if (!(await git(['cat-file', '-e', `${base.commit}^{commit}`])).ok)
    await fetchBundle(repository, {
      bundle: await demandBlob(blobs, base.blob),
      file,
      ref: `refs/ralph-fleet/base-${base.commit}`,
      commit: base.commit,
    });
  const bundle = await demandBlob(blobs, work.blob);
  await fetchBundle(repository, { bundle, file, ref: 'refs/ralph-fleet/work', commit: work.commit });
  const last = steps.at(-1);
  if (last === undefined) return { commit: work.commit, head, branch };
  if (isObjectId(last.to) && (await git(['cat-file', '-e', `${last.to}^{tree}`])).ok) return { commit: last.to, head, branch };
  const changes = new Map<string, FileState | null>();
  for (const { body } of steps) for (const [path, state] of await fetchChanges(blobs, body)) changes.set(path, state);
  const stored = await storeChanges(repository, work.commit, changes, join(scratch, 'ralph.steps'));
  await demandGit(git, ['update-ref', 'refs/ralph-fleet/tree', stored]);
  return { commit: stored, head, branch };
}

/** What was changed, with what is in the files. Rejects where it cannot be had. */
export async function fetchChanges(blobs: Blobs, body: Json): Promise<FileChanges> {
  return toFileChanges(blobs, await readChanges(blobs, body));
}

export async function toFileChanges(blobs: Blobs, sent: readonly SentChange[]): Promise<FileChanges> {
  const changes = new Map<string, FileState | null>();
  for (const change of sent) {
    if (!isWorkPath(change.path)) throw new Error(`that is no path of a file: ${JSON.stringify(change.path.slice(0, 200))}`);
    const mode = FILE_MODES.find((known) => known === change.mode);
    if (change.mode === null) changes.set(change.path, null);
    else if (mode === undefined) throw new Error(`that is no kind of file: ${JSON.stringify(change.mode.slice(0, 20))}`);
    else changes.set(change.path, { mode, bytes: await fromContent(blobs, change) });
  }
  return changes;
}

/** Puts a file on its way. `null`: it is gone. */
export async function toSentChange(blobs: Blobs, path: string, state: FileState | null, isNew: boolean): Promise<SentChange> {
  if (state === null) return { path, mode: null };
  return { path, mode: state.mode, isNew, ...(await toContent(blobs, state.bytes)) };
}

/** Secrets do not travel: what a reference names is what it says here. */
export function withSecrets<Settings extends RunFile['settings']>(settings: Settings, env: Environment): Settings {
  const { backends, mcpServers, variables = {} } = settings;
  const fill = (text: string): string =>
    text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (mark, name: string) => (name in variables ? (env[name] ?? '') : mark));
  const resolve = <Value>(value: Value): Value => mapTexts(value as Json, fill) as Value;
  return { ...settings, backends: resolve(backends), mcpServers: resolve(mcpServers) };
}

/** Whether a folder of state may be made under that name below a folder of ours. */
export function isStateFolder(name: unknown): name is string {
  return typeof name === 'string' && /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/.test(name) && !name.split('/').includes('..');
}

/** Through no link: agents may put anything in its place. `null`: there is none. */
export function writeScratchpad({ workspace, settings }: Pick<RunFile, 'workspace' | 'settings'>, text: string | null): void {
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

/** `RALPH_FLEET_LOST_AFTER`, in seconds: how long a worker may say nothing. */
export function toLostAfterMs({ RALPH_FLEET_LOST_AFTER: text = '' }: Environment): number {
  const seconds = Number(text);
  return text !== '' && seconds >= 1 && seconds <= 3600 ? seconds * 1000 : USUAL_LOST_MS;
}

const USUAL_LOST_MS = 20_000;
