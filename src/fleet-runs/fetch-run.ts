import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { type TurnId, toTurnName } from '../core/run/turn.ts';
import { toShellWord } from '../core/text/shell-word.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError, toErrorMessage } from '../core/values/errors.ts';
import { isJsonObject, parseJson } from '../core/values/json.ts';
import { keepRun, type LeaseWish, takeLease } from '../fleet/keep-run.ts';
import { demandBlob, fromContent } from '../fleet/messages.ts';
import { isFileName, type SentTree } from '../fleet/run-records.ts';
import type { Repository } from '../git/contract.ts';
import { createGit, demandGit } from '../git/git.ts';
import { isAncestor } from '../git/refs.ts';
import { captureGitPrograms, findRepository, readHead } from '../git/repository.ts';
import { makeFolders } from '../journal/file-system.ts';
import { toJournalLines } from '../journal/journal-line.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { type RunPaths, toRunPaths } from '../journal/run-folder.ts';
import { ensureStateFolders } from '../journal/state-folders.ts';
import { createJournalFold } from '../loop/decide/decide.ts';
import type { Blobs, Fleet, KeptLease, RunLease } from '../ports/fleet.ts';
import { steadyMs } from '../process/steady-clock.ts';
import { listReferenceFiles } from '../run-gates/gate-reference.ts';
import { openAgentFolders, toLayout } from '../runs/layout.ts';
import { noteMove, openHomecoming } from '../runs/moved-run.ts';
import { type RunFile, readRunFile, writeRunFile } from '../runs/run-file.ts';
import { alignSteering } from '../runs/steering.ts';
import { withoutKeys } from '../safety/known-secrets.ts';
import { toStateDirs } from '../safety/run-isolation.ts';
import { toPlainLine } from '../views/text/plain-text.ts';
import { bringCommits, bringWork, checkOutWork, isObjectId } from '../workspace/bundle/bundle.ts';
import { nameTrees, readTrees } from '../workspace/snapshot/tree-names.ts';
import { bringEvidence, toEvidenceFolder } from './kept-evidence.ts';
import { type KeptState, readKeptState, readPlace, STANDS_IN, toLostAfterMs, toStandIn, toUnknownRun, writePlace } from './kept-run.ts';
import { fetchTree, findOutput, isStateFolder, storeTrees, toFilter, withSecrets, writeScratchpad } from './sent-work.ts';

/** A run that is to be brought into a folder. */
export interface FetchInto {
  readonly fleet: Fleet;
  readonly run: string;
  /** An empty folder; absolute. */
  readonly root: string;
  readonly env: Environment;
  /** As it was seen when it was given up; absent: whoever has it is waited for. */
  readonly stale?: KeptLease;
}

/**
 * Takes a run of which nothing is here, makes its folder, and lets go of it: whoever resumes it in that folder takes it again, at once.
 *
 * @throws as `bringRun`; Error where a run that was given up had ended before
 */
export async function fetchInto({ fleet, run, root, env, stale }: FetchInto): Promise<void> {
  const kept = stale ?? (await fleet.leases.look(run));
  if (kept === null) throw toUnknownRun(run);
  const { title, state: before } = kept.lease;
  const wish: LeaseWish = {
    run,
    place: randomUUID(),
    host: toPlainLine(hostname(), 60),
    title,
    lostAfterMs: toLostAfterMs(env),
    ...toStandIn(env),
  };
  const keeper = keepRun({ fleet, taken: await takeLease(fleet, wish, steadyMs, stale) });
  // As long as it has not gone on, nobody has decided that it is to.
  let left: RunLease['state'] = before;
  try {
    const state = await readKeptState(fleet, run);
    const end = state.entries.length === 0 ? null : (readState(state.entries).end?.reason ?? null);
    if (stale !== undefined && end !== null && end !== 'terminated') {
      left = end === 'completed' ? 'ended' : 'free';
      throw new Error(`it had ended (${end}) before its process was lost`);
    }
    await fetchRun({ fleet, runId: run, root, env, place: wish.place }, state);
    keeper.begin(state.end);
    // What is here is known from here on, whatever becomes of this process.
    if (state.tree !== null) keeper.add({ kind: 'tree', tree: state.tree });
    await keeper.settled();
  } finally {
    await keeper.close({ state: left, title });
  }
}

/** A run that is to go on in a folder where it has never been. */
interface FetchRunOrder {
  readonly fleet: Fleet;
  readonly runId: string;
  /** An empty folder, absolute. */
  readonly root: string;
  readonly env: Environment;
  /** What this folder is called among those in which the run has been. */
  readonly place: string;
}

/**
 * Makes a folder of what a fleet keeps of a run: the working tree in a repository of its own, the journal, the settings, prompts and outputs of turns. Who fetches it has
 * taken the run before.
 *
 * @throws RalphError `fleet-run-unknown` where not all of it is there; GitProblem, the system error
 */
async function fetchRun({ fleet, runId, root, env, place }: FetchRunOrder, kept: KeptState): Promise<void> {
  const { settings, tree, entries } = kept;
  if (settings === null || tree === null || entries.length === 0) throw toUnknown(runId);
  const bytes = await demandBlob(fleet.blobs, settings.settings);
  const stateDir = readStateName(bytes);
  const git = createGit({ cwd: root, env });
  await demandGit(git, ['init', '--quiet']);
  const layout = toLayout(root, stateDir);
  ensureStateFolders(nodeFileSystem, [layout.stateDir]);
  const paths = toRunPaths(layout.stateDir, runId);
  makeFolders(nodeFileSystem, paths.turns);
  writePlace(paths, place);
  writeFileSync(paths.settings, bytes, { mode: 0o600 });
  const sent = readRunFile(paths.settings);
  const file: RunFile = {
    ...sent,
    ...{ settings: toOwnSettings(sent, root, env), workspace: root, worktree: null, baseline: toOwnBaseline(sent) },
    gitPrograms: await captureGitPrograms({ cwd: root, env }),
  };
  const repository = await openOwnRepository(file, env);
  await checkOutWork(repository, await fetchTree(fleet.blobs, repository, tree, join(root, '.git')));
  writeRunFile(paths.settings, file);
  await fetchReferences(fleet.blobs, paths, settings.references);
  await fetchTurns(fleet.blobs, paths, kept.turns, new Set());
  await bringEvidence(fleet.blobs, toEvidenceFolder(paths), kept.evidence);
  openAgentFolders(root, file.settings);
  writeScratchpad(file, tree.scratchpad);
  const { steeringOffset, activations } = readState(entries);
  await bringSnapshots(fleet.blobs, repository, { runId, ...toShown(kept, env, activations) }, join(root, '.git')).catch(() => undefined);
  await forgetBundles(repository, kept.trees);
  alignSteering(paths, steeringOffset);
  noteMove(paths, entries);
  // Last: a folder without a journal is no run.
  writeFileSync(paths.journal, toJournalLines(entries), { mode: 0o600 });
}

function toUnknown(runId: string): RalphError {
  return new RalphError({
    code: 'fleet-run-unknown',
    what: `The fleet does not keep enough of run ${runId} to continue it.`,
    why: 'A run can continue elsewhere from its first turn on; a fleet forgets what it keeps after 30 days.',
    fix: 'Resume it in the folder in which it was started.',
  });
}

function readStateName(bytes: Uint8Array): string {
  const value = parseJson(new TextDecoder().decode(bytes));
  const settings = isJsonObject(value) ? value['settings'] : undefined;
  const name = isJsonObject(settings) ? settings['stateDir'] : undefined;
  if (isStateFolder(name)) return name;
  throw new Error('the settings that the fleet keeps name no folder for state');
}

/** What variables say here; and files of the folder where the folder is now. */
function toOwnSettings({ settings, workspace }: RunFile, root: string, env: Environment): RunFile['settings'] {
  const own = withSecrets(settings, env);
  const { variables = {}, configFiles } = own;
  const said = Object.fromEntries(Object.keys(variables).map((name) => [name, env[name] ?? '']));
  const toHere = (path: string): string => (path.startsWith(`${workspace}/`) ? join(root, relative(workspace, path)) : path);
  return { ...own, variables: said, configFiles: configFiles.map(toHere) };
}

/**
 * What was a person's own when the run began is in no checkpoint here either; what was staged then is not staged here. Checkpoints on a branch of their own would stay here: none are
 * made.
 */
function toOwnBaseline({ baseline, settings }: RunFile): RunFile['baseline'] {
  if (baseline === null || settings.checkpointBranch !== null) return null;
  return { ...baseline, dirty: baseline.dirty.map(({ staged: _, ...file }) => file) };
}

async function openOwnRepository({ workspace, settings, gitPrograms: programs }: RunFile, env: Environment): Promise<Repository> {
  const found = await findRepository({ cwd: workspace, env: withoutKeys(settings, env), stateDirs: toStateDirs(settings), programs });
  if (!found.ok) throw new Error(found.refused);
  return found.value;
}

async function fetchReferences(blobs: Blobs, paths: RunPaths, files: KeptReferences): Promise<void> {
  for (const path of listReferenceFiles(paths)) {
    const sent = files.find(({ name }) => name === basename(path));
    if (sent === undefined) continue;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, await fromContent(blobs, sent), { mode: 0o600 });
  }
}

type KeptReferences = NonNullable<KeptState['settings']>['references'];

/** Prompts and outputs of turns that are not here yet, or not whole: those of turns of which it is not known here that they ended. */
async function fetchTurns(blobs: Blobs, { turns }: RunPaths, kept: KeptState['turns'], ended: ReadonlySet<string>): Promise<void> {
  for (const [name, files] of kept) {
    const folder = join(turns, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const file of files) {
      const path = join(folder, file.name);
      if (!isFileName(file.name) || (ended.has(name) && existsSync(path))) continue;
      // What is forgotten since is missed where it is asked for.
      const bytes = await findOutput(blobs, file);
      if (bytes === null) continue;
      rmSync(path, { force: true });
      writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
    }
  }
}

function listEnded(entries: KeptState['entries']): ReadonlySet<string> {
  return new Set(entries.flatMap(({ input }) => (input.type === 'iteration-ended' ? [toTurnName(input)] : [])));
}

/** A run of this folder, which may have gone on elsewhere. */
export interface CatchUpOrder {
  readonly fleet: Fleet;
  readonly paths: RunPaths;
  readonly file: RunFile;
  readonly env: Environment;
  /** Rejects where the run is not this process's own any more: asked right before something is written. */
  readonly confirm: () => Promise<void>;
}

/**
 * Brings into the folder of a run what became of it elsewhere: its journal, prompts and outputs of turns, and the working tree. What a person changed here meanwhile is
 * never overwritten. Nothing is done where nobody else had the run.
 *
 * @param lastSeq of the journal that is here
 * @returns what a person should know of what was brought, a sentence each; `null`: nothing was
 * @throws RalphError `fleet-home-changed` where both sides changed the same files; then nothing has been done
 */
export async function catchUp(order: CatchUpOrder, kept: KeptState, lastSeq: number): Promise<readonly string[] | null> {
  const { fleet, paths, file } = order;
  const place = readPlace(paths);
  const isOurs = kept.lastPlace === null || kept.lastPlace === place;
  if (isOurs && kept.entries.length <= lastSeq) return null;
  const from = kept.treeOf.get(place);
  if (kept.tree !== null && from === undefined) throw toUnknown(paths.runId);
  const remarks = kept.tree === null || from === undefined ? [] : await bringWorkHome(order, kept, { from, to: kept.tree });
  await fetchTurns(fleet.blobs, paths, kept.turns, listEnded(kept.entries.slice(0, lastSeq)));
  await bringEvidence(fleet.blobs, toEvidenceFolder(paths), kept.evidence);
  if (kept.tree !== null && kept.tree.scratchpad !== null) writeScratchpad(file, kept.tree.scratchpad);
  alignSteering(paths, readState(kept.entries).steeringOffset);
  // Before the journal: by that the run may have ended, and then nobody asks the fleet for it any more.
  openHomecoming(paths).begin();
  if (!isOurs) noteMove(paths, kept.entries);
  writeJournal(paths, toJournalLines(kept.entries));
  return remarks;
}

/** Where the tree was when the run left, and what became of it. */
interface TreeWay {
  readonly from: SentTree;
  readonly to: SentTree;
}

/** Files, then commits, then what turns changed: of the last two, what cannot come is told, and the run goes on as well. */
async function bringWorkHome(order: CatchUpOrder, kept: KeptState, way: TreeWay): Promise<readonly string[]> {
  const { fleet, paths, file, env } = order;
  const repository = await openOwnRepository(file, env);
  await bringTree(order, repository, way, kept.trees.slice(kept.trees.indexOf(way.from) + 1, -1));
  const why = await bringHead(order, repository, way).catch(toErrorMessage);
  const shown = { runId: paths.runId, ...kept };
  const lacking = await bringSnapshots(fleet.blobs, repository, shown, join(paths.folder, 'git')).catch(async () => {
    const known = await readTrees(repository, paths.runId);
    return [...kept.snapshots].flatMap(([name, tree]) => (known.get(name) === tree ? [] : [name]));
  });
  await forgetBundles(repository, kept.trees);
  const turns = [...new Set(lacking.map((name) => name.slice(0, name.indexOf('/'))))];
  return [
    ...(why === null ? [] : [`What was committed elsewhere is here as changed files only: ${why}.`]),
    ...(turns.length === 0 ? [] : [`What these turns changed cannot be shown or undone here: ${turns.join(', ')}.`]),
  ];
}

/** Has the branch go on to what was committed elsewhere. Why it does not; `null`: it does, or nothing was committed. */
async function bringHead({ paths, file }: CatchUpOrder, repository: Repository, { from, to }: TreeWay): Promise<string | null> {
  const [{ head, branch }, { head: commit, branch: other }] = [from.work, to.work];
  if (head === commit && branch === other) return null;
  if (branch !== other) return 'it is on another branch';
  // A process that was cut off right behind it, and a person who went on from there.
  const now = await readHead(repository.git);
  if (isObjectId(commit) && now.branch === branch && now.commit !== null && (await isAncestor(repository.git, commit, now.commit)))
    return null;
  return bringCommits(repository, {
    made: { from: head, commit, branch },
    bundle: null,
    file: '',
    isTaken: toFilter(file),
    reason: `ralph: run ${paths.runId}, elsewhere`,
  });
}

/** They hold what others see in the history, also where it does not come. */
async function forgetBundles({ git }: Repository, trees: readonly SentTree[]): Promise<void> {
  const names = [
    ...trees.filter(({ base }) => isObjectId(base.commit)).map(({ base }) => `refs/ralph-fleet/base-${base.commit}`),
    ...['refs/ralph-fleet/work', 'refs/ralph-fleet/tree'],
  ];
  await git(['update-ref', '--stdin'], { input: [...new Set(names)].map((name) => `delete ${name}\n`).join('') });
}

function readState(entries: KeptState['entries']): ReturnType<ReturnType<typeof createJournalFold>['run']>['state'] {
  const fold = createJournalFold();
  for (const entry of entries) fold.take(entry);
  return fold.run().state;
}

/** Nobody asks in the folder of a worker what earlier turns changed; those that are under way it may have to bring home. */
function toShown({ trees, snapshots }: KeptState, env: Environment, open: readonly TurnId[]): Pick<KeptState, 'trees' | 'snapshots'> {
  if (env[STANDS_IN] === undefined) return { trees, snapshots };
  const names = open.map((turn) => `${toTurnName(turn)}/`);
  return { trees, snapshots: new Map([...snapshots].filter(([name]) => names.some((start) => name.startsWith(start)))) };
}

async function bringTree(
  { fleet, paths, confirm }: CatchUpOrder,
  repository: Repository,
  { from, to }: TreeWay,
  between: readonly SentTree[],
): Promise<void> {
  const scratch = join(paths.folder, 'git');
  mkdirSync(scratch, { recursive: true });
  // Written before by this folder, and perhaps cleaned up since.
  const fetch = async (tree: SentTree): Promise<string> => (await fetchTree(fleet.blobs, repository, tree, scratch)).commit;
  const before = await fetch(from);
  const after = await fetch(to);
  await confirm();
  const mark = join(paths.folder, 'bringing');
  const isCutOff = existsSync(mark) && readFileSync(mark, 'utf8') === after;
  const order = { before, after, indexFile: join(scratch, 'home.index'), isCutOff };
  const onWrite = (): void => writeFileSync(mark, after, { mode: 0o600 });
  let changed = await bringWork(repository, order, onWrite);
  if (changed.length > 0 && between.length > 0) {
    // What a turn made may have been written here right before the process was lost, and be kept by the one that went on.
    const passed: string[] = [];
    // All of them at once: one after the other, each would be made of all its steps.
    const ids = new Set(between.map(({ work, steps }) => steps.at(-1)?.to ?? work.tree));
    await storeTrees(fleet.blobs, repository, { trees: between, ids }, scratch);
    for (const tree of between) passed.push(await fetch(tree));
    changed = await bringWork(repository, { ...order, between: passed }, onWrite);
  }
  if (changed.length === 0) return rmSync(mark, { force: true });
  const shown = changed.slice(0, 5).join(', ');
  throw new RalphError({
    code: 'fleet-home-changed',
    what: `The run went on elsewhere, and changed files that were changed here as well: ${shown}${changed.length > 5 ? ', …' : ''}.`,
    why: 'What you changed is not overwritten.',
    fix: `Copy your versions away. Then put back what the run had left: git restore --source=${before.slice(0, 12)} --worktree -- ${changed.slice(0, 5).map(toShellWord).join(' ')}\nMove away those that git does not know there. Then: ralph resume ${paths.runId}`,
  });
}

/** The fleet's journal in the place of the one that is here; what is only here (nobody has seen it, nothing followed from it) is set aside. */
function writeJournal({ journal }: RunPaths, lines: Buffer): void {
  const here = existsSync(journal) ? readFileSync(journal) : Buffer.alloc(0);
  if (lines.length < here.length || !lines.subarray(0, here.length).equals(here)) {
    let number = 1;
    while (existsSync(`${journal}.left-${number}`)) number += 1;
    writeFileSync(`${journal}.left-${number}`, here, { mode: 0o600, flag: 'wx' });
  }
  writeFileSync(`${journal}.new`, lines, { mode: 0o600 });
  renameSync(`${journal}.new`, journal);
}

/** What a fleet keeps of the trees around the turns of a run: see `KeptState`. */
export interface KeptTrees {
  readonly runId: string;
  readonly trees: readonly SentTree[];
  readonly snapshots: ReadonlyMap<string, string>;
}

/**
 * Puts the trees around turns into a repository, under the names that they have where the turns were taken: what shows a turn, or undoes it, then says the same here. What the
 * fleet keeps counts, for one process at a time had the run; a name that is here and says something else is of one that had lost it.
 *
 * @param scratch absolute path of a folder of ours
 * @returns the names whose trees cannot be had: forgotten, or filters of git make other ones of them here
 * @throws GitProblem, the system error
 */
export async function bringSnapshots(
  blobs: Blobs,
  repository: Repository,
  { runId, trees, snapshots }: KeptTrees,
  scratch: string,
): Promise<readonly string[]> {
  const known = await readTrees(repository, runId);
  const wanted = new Map([...snapshots].filter(([name, tree]) => known.get(name) !== tree));
  if (wanted.size === 0) return [];
  const there = await storeTrees(blobs, repository, { trees, ids: new Set(wanted.values()) }, scratch);
  const had = [...wanted].filter(([, tree]) => there.has(tree));
  await nameTrees(repository, runId, new Map(had));
  return [...wanted.keys()].filter((name) => !there.has(wanted.get(name) ?? ''));
}
