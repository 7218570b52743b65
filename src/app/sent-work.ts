import { join } from 'node:path';
import type { Environment } from '../core/values/environment.ts';
import { type Json, mapTexts } from '../core/values/json.ts';
import type { SentTree } from '../fleet/index.ts';
import type { Repository } from '../git/index.ts';
import { createSharedFileSystem, withHandle, writeAll } from '../journal/index.ts';
import type { Blobs } from '../ports/fleet.ts';
import type { RunFile } from '../runs/index.ts';
import { fetchBundle } from '../workspace/bundle/index.ts';

/** What is to be there and is not. */
export async function demandBlob(blobs: Blobs, hash: string): Promise<Uint8Array> {
  const bytes = await blobs.get(hash);
  if (bytes === null) throw new Error('a file is not in the fleet any more');
  return bytes;
}

/** Takes a working tree in, with all that leads to it. */
export async function fetchTree(
  blobs: Blobs,
  repository: Pick<Repository, 'git'>,
  tree: SentTree,
  scratch: string,
): Promise<SentTree['work']> {
  const { base, work } = tree;
  const file = join(scratch, 'ralph.bundle');
  // A run that goes on in another process has another base.
  if (!(await repository.git(['cat-file', '-e', `${base.commit}^{commit}`])).ok)
    await fetchBundle(repository, {
      bundle: await demandBlob(blobs, base.blob),
      file,
      ref: `refs/ralph-fleet/base-${base.commit}`,
      commit: base.commit,
    });
  const bundle = await demandBlob(blobs, work.blob);
  await fetchBundle(repository, { bundle, file, ref: 'refs/ralph-fleet/work', commit: work.commit });
  return work;
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

/** Through no link: agents may put anything in its place. */
export function writeScratchpad({ workspace, settings }: Pick<RunFile, 'workspace' | 'settings'>, text: string): void {
  const fs = createSharedFileSystem(workspace);
  const path = join(workspace, settings.prompts.scratchpad);
  try {
    if (fs.stat(path) !== null) fs.unlink(path);
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
