import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IterationStart } from '../core/run/effects.ts';
import type { Input } from '../core/run/inputs.ts';
import { type TurnId, toTurnName } from '../core/run/turn.ts';
import { isJsonObject, type Json } from '../core/values/json.ts';
import {
  fromContent,
  isFileName,
  MAX_FILES,
  type OfferSettings,
  offerGates,
  offerTurns,
  parseFiles,
  readChanges,
  type SentContent,
  type SentFile,
  type SentTree,
  toContent,
} from '../fleet/index.ts';
import { listDifferences, type Repository, toLook } from '../git/index.ts';
import type { LoopPorts } from '../loop/shell/index.ts';
import { isTaken, type RunCopies, toCopyFolder } from '../panel/share/index.ts';
import type { Elsewhere } from '../ports/elsewhere.ts';
import type { Blobs } from '../ports/fleet.ts';
import type { RunAway } from '../ports/gate-runner.ts';
import type { Workspace } from '../ports/workspace.ts';
import { steadyMs } from '../process/index.ts';
import type { RunFile } from '../runs/index.ts';
import { COPIES, findSpec } from '../turns/index.ts';
import { type FileChanges, isObjectId, replaceFiles, writeChanges } from '../workspace/bundle/index.ts';
import type { GitWorkspace, Snapshot } from '../workspace/checkpoint/index.ts';
import { createOpener, createTreeSender, type SentRun } from './send-tree.ts';
import { toFileChanges, toLostAfterMs, writeScratchpad } from './sent-work.ts';

/** A run whose turns are offered. */
export interface OfferedRun extends SentRun {
  /** See `KeptRun`. */
  readonly heard: Map<string, string[]>;
}

/** What a worker works on: plain JSON in an order. */
export interface SentPlace extends SentTree {
  /** The settings of the run, as its folder has them. */
  readonly settings: SentContent;
  readonly stateDir: string;
}

/** What a worker made: plain JSON in its report. */
export interface SentHome {
  /** What became of files: see `readChanges`. `null`: it changed none. */
  readonly changes: Json;
  /** The tree with which it began, by the name under which it was sent. */
  readonly from: string;
  readonly files: readonly SentFile[];
  readonly scratchpad: string | null;
}

/** The turns of a run in the hands of others. */
export interface OfferedTurns extends Elsewhere {
  /** Sends the folder as it is after a turn, for whoever goes on with the run. */
  readonly keepTree: (snapshot: Snapshot) => Promise<void>;
  /** Something of this run may change the folder from here on, other than a turn. */
  readonly expectChange: () => void;
  /** Runs gates on workers, on the tree that it is told when one is asked. */
  readonly gatesOn: (look: () => Promise<Snapshot>) => RunAway;
}

/** Gives the turns of a run to the workers of a fleet. */
export function offerToFleet(parts: OfferedRun, workspace: GitWorkspace, copies: RunCopies, tell: (text: string) => void): OfferedTurns {
  const { fleet, file, paths, keeper } = parts;
  const send = createTreeSender(parts);
  let last: { readonly snapshot: Snapshot; readonly at: number } | null = null;
  const look = async (order: IterationStart): Promise<Snapshot> =>
    last !== null && last.snapshot.tree !== null && steadyMs() - last.at < FRESH_MS
      ? last.snapshot
      : workspace.snapshot(toTurnName(order), 'opened');
  const packTree = async (snapshot: Snapshot, isKept: boolean): Promise<Json> => {
    const place = await send(snapshot, isKept);
    // Whoever goes on after this turn was offered begins where it began.
    await keeper.settled();
    const settings = await toContent(fleet.blobs, readFileSync(paths.settings));
    return { settings, stateDir: file.settings.stateDir, ...place } satisfies SentPlace as unknown as Json;
  };
  const common = { fleet, run: paths.runId, steady: steadyMs, tell, lostAfterMs: toLostAfterMs(parts.env), isOwn: keeper.isOwn };
  const gates = offerGates({ ...common, confirm: keeper.confirm, cwd: file.workspace });
  const offered = offerTurns({
    ...common,
    pack: async (order) => packTree(await look(order), true),
    labelsOf: (order) => toLabels(file, order),
    homecoming: createHomecoming(parts, workspace, copies),
  });
  const start: OfferedTurns['start'] = (turn, watch) => offered.start(turn, { ...watch, post: toNew(parts.heard, turn.order, watch.post) });
  const keepTree: OfferedTurns['keepTree'] = async (snapshot) => {
    last = { snapshot, at: steadyMs() };
    if (snapshot.tree !== null) await send(snapshot, true);
  };
  return {
    ...offered,
    ...{ start, keepTree },
    expectChange: () => {
      last = null;
    },
    gatesOn: (tell) => (order, signal, say) => gates.run(order, async () => packTree(await tell(), false), signal, say),
    close: async () => {
      await gates.close();
      await offered.close();
    },
  };
}

/** A turn that follows at once begins with what the one before it left. What somebody changes in so short a time is found when the turn comes home, as if it had begun before. */
const FRESH_MS = 50;

/** The folder of a run; what a turn left of it is kept by the fleet, where there is one. */
export function withSnapshots(workspace: GitWorkspace, elsewhere: OfferedTurns | null): Workspace {
  return {
    exists: workspace.exists,
    checkpoint: workspace.checkpoint,
    keepOpened: async (turn) => void (await workspace.snapshot(turn, 'opened')),
    keepBefore: async (turn) => (await workspace.snapshot(turn, 'before')).fingerprint,
    keepAfter: async (turn) => {
      const snapshot = await workspace.snapshot(turn, 'after');
      // One that cannot be sent now is sent with the next turn.
      await elsewhere?.keepTree(snapshot).catch(() => undefined);
      return snapshot.fingerprint;
    },
  };
}

/** Whoever offers turns hears of what changes the folder between them. */
export function withNotice(ports: LoopPorts, { expectChange }: OfferedTurns): LoopPorts {
  const noting =
    <Args extends readonly unknown[], Result>(act: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> => {
      expectChange();
      return act(...args).finally(expectChange);
    };
  const { gates, hooks, workspace } = ports;
  return {
    ...ports,
    gates: { ...gates, run: noting(gates.run) },
    workspace: { ...workspace, checkpoint: noting(workspace.checkpoint) },
    ...(hooks === undefined ? {} : { hooks: { ...hooks, ask: noting(hooks.ask) } }),
  };
}

/** What a turn changed is found out once, by whoever sends it home. */
export function withoutSnapshots({ exists, checkpoint }: GitWorkspace): Workspace {
  return { exists, checkpoint, keepOpened: async () => undefined, keepBefore: async () => null, keepAfter: async () => null };
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

/** What a worker must have: the program of each agent that may take the turn, and what the hat asks for. */
function toLabels({ settings }: RunFile, order: IterationStart): readonly string[] {
  const agents = order.panel === undefined ? [] : (settings.backends[order.hat] ?? []);
  const types = [findSpec(settings, order), ...agents].map(({ type }) => type);
  return [...new Set([...types, ...(settings.runsOn?.[order.hat] ?? [])])].sort();
}

/** How what a worker made comes into the folder, or into a copy of it. */
function createHomecoming(parts: OfferedRun, workspace: GitWorkspace, copies: RunCopies): OfferSettings['homecoming'] {
  const { fleet, paths, file, keeper } = parts;
  const repository = createOpener(parts);
  const apart = [file.settings.stateDir, ...file.settings.worktreeLinks];
  const isAllowed = (changes: FileChanges): boolean => [...changes.keys()].every((path) => isTaken(path, apart));
  const fetch = async (order: IterationStart, value: Json): Promise<{ readonly home: SentHome; readonly made: Made }> => {
    const home = parseHome(value);
    await bringFiles(parts, order, home);
    const made = home.changes === null ? NOTHING_MADE : await fetchMade(fleet.blobs, home.changes);
    // A process that was frozen meanwhile writes nothing.
    await keeper.confirm();
    if (home.scratchpad !== null) writeScratchpad(file, home.scratchpad);
    return { home, made };
  };
  return {
    bringTo: async (order, value, copy) => {
      const { made } = await fetch(order, value);
      writeChanges(toCopyFolder(join(paths.folder, COPIES), copy), made.changes);
    },
    bringIn: async (order, value, isDiscarded) => {
      const { home, made } = await fetch(order, value);
      const seen = readLooks(file.workspace, made.changes);
      const { fingerprint, tree } = await workspace.snapshot(toTurnName(order), 'before');
      if (made.changes.size === 0) return { before: fingerprint };
      const touched = new Set(await listTouched(repository, home.from, tree));
      // Nothing may come between this and the writing.
      for (const [path, look] of readLooks(file.workspace, made.changes)) if (seen.get(path) !== look) touched.add(path);
      if (
        touched.size === 0 &&
        !isDiscarded &&
        isAllowed(made.changes) &&
        replaceFiles(file.workspace, made.changes, (path) => made.added.has(path))
      )
        return { before: fingerprint };
      const paths = [...made.changes.keys()].map((path) => ({ path, isNew: made.added.has(path), isTouched: touched.has(path) }));
      const write = (to: string): void => writeChanges(to, made.changes);
      return { ...(await copies.bring(toTurnName(order), { paths, write, isDiscarded })), before: fingerprint };
    },
  };
}

function readLooks(top: string, changes: FileChanges): ReadonlyMap<string, string | null> {
  return new Map([...changes.keys()].map((path) => [path, toLook(join(top, path))]));
}

interface Made {
  readonly changes: FileChanges;
  /** Paths of those that are new. */
  readonly added: ReadonlySet<string>;
}

const NOTHING_MADE: Made = { changes: new Map(), added: new Set() };

async function fetchMade(blobs: Blobs, body: Json): Promise<Made> {
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

/** Prompt and outputs of the turn, in the place of what passed by while it ran. */
async function bringFiles({ fleet, paths, keeper }: OfferedRun, order: IterationStart, { files }: SentHome): Promise<void> {
  keeper.add({ kind: 'turn', name: toTurnName(order), files });
  const folder = join(paths.turns, toTurnName(order));
  for (const { name, ...content } of files) {
    const bytes = await fromContent(fleet.blobs, content);
    if (holds(join(folder, name), bytes)) continue;
    rmSync(join(folder, name), { force: true });
    writeFileSync(join(folder, name), bytes, { mode: 0o600, flag: 'wx' });
  }
}

function holds(path: string, bytes: Uint8Array): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === bytes.length && readFileSync(path).equals(bytes);
}

const MAX_FILE_BYTES = 64 << 20;

/** The files of a turn that go along with its report. `redact`: what is secret on a worker is known there alone. */
export async function sendFiles(blobs: Blobs, folder: string, redact: (text: string) => string): Promise<SentHome['files']> {
  const names = readdirSync(folder).filter(isFileName);
  const sent: SentFile[] = [];
  for (const name of names.sort().slice(0, MAX_FILES)) {
    const stats = lstatSync(join(folder, name));
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) continue;
    const bytes = readFileSync(join(folder, name));
    const text = bytes.toString('utf8');
    const shown = redact(text);
    sent.push({ name, ...(await toContent(blobs, shown === text ? bytes : Buffer.from(shown))) });
  }
  return sent;
}

/** Reads what a worker says that it made. */
function parseHome(value: Json): SentHome {
  if (!isJsonObject(value)) return { changes: null, from: '', files: [], scratchpad: null };
  const { changes = null, from, files = [], scratchpad = null } = value;
  return {
    changes,
    from: typeof from === 'string' ? from : '',
    files: parseFiles(files),
    scratchpad: typeof scratchpad === 'string' ? scratchpad : null,
  };
}
