import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLifeEvent } from '../core/hooks/hook-moments.ts';

import { DECIDED_FILES, isPanelHome } from '../core/panel/panel-home.ts';
import type { Input } from '../core/run/inputs.ts';
import { type TurnId, toTurnName } from '../core/run/turn.ts';
import type { Json } from '../core/values/json.ts';
import { toHookOrderName } from '../fleet/fleet-names.ts';
import { type SentContent, toContent } from '../fleet/messages.ts';
import { offerPrograms } from '../fleet/offer-programs.ts';
import { type OfferSettings, offerTurns } from '../fleet/offer-turns.ts';
import { listHeard, listTakers } from '../fleet/open-order.ts';
import { toGateProgram, toHookProgram } from '../fleet/program-kinds.ts';
import { isFileName, MAX_FILES, type SentFile, type SentTree } from '../fleet/run-records.ts';
import { MAX_FILE_BYTES, MAX_OUTPUT_BYTES } from '../fleet/too-large.ts';
import type { RunCopies } from '../panel/share/work-copies.ts';

import type { Elsewhere } from '../ports/elsewhere.ts';
import type { Blobs, Fleet, WorkerState } from '../ports/fleet.ts';
import type { RunAway } from '../ports/gate-runner.ts';
import type { PanelRounds } from '../ports/panel-rounds.ts';
import type { Workspace } from '../ports/workspace.ts';
import { steadyMs } from '../process/steady-clock.ts';
import type { GitWorkspace, Snapshot } from '../workspace/checkpoint/create-workspace.ts';
import { toSaid } from './away-watch.ts';
import { createHomecoming, makeUsualFiles, type SentHome } from './bring-turn.ts';
import type { HearPrograms } from './kept-run.ts';
import { type AwayPrograms, toLostAfterMs } from './kept-run.ts';
import { readWhole } from './read-plain.ts';
import { canSpread, createRoundsAway, type RoundsAway, toOrderLabels, toRoundLabels } from './rounds-away.ts';
import { createOpener, createTreeSender, type SentRun } from './send-tree.ts';

/** A run whose turns are offered. */
export interface OfferedRun extends SentRun {
  /** See `KeptRun`. */
  readonly heard: Map<string, string[]>;
  readonly keptTo: number;
  /** Absolute; the main checkout of a worktree, whose scripts hooks ask. */
  readonly root: string;
  /** In which the copies of its folder are. */
  readonly copiesFolder: string;
}

/** What a worker works on: plain JSON in an order. */
export interface SentPlace extends SentTree {
  /** The settings of the run, as its folder has them. */
  readonly settings: SentContent;
  readonly stateDir: string;
  /** Absolute paths that the working tree has where the run is; absent in orders of older versions. */
  readonly folders?: readonly string[];
}

/** The turns of a run in the hands of others. */
export interface OfferedTurns extends Elsewhere, AwayPrograms {
  /** Looks at the folder around a turn, and sends it as it is then, for whoever goes on with the run. */
  readonly snapshot: GitWorkspace['snapshot'];
  /** Makes a checkpoint, and sends the folder with it. */
  readonly checkpoint: GitWorkspace['checkpoint'];
  /** Gives rounds of panels whose turns are taken here to workers. */
  readonly rounds: PanelRounds;
  /** Runs gates on workers, on the tree that it is told when one is asked. */
  readonly gatesOn: (look: () => Promise<Snapshot>) => RunAway;
}

/** Gives the turns of a run to the workers of a fleet. */
export function offerToFleet(parts: OfferedRun, workspace: GitWorkspace, copies: RunCopies, tell: OfferSettings['tell']): OfferedTurns {
  const { fleet, file, paths, keeper } = parts;
  const folders = [file.workspace, parts.root];
  const repository = createOpener(parts);
  const send = createTreeSender(parts, repository);
  const sendSettings = createSettingsSender(parts);
  const kept = createTreeKeeper(parts, workspace, send);
  const describe = async () => {
    // Whoever goes on after this was offered begins where it began.
    await keeper.settled();
    return { settings: await sendSettings(), stateDir: file.settings.stateDir, folders };
  };
  const packTree = async (seen: Snapshot, turn: string | null): Promise<Json> => {
    const place = await send(seen, turn !== null);
    if (turn !== null) kept.name(seen, turn, 'opened');
    return { ...(await describe()), ...place } satisfies SentPlace as unknown as Json;
  };
  const common = { fleet, run: paths.runId, steady: steadyMs, tell, lostAfterMs: toLostAfterMs(parts.env), isOwn: keeper.isOwn };
  let hear: HearPrograms = () => undefined;
  const see: HearPrograms = (news) => hear(news);
  const programs = offerPrograms({ ...common, confirm: keeper.confirm, cwd: file.workspace, see });
  const rounds = createRoundsAway({
    ...{ ...common, see, repository, describe, look: workspace.look, send: (seen) => send(seen, false), confirm: keeper.confirm },
    ...{ skipped: [file.settings.stateDir, ...file.settings.worktreeLinks], labelsOf: (round) => toRoundLabels(file.settings, round) },
  });
  const offered = offerTurns({
    ...common,
    pack: async (order) => packTree(await workspace.snapshot(toTurnName(order), 'opened'), toTurnName(order)),
    labelsOf: (order) => toOrderLabels(file.settings, order),
    homecoming: createHomecoming({ ...parts, repository, workspace: kept, copies, tell, folder: parts.copiesFolder }),
  });
  const start: OfferedTurns['start'] = (turn, watch) =>
    offered.start(turn, {
      ...watch,
      prompt: (text) => {
        watch.prompt(text);
        makeUsualFiles(parts, turn.order);
      },
      post: toNew(parts.heard, turn.order, watch.post),
    });
  return {
    ...offered,
    start,
    rounds,
    ...withRounds(parts, { offered, rounds, kept }),
    checkpoint: kept.checkpoint,
    gatesOn: (look) => (order, signal, say) =>
      programs.run(toGateProgram(order, fleet.blobs), async () => packTree(await look(), null), signal, say),
    ...toHookAsker({ ...parts, folders }, programs, async () => packTree(await workspace.look(), null)),
    onPrograms: (given) => {
      hear = given;
    },
    closePrograms: programs.close,
  };
}

interface OfferedSides {
  readonly offered: Elsewhere;
  readonly rounds: RoundsAway;
  readonly kept: Pick<OfferedTurns, 'snapshot'>;
}

/** Panels whose turns are taken here, and their rounds by workers. */
function withRounds(
  parts: OfferedRun,
  { offered, rounds, kept }: OfferedSides,
): Pick<OfferedTurns, 'spreads' | 'withdraw' | 'close' | 'snapshot'> {
  const spread = new Set<string>();
  return {
    spreads: async (order) => {
      const isSpread = canSpread(await listServing(parts.fleet), parts.file.settings, order);
      if (isSpread) spread.add(toTurnName(order));
      return isSpread;
    },
    withdraw: async (turn) => {
      await Promise.all([offered.withdraw(turn), rounds.withdraw(turn)]);
    },
    close: async () => {
      await rounds.close();
      await offered.close();
    },
    snapshot: async (turn, moment) => {
      // What a worker reports of a turn brings its outputs along; of one that was taken here they are kept now.
      if (moment === 'after' && spread.has(turn)) await keepOutputs(parts, turn);
      return kept.snapshot(turn, moment);
    },
  };
}

/** Workers that take orders; those that are told to drain take none. Where they cannot be asked for, none. */
export async function listServing({ workers }: Pick<Fleet, 'workers'>): Promise<readonly WorkerState[]> {
  const there = await listHeard({ workers }).catch(() => []);
  return there.filter(({ isDraining }) => !isDraining);
}

/** Keeps in the fleet what the folder was like around turns, and behind checkpoints. */
function createTreeKeeper(
  { keeper }: Pick<OfferedRun, 'keeper'>,
  workspace: GitWorkspace,
  send: ReturnType<typeof createTreeSender>,
): Pick<OfferedTurns, 'snapshot' | 'checkpoint'> & { readonly name: (seen: Snapshot, turn: string, moment: string) => void } {
  const name = ({ tree }: Snapshot, turn: string, moment: string): void => {
    if (tree !== null) keeper.addLater({ kind: 'snapshot', name: `${turn}/${moment}`, tree });
  };
  // What cannot be sent now is sent with the next turn.
  const keep = async (seen: Snapshot): Promise<unknown> => (seen.tree === null ? null : send(seen, true).catch(() => undefined));
  return {
    name,
    snapshot: async (turn, moment) => {
      const seen = await workspace.snapshot(turn, moment);
      await keep(seen);
      name(seen, turn, moment);
      return seen;
    },
    checkpoint: async (iteration) => {
      const made = await workspace.checkpoint(iteration);
      // No turn may come behind the last one.
      if (made.commit !== null) await keep(await workspace.look());
      return made;
    },
  };
}

/** So many hooks of another configuration are looked for. */
const LEFT_HOOKS = 16;

/** Asks each hook under the name of its place among those of the run that need a worker. What the process before this one offered is ended first. */
function toHookAsker(
  { fleet, file, keptTo, folders }: Pick<OfferedRun, 'fleet' | 'file' | 'keptTo'> & Required<Pick<SentPlace, 'folders'>>,
  programs: ReturnType<typeof offerPrograms>,
  pack: () => Promise<Json>,
): Pick<OfferedTurns, 'askAway'> {
  const { hooks = {}, runHooks = [] } = file.settings;
  const unserved = new Set<string>();
  const away = [...runHooks, ...Object.values(hooks).flat()].filter(({ runsOn }) => runsOn !== undefined);
  const known = [...new Set(away.map((spec) => JSON.stringify(spec)))];
  // The process before this one may have had more of them.
  const left = Array.from({ length: Math.max(known.length, LEFT_HOOKS) }, (_, place) => toHookOrderName(place));
  if (keptTo > 0) programs.dropLeft(left);
  if (known.length === 0) return {};
  return {
    askAway: async (order, signal) => {
      const program = toHookProgram(order, known.indexOf(JSON.stringify(order.spec)), folders);
      if (program === null) return { kind: 'lost', why: 'its script is not in the folder of the run, so no worker can have it' };
      const labels = program.labels.join(',');
      const isServed = async (): Promise<boolean> => (await listTakers(fleet, program).catch(() => [])).length > 0;
      // Where one waited in vain, the end of the run is not to wait for each that comes after it.
      if (isLifeEvent(order.spec.event) && unserved.has(labels) && !(await isServed()))
        return { kind: 'lost', why: `there is no worker with ${labels}` };
      unserved.delete(labels);
      const result = await programs.run(program, pack, signal);
      if (result.kind === 'stopped' && isLifeEvent(order.spec.event) && !(await isServed())) unserved.add(labels);
      return result;
    },
  };
}

/** Sends the settings of a run once: they would be the larger part of each order. */
function createSettingsSender({ fleet, paths }: OfferedRun): () => Promise<SentContent> {
  let last: { readonly bytes: Buffer; readonly sent: SentContent } | null = null;
  return async () => {
    const bytes = readFileSync(paths.settings);
    if (last?.bytes.equals(bytes) !== true) last = { bytes, sent: { blob: await fleet.blobs.put(bytes) } };
    return last.sent;
  };
}

/** The folder of a run; what it was like around turns is kept by the fleet as well, where there is one. */
export function withSnapshots(workspace: GitWorkspace, elsewhere: Pick<OfferedTurns, 'snapshot' | 'checkpoint'> | null): Workspace {
  const { snapshot, checkpoint } = elsewhere ?? workspace;
  return {
    exists: workspace.exists,
    checkpoint,
    keepOpened: async (turn) => void (await snapshot(turn, 'opened')),
    keepBefore: async (turn) => (await snapshot(turn, 'before')).fingerprint,
    keepAfter: async (turn) => (await snapshot(turn, 'after')).fingerprint,
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
    const place = known.indexOf(toSaid(input));
    if (place < 0) post(input);
    else known.splice(place, 1);
  };
}

async function keepOutputs({ fleet, keeper, paths }: Pick<OfferedRun, 'fleet' | 'keeper' | 'paths'>, turn: string): Promise<void> {
  const files = await sendFiles(fleet.blobs, join(paths.turns, turn), (text) => text).catch(() => []);
  if (files.length > 0) keeper.add({ kind: 'turn', name: turn, files });
}

/**
 * The files of a turn that go along with its report.
 *
 * @param redact what is secret on a worker is known there alone
 * @param wanted the only ones that go; default: all
 */
export async function sendFiles(
  blobs: Blobs,
  folder: string,
  redact: (text: string) => string,
  wanted?: readonly string[],
): Promise<SentHome['files']> {
  const there = wanted ?? readdirSync(folder);
  const names = there.filter((name) => isFileName(name) && existsSync(join(folder, name)));
  const sent: SentFile[] = [];
  let left = MAX_OUTPUT_BYTES;
  for (const name of names.sort().slice(0, MAX_FILES)) {
    const most = Math.min(left, MAX_FILE_BYTES);
    const bytes = readWhole(join(folder, name), most);
    if (bytes === null) continue;
    const text = bytes.toString('utf8');
    const shown = redact(text);
    const redacted = shown === text ? bytes : Buffer.from(shown);
    // What stands for a secret may be longer.
    if (redacted.length > most) continue;
    left -= redacted.length;
    sent.push({ name, ...(await toContent(blobs, redacted)) });
  }
  return sent;
}

/** What a panel decided; it is in the folder of the turn in which it began, which is one of these. */
export async function sendDecision(
  blobs: Blobs,
  folder: string,
  homes: readonly string[],
  redact: (text: string) => string,
): Promise<Pick<SentHome, 'panel'>> {
  const home = homes.find((name) => isPanelHome(name) && existsSync(join(folder, name, DECIDED_FILES.answer)));
  if (home === undefined) return {};
  return { panel: { home, files: await sendFiles(blobs, join(folder, home), redact, Object.values(DECIDED_FILES)) } };
}
