import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IterationStart } from '../core/run/effects.ts';
import type { Input } from '../core/run/inputs.ts';
import { type TurnId, toTurnName } from '../core/run/turn.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { isJsonObject, type Json } from '../core/values/json.ts';
import {
  isFileName,
  MAX_FILES,
  offerGates,
  offerTurns,
  parseFiles,
  type RunKeeper,
  type SentBundle,
  type SentFile,
  type SentTree,
} from '../fleet/index.ts';
import { findRepository, type Repository, readHead } from '../git/index.ts';
import type { RunPaths } from '../journal/index.ts';
import { toCopyFolder } from '../panel/share/index.ts';
import type { Elsewhere } from '../ports/elsewhere.ts';
import type { Blobs, Fleet } from '../ports/fleet.ts';
import type { RunAway } from '../ports/gate-runner.ts';
import { steadyMs } from '../process/index.ts';
import type { RunFile } from '../runs/index.ts';
import { toStateDirs, withoutKeys } from '../safety/index.ts';
import { COPIES, findSpec, readScratchpad } from '../turns/index.ts';
import { fetchBundle, packWork, writeWork } from '../workspace/bundle/index.ts';
import type { GitWorkspace, Snapshot } from '../workspace/checkpoint/index.ts';
import { demandBlob, toLostAfterMs, writeScratchpad } from './sent-work.ts';

/** A run whose turns are offered. */
export interface OfferedRun {
  readonly paths: RunPaths;
  readonly file: RunFile;
  readonly env: Environment;
  readonly fleet: Fleet;
  readonly keeper: RunKeeper;
  /** See `KeptRun`. */
  readonly heard: Map<string, string[]>;
}

/** What a worker works on: plain JSON in an order. */
export interface SentPlace extends SentTree {
  /** The settings of the run, as its folder has them. */
  readonly settings: string;
  readonly stateDir: string;
}

/** What a worker made: plain JSON in its report. */
export interface SentHome {
  /** `null`: it changed no file. */
  readonly work: SentBundle | null;
  /** What it began with: a commit that was sent to it. */
  readonly from: string;
  readonly files: readonly SentFile[];
  readonly scratchpad: string | null;
}

/** The turns of a run in the hands of others. */
export interface OfferedTurns extends Elsewhere {
  /** Sends the folder as it is after a turn, for whoever goes on with the run. `null`: it is not known how it is. */
  readonly keepTree: (tree: string | null) => Promise<void>;
  /** Runs gates on workers, on the tree that it is told when one is asked. */
  readonly gatesOn: (look: () => Promise<Snapshot>) => RunAway;
}

/** Gives the turns of a run to the workers of a fleet. */
export function offerToFleet(parts: OfferedRun, workspace: GitWorkspace, tell: (text: string) => void): OfferedTurns {
  const { fleet, file, paths, keeper } = parts;
  const send = createTreeSender(parts);
  const packTree = async ({ tree }: Pick<Snapshot, 'tree'>, isKept: boolean): Promise<Json> => {
    if (tree === null) throw new RalphError({ code: 'fleet-repository', what: NO_COMMIT });
    const place = await send(tree, isKept);
    // Whoever goes on after this turn was offered begins where it began.
    await keeper.settled();
    const settings = await fleet.blobs.put(readFileSync(paths.settings));
    return { settings, stateDir: file.settings.stateDir, ...place } satisfies SentPlace as unknown as Json;
  };
  const common = { fleet, run: paths.runId, steady: steadyMs, tell, lostAfterMs: toLostAfterMs(parts.env), isOwn: keeper.isOwn };
  const gates = offerGates({ ...common, confirm: keeper.confirm, cwd: file.workspace });
  const offered = offerTurns({
    ...common,
    pack: async (order) => packTree(await workspace.snapshot(toTurnName(order), 'opened'), true),
    labelsOf: (order) => toLabels(file, order),
    bringTo: async (order, home, copy) => {
      await keeper.confirm();
      await bringHome(parts, { order, home: parseHome(home), copy });
    },
  });
  const start: OfferedTurns['start'] = (turn, watch) => offered.start(turn, { ...watch, post: toNew(parts.heard, turn.order, watch.post) });
  return {
    ...offered,
    start,
    keepTree: async (tree) => void (tree === null ? null : await send(tree, true)),
    gatesOn: (look) => (order, signal, say) => gates.run(order, async () => packTree(await look(), false), signal, say),
    close: async () => {
      await gates.close();
      await offered.close();
    },
  };
}

/** Passes on what the journal does not have yet: a process that takes up a turn is told all of it again. */
function toNew(heard: OfferedRun['heard'], turn: TurnId, post: (input: Input) => void): (input: Input) => void {
  return (input) => {
    const known = heard.get(toTurnName(turn)) ?? [];
    const place = known.indexOf(JSON.stringify(input));
    if (place < 0) post(input);
    else known.splice(place, 1);
  };
}

/** Sends trees of a run's folder, and keeps the last one for whoever goes on with the run, unless it is not to be. One that was sent just before is not sent again. */
function createTreeSender(parts: OfferedRun): (tree: string, isKept: boolean) => Promise<SentTree> {
  const { paths, file, fleet, keeper } = parts;
  let base: Promise<SentBundle & { readonly head: string }> | undefined;
  let last: { readonly tree: string; readonly sent: SentTree } | null = null;
  let sending: Promise<unknown> = Promise.resolve();
  const packTree = async (repository: Repository, tree: string): Promise<Pick<SentTree, 'base' | 'work'>> => {
    const { commit: head, branch } = await readHead(repository.git);
    if (head === null) throw new RalphError({ code: 'fleet-repository', what: NO_COMMIT });
    if (last?.tree === tree && last.sent.work.head === head && last.sent.work.branch === branch) return last.sent;
    base ??= packBase(parts, repository, head);
    const { head: known, ...sentBase } = await base;
    const work = await packWork(repository, { runId: paths.runId, tree, head, known, file: join(paths.folder, 'git', 'work.bundle') });
    return { base: sentBase, work: { blob: await fleet.blobs.put(work.bundle), commit: work.commit, head, branch } };
  };
  const send = async (tree: string, isKept: boolean): Promise<SentTree> => {
    const { base: sentBase, work } = await packTree(await openRepository(parts), tree);
    const scratchpad = readScratchpad(file.workspace, file.settings.prompts.scratchpad)?.text ?? null;
    const sent: SentTree = { base: sentBase, work, scratchpad };
    if (!isKept) return sent;
    if (last === null || last.sent.work !== work || last.sent.scratchpad !== scratchpad) keeper.add({ kind: 'tree', tree: sent });
    last = { tree, sent };
    return sent;
  };
  return (tree, isKept) => {
    const done = sending.then(() => send(tree, isKept));
    sending = done.catch(() => undefined);
    return done;
  };
}

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

/** What a worker must have: the program of each agent that may take the turn, and what the hat asks for. */
function toLabels({ settings }: RunFile, order: IterationStart): readonly string[] {
  const agents = order.panel === undefined ? [] : (settings.backends[order.hat] ?? []);
  const types = [findSpec(settings, order), ...agents].map(({ type }) => type);
  return [...new Set([...types, ...(settings.runsOn?.[order.hat] ?? [])])].sort();
}

interface Homecoming {
  readonly order: IterationStart;
  readonly home: SentHome;
  readonly copy: string;
}

async function bringHome(parts: OfferedRun, { order, home, copy }: Homecoming): Promise<void> {
  const { fleet, paths, file } = parts;
  await bringFiles(parts, order, home);
  if (home.work !== null) {
    const bundle = await demandBlob(fleet.blobs, home.work.blob);
    const repository = await openRepository(parts);
    const { commit } = home.work;
    const ref = `refs/ralph/${paths.runId}/${toTurnName(order)}/worker`;
    await fetchBundle(repository, { bundle, file: toScratch(parts, order, 'home'), ref, commit });
    const to = toCopyFolder(join(paths.folder, COPIES), copy);
    await writeWork(repository, { before: home.from, after: commit, to, indexFile: toScratch(parts, order, 'index') });
  }
  if (home.scratchpad !== null) writeScratchpad(file, home.scratchpad);
}

/** Prompt and outputs of the turn, in the place of what passed by while it ran. */
async function bringFiles({ fleet, paths, keeper }: OfferedRun, order: IterationStart, { files }: SentHome): Promise<void> {
  keeper.add({ kind: 'turn', name: toTurnName(order), files });
  const folder = join(paths.turns, toTurnName(order));
  for (const { name, blob } of files) {
    const bytes = await demandBlob(fleet.blobs, blob);
    rmSync(join(folder, name), { force: true });
    writeFileSync(join(folder, name), bytes, { mode: 0o600, flag: 'wx' });
  }
}

const MAX_FILE_BYTES = 64 << 20;

/** The files of a turn that go along with its report. `redact`: what is secret on a worker is known there alone. */
export async function sendFiles(blobs: Blobs, folder: string, redact: (text: string) => string): Promise<SentHome['files']> {
  const names = readdirSync(folder).filter(isFileName);
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
  if (!isJsonObject(value)) return { work: null, from: '', files: [], scratchpad: null };
  const { work = null, from, files = [], scratchpad = null } = value;
  return {
    work:
      isJsonObject(work) && typeof work['blob'] === 'string' && typeof work['commit'] === 'string'
        ? { blob: work['blob'], commit: work['commit'] }
        : null,
    from: typeof from === 'string' ? from : '',
    files: parseFiles(files),
    scratchpad: typeof scratchpad === 'string' ? scratchpad : null,
  };
}
