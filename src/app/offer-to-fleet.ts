import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IterationStart } from '../core/run/effects.ts';
import { toTurnName } from '../core/run/turn.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { isJsonObject, type Json } from '../core/values/json.ts';
import { offerTurns } from '../fleet/index.ts';
import { findRepository, type Repository, readHead } from '../git/index.ts';
import { createSharedFileSystem, type RunPaths, withHandle, writeAll } from '../journal/index.ts';
import { toCopyFolder } from '../panel/share/index.ts';
import type { Elsewhere } from '../ports/elsewhere.ts';
import type { Blobs, Fleet } from '../ports/fleet.ts';
import { steadyMs } from '../process/index.ts';
import type { RunFile } from '../runs/index.ts';
import { toStateDirs, withoutKeys } from '../safety/index.ts';
import { COPIES, findSpec, readScratchpad } from '../turns/index.ts';
import { fetchBundle, packWork, writeWork } from '../workspace/bundle/index.ts';
import type { GitWorkspace } from '../workspace/checkpoint/index.ts';

/** A run whose turns are offered. */
export interface OfferedRun {
  readonly paths: RunPaths;
  readonly file: RunFile;
  readonly env: Environment;
  readonly fleet: Fleet;
}

/** A bundle in the fleet, and the commit that it brings. */
export interface SentBundle {
  readonly blob: string;
  readonly commit: string;
}

/** What a worker works on: plain JSON in an order. */
export interface SentPlace {
  /** The settings of the run, as its folder has them. */
  readonly settings: string;
  readonly stateDir: string;
  /** All that was committed when the run's first turn was offered. */
  readonly base: SentBundle;
  /** The working tree, and what was committed since. */
  readonly work: SentBundle & { readonly head: string; readonly branch: string | null };
  readonly scratchpad: string | null;
}

/** What a worker made: plain JSON in its report. */
export interface SentHome {
  /** `null`: it changed no file. */
  readonly work: SentBundle | null;
  readonly files: readonly { readonly name: string; readonly blob: string }[];
  readonly scratchpad: string | null;
}

/** Gives the turns of a run to the workers of a fleet. */
export function offerToFleet(parts: OfferedRun, workspace: GitWorkspace, tell: (text: string) => void): Elsewhere {
  const { fleet, file, paths } = parts;
  const sent = new Map<string, string>();
  let base: Promise<SentBundle & { readonly head: string }> | undefined;
  const pack = async (order: IterationStart): Promise<Json> => {
    const repository = await openRepository(parts);
    const { commit: head, branch } = await readHead(repository.git);
    const { tree } = await workspace.snapshot(toTurnName(order), 'opened');
    if (head === null || tree === null) throw new RalphError({ code: 'fleet-repository', what: NO_COMMIT });
    base ??= packBase(parts, repository, head);
    const { head: known, ...sentBase } = await base;
    const work = await packWork(repository, { runId: paths.runId, tree, head, known, file: toScratch(parts, order, 'out') });
    sent.set(toTurnName(order), work.commit);
    const settings = await fleet.blobs.put(readFileSync(paths.settings));
    const place: SentPlace = {
      ...{ settings, stateDir: file.settings.stateDir, base: sentBase },
      work: { blob: await fleet.blobs.put(work.bundle), commit: work.commit, head, branch },
      scratchpad: readScratchpad(file.workspace, file.settings.prompts.scratchpad)?.text ?? null,
    };
    return place as unknown as Json;
  };
  return offerTurns({
    ...{ fleet, run: paths.runId, pack, steady: steadyMs, tell, lostAfterMs: toLostAfterMs(parts.env) },
    labelsOf: (order) => toLabels(file, order),
    bringTo: async (order, home, copy) =>
      bringHome(parts, { order, home: parseHome(home), copy, before: sent.get(toTurnName(order)) ?? '' }),
  });
}

/** `RALPH_FLEET_LOST_AFTER`, in seconds: how long a worker may say nothing. */
function toLostAfterMs({ RALPH_FLEET_LOST_AFTER: text = '' }: OfferedRun['env']): number {
  const seconds = Number(text);
  return text !== '' && seconds >= 1 && seconds <= 3600 ? seconds * 1000 : USUAL_LOST_MS;
}

const USUAL_LOST_MS = 20_000;

const NO_COMMIT = 'A run on a fleet needs a git repository with a commit: workers get what was committed, and the rest on top of it.';

/**
 * Whether a folder can be worked on elsewhere.
 *
 * @throws RalphError `fleet-repository`
 */
export async function requireSendable({ file, env }: Pick<OfferedRun, 'file' | 'env'>): Promise<void> {
  const found = await findRepository(toRepositorySettings({ file, env }));
  const fix = 'Make one here: git init && git add . && git commit -m "The beginning"';
  if (!found.ok) throw new RalphError({ code: 'fleet-repository', what: NO_COMMIT, why: `Here git says: ${found.refused}.`, fix });
  if (found.value.prefix !== '')
    throw new RalphError({
      code: 'fleet-repository',
      what: 'A run on a fleet works in the top folder of a repository; this is a folder within one.',
      fix: `Start it there: cd ${found.value.top}`,
    });
  if ((await readHead(found.value.git)).commit === null) throw new RalphError({ code: 'fleet-repository', what: NO_COMMIT, fix });
}

function toRepositorySettings({ file, env }: Pick<OfferedRun, 'file' | 'env'>): Parameters<typeof findRepository>[0] {
  const { workspace, settings, gitPrograms } = file;
  return { cwd: workspace, env: withoutKeys(settings, env), stateDirs: toStateDirs(settings), programs: gitPrograms };
}

async function openRepository(parts: OfferedRun): Promise<Repository> {
  const found = await findRepository(toRepositorySettings(parts));
  if (!found.ok) throw new RalphError({ code: 'fleet-repository', what: NO_COMMIT, why: found.refused });
  return found.value;
}

async function packBase(parts: OfferedRun, repository: Repository, head: string): Promise<SentBundle & { readonly head: string }> {
  const { runId } = parts.paths;
  const { commit, bundle } = await packWork(repository, {
    runId,
    tree: `${head}^{tree}`,
    head,
    known: null,
    file: join(parts.paths.folder, 'git', 'base.bundle'),
  });
  return { commit, head, blob: await parts.fleet.blobs.put(bundle) };
}

function toScratch({ paths }: OfferedRun, order: IterationStart, what: string): string {
  return join(paths.folder, 'git', `${toTurnName(order)}.${what}`);
}

/** What a worker must have: the program of each agent that may take the turn. */
function toLabels({ settings }: RunFile, order: IterationStart): readonly string[] {
  const agents = order.panel === undefined ? [] : (settings.backends[order.hat] ?? []);
  const types = [findSpec(settings, order), ...agents].map(({ type }) => type);
  return [...new Set(types)].sort();
}

interface Homecoming {
  readonly order: IterationStart;
  readonly home: SentHome;
  readonly copy: string;
  /** The commit that was sent. */
  readonly before: string;
}

async function bringHome(parts: OfferedRun, { order, home, copy, before }: Homecoming): Promise<void> {
  const { fleet, paths, file } = parts;
  await bringFiles(parts, order, home);
  if (home.work !== null) {
    const bundle = await demandBlob(fleet.blobs, home.work.blob);
    const repository = await openRepository(parts);
    const { commit } = home.work;
    const ref = `refs/ralph/${paths.runId}/${toTurnName(order)}/worker`;
    await fetchBundle(repository, { bundle, file: toScratch(parts, order, 'home'), ref, commit });
    const to = toCopyFolder(join(paths.folder, COPIES), copy);
    await writeWork(repository, { before, after: commit, to, indexFile: toScratch(parts, order, 'index') });
  }
  if (home.scratchpad !== null) writeScratchpad(file, home.scratchpad);
}

/** What is to be there and is not. */
export async function demandBlob(blobs: Blobs, hash: string): Promise<Uint8Array> {
  const bytes = await blobs.get(hash);
  if (bytes === null) throw new Error('a file is not in the fleet any more');
  return bytes;
}

/** Prompt and outputs of the turn, in the place of what passed by while it ran. */
async function bringFiles({ fleet, paths }: OfferedRun, order: IterationStart, { files }: SentHome): Promise<void> {
  const folder = join(paths.turns, toTurnName(order));
  for (const { name, blob } of files) {
    const bytes = await demandBlob(fleet.blobs, blob);
    rmSync(join(folder, name), { force: true });
    writeFileSync(join(folder, name), bytes, { mode: 0o600, flag: 'wx' });
  }
}

/** A file of a turn's folder: no path, and no name that is hidden. */
const FILE_NAME = /^[a-z0-9][a-z0-9.-]{0,60}$/;
const MAX_FILES = 50;
const MAX_FILE_BYTES = 64 << 20;

/** The files of a turn that go along with its report. `redact`: what is secret on a worker is known there alone. */
export async function sendFiles(blobs: Blobs, folder: string, redact: (text: string) => string): Promise<SentHome['files']> {
  const names = readdirSync(folder).filter((name) => FILE_NAME.test(name));
  const sent: { readonly name: string; readonly blob: string }[] = [];
  for (const name of names.sort().slice(0, MAX_FILES)) {
    const stats = lstatSync(join(folder, name));
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) continue;
    const bytes = readFileSync(join(folder, name));
    const text = bytes.toString('utf8');
    const shown = redact(text);
    sent.push({ name, blob: await blobs.put(shown === text ? bytes : Buffer.from(shown)) });
  }
  return sent;
}

/** Reads what a worker says that it made. */
function parseHome(value: Json): SentHome {
  if (!isJsonObject(value)) return { work: null, files: [], scratchpad: null };
  const { work = null, files = [], scratchpad = null } = value;
  const listed = Array.isArray(files) ? files.slice(0, MAX_FILES) : [];
  return {
    work:
      isJsonObject(work) && typeof work['blob'] === 'string' && typeof work['commit'] === 'string'
        ? { blob: work['blob'], commit: work['commit'] }
        : null,
    files: listed.flatMap((file) => {
      if (!isJsonObject(file)) return [];
      const { name, blob } = file;
      return typeof name === 'string' && typeof blob === 'string' && FILE_NAME.test(name) ? [{ name, blob }] : [];
    }),
    scratchpad: typeof scratchpad === 'string' ? scratchpad : null,
  };
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
