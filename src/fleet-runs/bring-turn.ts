import { closeSync, constants, lstatSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DECIDED_FILES, isPanelHome, PANELS_FOLDER } from '../core/panel/panel-home.ts';
import type { IterationStart } from '../core/run/effects.ts';
import { toTurnName, toTurnTitle } from '../core/run/turn.ts';
import { toErrorMessage } from '../core/values/errors.ts';
import { isJsonObject, type Json } from '../core/values/json.ts';
import { limitFetching } from '../fleet/fetch-report.ts';
import type { RunKeeper } from '../fleet/keep-run.ts';
import { fromContent } from '../fleet/messages.ts';
import type { OfferSettings } from '../fleet/offer-turns.ts';
import { parseFiles, readChanges, type SentFile } from '../fleet/run-records.ts';
import { isTooLarge, MAX_FILE_BYTES, MAX_OUTPUT_BYTES, toLeftOutText } from '../fleet/too-large.ts';
import type { Repository } from '../git/contract.ts';
import { toLook } from '../git/file-names.ts';
import { listDifferences, listIndex } from '../git/trees.ts';
import { makeFolders } from '../journal/file-system.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import { type RunCopies, toCopyFolder } from '../panel/share/work-copies.ts';
import type { Blobs, Fleet } from '../ports/fleet.ts';
import type { TakenOver } from '../ports/work-copies.ts';
import { steadyMs } from '../process/steady-clock.ts';
import type { RunFile } from '../runs/run-file.ts';
import { toPlainLine } from '../views/text/plain-text.ts';
import { bringCommits, isObjectId } from '../workspace/bundle/bundle.ts';
import { createDraftNotes } from '../workspace/bundle/drafts.ts';
import { type FileChanges, replaceFiles, writeChanges } from '../workspace/bundle/file-changes.ts';
import type { GitWorkspace, WorkLooks } from '../workspace/checkpoint/create-workspace.ts';
import { type LeftCommits, MAX_COMMITTED_BYTES, type SentCommits, toFileChanges, toFilter, writeScratchpad } from './sent-work.ts';

/** What a worker made: plain JSON in its report. */
export interface SentHome {
  /** What became of files: see `readChanges`. `null`: it changed none. */
  readonly changes: Json;
  /** What it committed; `null`: nothing that comes home. */
  readonly commits: SentCommits | LeftCommits | null;
  /** The tree with which it began, by the name under which it was sent. */
  readonly from: string;
  readonly files: readonly SentFile[];
  /** What its panel decided. Absent: it has none, or the worker is of an older version. */
  readonly panel?: SentDecision;
  readonly scratchpad: string | null;
}

/** Files of a panel, and the name of its folder. */
export interface SentDecision {
  readonly home: string;
  readonly files: readonly SentFile[];
}

/** A run whose turns come home. */
export interface HomecomingParts {
  readonly paths: RunPaths;
  readonly file: RunFile;
  readonly fleet: Pick<Fleet, 'blobs'>;
  readonly keeper: Pick<RunKeeper, 'add' | 'confirm'>;
  /** Opens the repository of its folder. */
  readonly repository: () => Promise<Repository>;
  readonly workspace: Pick<GitWorkspace, 'snapshot'>;
  readonly copies: Pick<RunCopies, 'bring'>;
  /** In which the copies of the run are. */
  readonly folder: string;
  /** Something a person should know now. */
  readonly tell: (text: string) => void;
}

/** How what a worker made comes into the folder, or into a copy of it. */
export function createHomecoming(parts: HomecomingParts): OfferSettings['homecoming'] {
  const { file, repository, workspace, folder } = parts;
  return {
    bringTo: async (order, value, copy, signal) => {
      const { made, confirmed } = await fetchHome(parts, order, value, signal);
      await confirmed;
      writeChanges(toCopyFolder(folder, copy), made.changes);
    },
    bringIn: async (order, value, isDiscarded, signal) => {
      const { home, made, bundle, confirmed } = await fetchHome(parts, order, value, signal);
      const seen = readLooks(file.workspace, made.changes);
      const { fingerprint, tree, looks } = await workspace.snapshot(toTurnName(order), 'before');
      // A process that was frozen meanwhile writes nothing into the folder.
      await confirmed;
      const touched = made.changes.size === 0 ? new Set<string>() : new Set(await listTouched(repository, home.from, tree));
      for (const path of await listHidden(await repository(), file.workspace, made, looks)) touched.add(path);
      // Nothing may come between this and the writing.
      for (const [path, look] of readLooks(file.workspace, made.changes)) if (seen.get(path) !== look) touched.add(path);
      const taken = await take(parts, order, { made, touched, isDiscarded });
      if (home.scratchpad !== null) writeScratchpad(file, home.scratchpad);
      if (home.commits !== null && !isDiscarded && taken.conflict === undefined) {
        const why =
          'why' in home.commits ? home.commits.why : await takeCommits(parts, order, await repository(), { made: home.commits, bundle });
        if (why !== null) parts.tell(`What ${toTurnTitle(order, order.hat)} committed is here as changed files only: ${why}.`);
      }
      return { ...taken, before: fingerprint };
    },
  };
}

/** Fetches what a worker sends home, and writes prompt and outputs. `confirmed`: rejects where the run is not this process's own any more. */
async function fetchHome(given: HomecomingParts, order: IterationStart, value: Json, signal: AbortSignal) {
  const blobs = limitFetching(given.fleet.blobs, steadyMs, signal);
  const parts = { ...given, fleet: { blobs } };
  const home = parseHome(value);
  const confirmed = parts.keeper.confirm();
  // Told where it is awaited.
  confirmed.catch(() => undefined);
  const making = home.changes === null ? NOTHING_MADE : fetchMade(blobs, home.changes);
  const { commits } = home;
  // The files come, whatever becomes of it.
  const bundling =
    commits === null || 'why' in commits
      ? null
      : blobs
          .get(commits.blob, { maxBytes: MAX_COMMITTED_BYTES })
          .catch((error: unknown) => (isTooLarge(error) ? toErrorMessage(error) : null));
  const [made, bundle] = await Promise.all([making, bundling, bringFiles(parts, order, home)]);
  // From here on it is brought to its end.
  signal.throwIfAborted();
  return { home, made, bundle, confirmed };
}

/**
 * Files of which git was told to look away (`--skip-worktree`, `--assume-unchanged`): what is in them is the person's own, and no snapshot has it. One that is not there can come.
 */
async function listHidden(
  repository: Repository,
  top: string,
  { changes, added }: MadeChanges,
  looks: WorkLooks | undefined,
): Promise<readonly string[]> {
  // Of all others git says how they differ, or they are new.
  const clean = new Set([...changes.keys()].filter((path) => !added.has(path) && looks?.files.has(path) !== true));
  if (clean.size === 0) return [];
  const marked = (await listIndex(repository.git)).filter(({ tag, path }) => clean.has(path) && (tag === 'S' || tag !== tag.toUpperCase()));
  return marked.map(({ path }) => path).filter((path) => toLook(join(top, path)) !== null);
}

interface Taking {
  readonly made: MadeChanges;
  /** Files that somebody has changed here meanwhile. */
  readonly touched: ReadonlySet<string>;
  readonly isDiscarded: boolean;
}

/** Writes the files, in the plain case at once. */
async function take(
  { file, copies, paths }: HomecomingParts,
  order: IterationStart,
  { made: { changes, added }, touched, isDiscarded }: Taking,
): Promise<TakenOver> {
  if (changes.size === 0) return {};
  const isPlain = touched.size === 0 && !isDiscarded && [...changes.keys()].every(toFilter(file));
  if (isPlain && replaceFiles(file.workspace, changes, (path) => added.has(path), createDraftNotes(paths.folder))) return {};
  const wanted = [...changes.keys()].map((path) => ({ path, isNew: added.has(path), isTouched: touched.has(path) }));
  return copies.bring(toTurnName(order), { paths: wanted, write: (to) => writeChanges(to, changes), isDiscarded });
}

interface TakenCommits {
  readonly made: SentCommits;
  /** A text: why it was refused; `null`: it could not be had. */
  readonly bundle: Uint8Array | string | null;
}

/** Why commits do not come; `null`: they do. */
async function takeCommits(
  { file, paths }: HomecomingParts,
  order: IterationStart,
  repository: Repository,
  { made, bundle }: TakenCommits,
): Promise<string | null> {
  if (bundle === null) return 'the fleet did not give them';
  if (typeof bundle === 'string') return bundle;
  const place = join(paths.folder, 'git', 'commits.bundle');
  const reason = `ralph: ${toTurnTitle(order, order.hat)} on a worker`;
  const bring = bringCommits(repository, { made, bundle, file: place, isTaken: toFilter(file), reason });
  return bring.catch((error: unknown) => `they could not be written: ${toErrorMessage(error)}`);
}

function readLooks(top: string, changes: FileChanges): ReadonlyMap<string, string | null> {
  return new Map([...changes.keys()].map((path) => [path, toLook(join(top, path))]));
}

interface MadeChanges {
  readonly changes: FileChanges;
  /** Paths of those that are new. */
  readonly added: ReadonlySet<string>;
}

const NOTHING_MADE: MadeChanges = { changes: new Map(), added: new Set() };

async function fetchMade(blobs: Blobs, body: Json): Promise<MadeChanges> {
  const sent = await readChanges(blobs, body);
  const added = sent.flatMap((change) => (change.mode !== null && change.isNew ? [change.path] : []));
  return { changes: await toFileChanges(blobs, sent), added: new Set(added) };
}

/** What was changed here while a worker had the turn. */
async function listTouched(open: () => Promise<Repository>, from: string, tree: string | null): Promise<ReadonlySet<string>> {
  if (from === tree) return new Set();
  if (tree === null || !isObjectId(from)) throw new Error('it is not known what was changed here meanwhile');
  const { git } = await open();
  return new Set((await listDifferences(git, from, tree)).map(({ path }) => path));
}

/** Prompt and outputs of the turn, in the place of what passed by while it ran. One that is too large costs itself. */
async function bringFiles(parts: HomecomingParts, order: IterationStart, { files, panel }: SentHome): Promise<void> {
  const { fleet, paths, keeper, tell } = parts;
  keeper.add({ kind: 'turn', name: toTurnName(order), files });
  const left = await putFiles(fleet.blobs, join(paths.turns, toTurnName(order)), files);
  if (order.panel !== undefined && panel !== undefined) {
    const decided = Object.values<string>(DECIDED_FILES);
    const folder = join(paths.folder, PANELS_FOLDER, panel.home);
    makeFolders(nodeFileSystem, folder);
    const wanted = panel.files.filter(({ name }) => decided.includes(name));
    left.push(...(await putFiles(fleet.blobs, folder, wanted)));
  }
  if (left.length > 0) tell(toLeftOutText(toTurnTitle(order, order.hat), left));
}

/** Writes files that a worker sends into a folder of ours; the names of those that are too large. Rejects where one cannot be had. */
export async function putFiles(blobs: Blobs, folder: string, files: readonly SentFile[]): Promise<string[]> {
  let left = MAX_OUTPUT_BYTES;
  const tooLarge: string[] = [];
  for (const { name, ...content } of files) {
    const bytes = await fromContent(blobs, content, { maxBytes: Math.min(left, MAX_FILE_BYTES) }).catch((error: unknown) => {
      if (isTooLarge(error)) return null;
      throw error;
    });
    if (bytes === null) {
      tooLarge.push(name);
      continue;
    }
    left -= bytes.length;
    const path = join(folder, name);
    if (holds(path, bytes) || fill(path, bytes)) continue;
    rmSync(path, { force: true });
    writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
  }
  return tooLarge;
}

/** Fills an empty file, and nothing that a link leads to. False: it is none. */
function fill(path: string, bytes: Uint8Array): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.size > 0 || stats.nlink > 1) return false;
  const file = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    writeFileSync(file, bytes);
  } finally {
    closeSync(file);
  }
  return true;
}

/** What each turn leaves beside its prompt. */
const USUAL_FILES = ['stdout.log', 'stderr.log'];

/** Makes the files that are going to come, empty as many of them stay, while the turn is elsewhere: to make a file can take longer than to fill it. */
export function makeUsualFiles({ paths }: Pick<HomecomingParts, 'paths'>, order: IterationStart): void {
  for (const name of USUAL_FILES) {
    try {
      writeFileSync(join(paths.turns, toTurnName(order), name), '', { mode: 0o600, flag: 'wx' });
    } catch {
      // It is there, or made when it comes.
    }
  }
}

function holds(path: string, bytes: Uint8Array): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === bytes.length && readFileSync(path).equals(bytes);
}

/** Reads what a worker says that it made. */
function parseHome(value: Json): SentHome {
  if (!isJsonObject(value)) return { changes: null, commits: null, from: '', files: [], scratchpad: null };
  const { changes = null, commits = null, from, files = [], panel = null, scratchpad = null } = value;
  return {
    changes,
    commits: parseCommits(commits),
    from: typeof from === 'string' ? from : '',
    files: parseFiles(files),
    ...parseDecision(panel),
    scratchpad: typeof scratchpad === 'string' ? scratchpad : null,
  };
}

function parseDecision(value: Json): Pick<SentHome, 'panel'> {
  if (!isJsonObject(value)) return {};
  const { home, files } = value;
  return typeof home === 'string' && isPanelHome(home) ? { panel: { home, files: parseFiles(files) } } : {};
}

function parseCommits(value: Json): SentCommits | LeftCommits | null {
  if (!isJsonObject(value)) return null;
  if (typeof value['why'] === 'string') return { why: toPlainLine(value['why'], 300) };
  const { from, commit, branch = null, blob } = value;
  if (typeof from !== 'string' || typeof commit !== 'string' || typeof blob !== 'string') return null;
  return branch === null || typeof branch === 'string' ? { from, commit, branch, blob } : null;
}
