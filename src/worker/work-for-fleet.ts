import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assembleRun, toWorkerMarker } from '../app/assemble-run.ts';
import type { AssembledRun, RunParts } from '../app/run-parts.ts';
import { BACKEND_TYPES } from '../core/backends/backend-spec.ts';
import { PANELS_FOLDER } from '../core/panel/panel-home.ts';
import type { IterationStart } from '../core/run/effects.ts';
import type { Input, IterationEnded } from '../core/run/inputs.ts';
import type { LiveRecord, RunRecord } from '../core/run/run-record.ts';
import type { RunState } from '../core/run/state.ts';
import { type TurnOutcome, toOrderTitle, toSentenceStart, toTurnName } from '../core/run/turn.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError, toErrorMessage } from '../core/values/errors.ts';
import { isJsonObject, isTextList, type Json, toJsonObject } from '../core/values/json.ts';
import { writeContract } from '../emit/contract-file.ts';
import { fromContent, PROTOCOL, parseContent } from '../fleet/messages.ts';
import { type PanelRoundTask, parseRoundTask } from '../fleet/round-messages.ts';
import { parseTree } from '../fleet/run-records.ts';
import { type Job, readOrderedAgent, takeWork } from '../fleet/take-work.ts';
import { isAgentsDoing, toWholeMessage } from '../fleet/too-large.ts';
import { watchFleet } from '../fleet/watch-fleet.ts';
import type { SentHome } from '../fleet-runs/bring-turn.ts';
import { toEvidenceFolder } from '../fleet-runs/kept-evidence.ts';
import { type SentPlace, sendDecision, sendFiles } from '../fleet-runs/offer-to-fleet.ts';
import { createPlaceTree } from '../fleet-runs/place-tree.ts';
import { isStateFolder, withScripts, withSecrets, writeScratchpad } from '../fleet-runs/sent-work.ts';
import { standIn } from '../fleet-runs/stand-in.ts';
import { closeWorkerHome, openWorkerHome, STOOD_IN, sweepWorkerHomes, toNextName, toWorkerMark } from '../fleet-runs/worker-home.ts';
import { createGit, demandGit } from '../git/git.ts';
import { captureGitPrograms, findRepository } from '../git/repository.ts';
import { makeFolders } from '../journal/file-system.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { toRunPaths } from '../journal/run-folder.ts';
import { ensureStateFolders } from '../journal/state-folders.ts';
import type { LoopView } from '../loop/shell/loop-ports.ts';
import { createPerformer } from '../loop/shell/performer.ts';
import { redactInput } from '../loop/shell/redact-input.ts';
import { INTERRUPTED } from '../loop/shell/turn-end.ts';
import { loadPluginFiles } from '../plugins/plugin-files.ts';
import { type Fleet, WORKER_GONE_MS } from '../ports/fleet.ts';
import { removeTree } from '../process/remove-tree.ts';
import { openGateReference } from '../run-gates/gate-reference.ts';
import { openAgentFolders, toLayout } from '../runs/layout.ts';
import { withoutToken } from '../runs/people.ts';
import { type RunFile, readRunFile } from '../runs/run-file.ts';
import { openRunWorkspace } from '../runs/run-workspace.ts';
import { withoutKeys } from '../safety/known-secrets.ts';
import { findRunIsolation, toStateDirs } from '../safety/run-isolation.ts';
import { compileTopology } from '../topology/routing/compile-topology.ts';
import { readScratchpad } from '../turns/hat-facts.ts';
import { toPlainLine } from '../views/text/plain-text.ts';
import { type ProgramTask, parseProgramTask, reportUnrun, takeProgram } from './take-programs.ts';
import { reportUntakenRound, takeRound } from './take-round.ts';
import { toAwayTeller, type WorkerPlace } from './worker-place.ts';

/** A worker of a fleet. */
export interface WorkerOrder {
  readonly fleet: Fleet;
  /** Where it keeps folders of its own; absolute. */
  readonly home: string;
  /** A folder of workers' folders: what killed ones left in it is ended and removed. `null`: nobody looks. */
  readonly siblings: string | null;
  readonly id: string;
  /** By which a fleet that it joins anew knows it again; absent: it is new. */
  readonly token?: string;
  readonly labels: readonly string[];
  readonly slots: number;
  /** Goes on with so many runs whose own process is lost. */
  readonly standsInFor: number;
  /** With the address of the fleet. */
  readonly env: Environment;
  /** Tells a person what it does, a line each. */
  readonly tell: (text: string) => void;
}

/**
 * Takes turns of a fleet's runs until `stop` is aborted or somebody of the fleet asks for that, and gives up those that it has when `kill` is. Each place of the worker has, for each run, a folder with a
 * repository of its own; everything around the agent is what it would be in a run on this machine.
 *
 * @returns the token by which another fleet that is in the place of its own may know it; `null`: it has ended
 */
export async function workForFleet(order: WorkerOrder, stop: AbortSignal, kill: AbortSignal): Promise<string | null> {
  const { fleet, home, id, labels, slots, tell } = order;
  const [drained, replaced, over] = [new AbortController(), new AbortController(), new AbortController()];
  const drain = AbortSignal.any([stop, drained.signal, replaced.signal]);
  const giveUp = AbortSignal.any([kill, replaced.signal]);
  // A name of one that was killed is not to be kept from whoever bears it next.
  const swept = order.siblings === null ? [] : await sweepWorkerHomes(order.siblings);
  for (const gone of swept) await fleet.workers.leave(gone).catch(() => undefined);
  const token = await openWorkerHome(home, id, order.token);
  // Agents do not get the way into the fleet.
  const own: MarkedOrder = { ...order, env: withoutToken(order.env), mark: toWorkerMark({ id, token }) };
  const worker = { id, token, labels, protocol: PROTOCOL };
  if (!(await fleet.workers.tell({ ...worker, slots, busy: [], isDraining: false }))) {
    closeWorkerHome(home, order.siblings !== null);
    throw toNameTaken(id);
  }
  const atOnce = slots === 1 ? '' : `, ${slots} at the same time`;
  tell(`The worker ${id} takes turns for ${labels.join(', ')}${atOnce}. Ctrl+C ends it when those under way have ended.`);
  if (!BACKEND_TYPES.some((type) => labels.includes(type)))
    tell(`No agent is called ${labels.join(' or ')}: gates and hooks with runs_on come here, and no turns.`);
  const undrain = fleet.workers.onDrain(id, () => {
    if (!drain.aborted) tell('No more turns, for somebody asked for that; those under way go on.');
    drained.abort();
  });
  const onNameLost = (): void => {
    tell(`No more turns, for another worker is called ${id} by now: this one had said nothing for too long.`);
    drained.abort();
  };
  const places = createPlaces(own);
  const perform = async (job: Job): Promise<void> => {
    const startedAt = performance.now();
    const title = `${toSentenceStart(toOrderTitle(job.name, toHat(job.task), readOrderedAgent(job.task) ?? undefined))} of run ${job.run}`;
    tell(`${title}: taken.`);
    const program = parseProgramTask(job.task) ?? parseRoundTask(job.task);
    const taking = program === null && isRound(job.task) ? refuseRound(job, id) : take(own, places.open(job), job, program);
    const status = await taking.catch((error: unknown) => {
      places.drop(job);
      const message = toErrorMessage(error);
      if (job.hasEnded()) return `reported; its folder is made anew (${message})`;
      if (program === null) return reportFailure(own, job, error);
      return program.kind === 'round' ? reportUntakenRound(job, id, error) : reportUnrun(job, program, toWholeMessage(error));
    });
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    tell(`${title}: ${job.fenced.aborted ? 'given up' : status} after ${seconds} s.`);
  };
  const watching = watchUntilReplaced(order, replaced, AbortSignal.any([kill, over.signal]));
  // Where it fails, that is thrown when the work under way has ended.
  watching.catch(() => undefined);
  await Promise.all([
    takeWork({ fleet, worker, slots, perform, tell, onNameLost }, drain, giveUp),
    standIn({ fleet, id, home: join(home, STOOD_IN), env: order.env, atOnce: order.standsInFor, tell }, drain, giveUp),
  ]);
  over.abort();
  await watching;
  undrain();
  closeWorkerHome(home, order.siblings !== null);
  return replaced.signal.aborted && !stop.aborted && !drained.signal.aborted ? token : null;
}

/** Ends what is under way where another fleet is in the place of the worker's. */
async function watchUntilReplaced({ fleet, tell }: WorkerOrder, replaced: AbortController, stop: AbortSignal): Promise<void> {
  if (!(await watchFleet(fleet, toAwayTeller(tell), stop))) return;
  tell('The fleet was replaced by another or an empty one: what is under way is given up.');
  replaced.abort();
  // What is still asked of the old one is asked in vain.
  await fleet.close();
}

function isRound(task: Json): boolean {
  return toJsonObject(task)['kind'] === 'round';
}

/** One that cannot be read: whoever offered it is not to wait for a turn's report. */
function refuseRound(job: Job, id: string): Promise<string> {
  return reportUntakenRound(job, id, new Error('its order of a round cannot be read: it may be of another version'));
}

/** A worker at work. */
interface MarkedOrder extends WorkerOrder {
  /** See `toWorkerMark`. */
  readonly mark: string;
}

function toNameTaken(id: string): RalphError {
  return new RalphError({
    code: 'fleet-worker-name',
    what: `Another worker of this fleet is called ${id}.`,
    why: 'Two of one name could not be told apart: who has which turn, and who is to drain.',
    fix: `Give this one another name, or let Ralph generate one: ralph worker --name ${toNextName(id)}\nIf the other was killed, the name is free after ${WORKER_GONE_MS / 1000} s, and in its own folder at once.`,
  });
}

/** Works on an order in a folder that shows what it is about. How it ended. */
async function take(
  order: MarkedOrder,
  opening: Promise<TurnPlace>,
  job: Job,
  program: ProgramTask | PanelRoundTask | null,
): Promise<string> {
  const place = await opening;
  const from = await showTree(place, job);
  if (program === null) return takeTurn(order, place, job, from);
  return program.kind === 'round' ? takeRound(order, place, job, program) : takeProgram(order, place, job, program);
}

/** A folder of the worker's own in which the turns of a run are taken, one after the other. */
interface TurnPlace extends WorkerPlace {
  readonly turns: string;
  /** The turn that is taken just now: who sees what happens in it, and whether its commits and notes come home. */
  readonly turn: { observe: (record: RunRecord) => void; isAlone: boolean };
}

/** The places of a worker, one for each run in each slot. */
function createPlaces(order: MarkedOrder) {
  const places = new Map<string, { readonly settings: string; readonly opened: Promise<TurnPlace> }>();
  const spoiled = new Set<string>();
  const toKey = ({ run, slot }: Job): string => join(run, String(slot));
  const openAnew = async (job: Job): Promise<TurnPlace> => {
    if (spoiled.has(toKey(job))) removeTree(join(order.home, toKey(job)));
    spoiled.delete(toKey(job));
    return openPlace(order, job);
  };
  return {
    open: (job: Job): Promise<TurnPlace> => {
      const known = places.get(toKey(job));
      // A run that is resumed may go on with others.
      const settings = JSON.stringify(isJsonObject(job.place) ? job.place['settings'] : null);
      if (known?.settings === settings) return known.opened;
      const opened = openAnew(job);
      places.set(toKey(job), { settings, opened });
      return opened;
    },
    /** It could not be made, or nobody knows what an order left of it: it is made anew for the next one. */
    drop: (job: Job): void => {
      places.delete(toKey(job));
      spoiled.add(toKey(job));
    },
  };
}

async function openPlace({ fleet, home, env, mark }: MarkedOrder, job: Job): Promise<TurnPlace> {
  const sent = parsePlace(job.place);
  const root = join(home, job.run, String(job.slot));
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const git = createGit({ cwd: root, env });
  if (!existsSync(join(root, '.git'))) await demandGit(git, ['init', '--quiet']);
  const layout = toLayout(root, sent.stateDir);
  ensureStateFolders(nodeFileSystem, [layout.stateDir]);
  const paths = toRunPaths(layout.stateDir, job.run);
  makeFolders(nodeFileSystem, paths.turns);
  writeFileSync(paths.settings, await fromContent(fleet.blobs, sent.settings), { mode: 0o600 });
  const kept = readRunFile(paths.settings);
  const settings = withScripts(withSecrets(kept.settings, env), sent.folders ?? [], root);
  const file: RunFile = {
    ...kept,
    settings,
    workspace: root,
    worktree: null,
    baseline: null,
    gitPrograms: await captureGitPrograms({ cwd: root, env }),
  };
  const own = withoutKeys(settings, env);
  const found = await findRepository({ cwd: root, env: own, stateDirs: toStateDirs(settings), programs: file.gitPrograms });
  if (!found.ok) throw new Error(found.refused);
  if (found.value.prefix !== '') throw new Error('the folder is no repository of its own');
  const scratch = join(root, '.git');
  const tree = createPlaceTree(found.value, openRunWorkspace({ paths, file, env, onFleet: 'worker' }), { blobs: fleet.blobs, scratch });
  await tree.show(sent);
  await loadPluginFiles(settings, root);
  openAgentFolders(root, settings);
  writeContract(paths.folder, { spec: settings.spec, workspace: root });
  const { isolation } = await findRunIsolation(settings);
  const reference = await openGateReference({ paths, file, env }, false);
  const turn: TurnPlace['turn'] = { observe: () => undefined, isAlone: false };
  const observe: RunParts['watch']['observe'] = (record) => turn.observe(record);
  const parts: RunParts = { layout, paths, file, env, watch: { observe }, reference, isolation, worker: mark };
  const run = asWorker(
    assembleRun(parts, () => undefined),
    mark,
    turn,
  );
  const folders = { turns: paths.turns, panels: join(paths.folder, PANELS_FOLDER), evidence: toEvidenceFolder(paths) };
  return { run, file, tree, repository: found.value, ...folders, turn };
}

function asWorker(run: AssembledRun, mark: string, turn: Readonly<TurnPlace['turn']>): AssembledRun {
  const { agents } = run.ports;
  const surroundings: typeof agents.surroundings = async (order) => {
    const plain = await agents.surroundings(order);
    return { ...plain, marker: toWorkerMarker(mark, plain.marker) };
  };
  const promptFactsOf: typeof agents.promptFactsOf = (order) => {
    const facts = agents.promptFactsOf?.(order);
    return turn.isAlone ? { ...facts } : { ...facts, mayCommit: false, mayNote: false };
  };
  return { ...run, ports: { ...run.ports, agents: { ...agents, surroundings, promptFactsOf } } };
}

/** Makes the folder show what an order is about; the name of the tree. */
async function showTree({ file, tree }: TurnPlace, job: Job): Promise<string> {
  const sent = parsePlace(job.place);
  const from = await tree.show(sent);
  openAgentFolders(file.workspace, file.settings);
  writeScratchpad(file, sent.scratchpad);
  return from;
}

/** Takes a turn as a run on this machine would: with the same code, and a loop that is somewhere else. How it ended. `from`: the tree that the folder shows. */
async function takeTurn({ fleet, id }: WorkerOrder, place: TurnPlace, job: Job, from: string): Promise<string> {
  const { run, file, turn } = place;
  const { effect, state, isAlone } = parseTask(job.task);
  let told: Promise<unknown> = Promise.resolve();
  const tell = (words: Parameters<Job['report']>[0]): void => {
    told = told.then(() => job.report(words));
  };
  turn.isAlone = isAlone;
  turn.observe = (record) => {
    if (record.kind === 'live') job.show(record satisfies LiveRecord);
  };
  let trouble: string | null = null;
  const redact = (text: string): string => run.ports.redaction?.text(text) ?? text;
  const ended = new Promise<IterationEnded>((resolve, fail) => {
    const post = (given: Input): void => {
      const input = redactInput(given, run.ports.redaction);
      if (input.type === 'environment-failed') trouble = input.message;
      else if (input.type === 'iteration-ended') resolve(trouble === null ? input : { ...input, outcome: failFor(id, trouble) });
      else tell({ kind: 'input', input });
    };
    const turns: typeof run.ports.turns = {
      ...run.ports.turns,
      open: (turn, text) => {
        tell({ kind: 'prompt', text });
        return run.ports.turns.open(turn, text);
      },
    };
    const loop = createAwayLoop(file, { ...state, inboxOffset: run.ports.inbox.end() }, post);
    const performer = createPerformer({ ports: { ...run.ports, turns }, settings: run.settings, loop });
    job.fenced.addEventListener('abort', () => void performer.close());
    // Not before the turn is under way: what is for one that is not known is for nobody.
    const hear = (): void => job.onEffect((wanted) => void performer.perform(wanted).catch(() => undefined));
    const begun = performer.perform(effect).then(() => (job.fenced.aborted ? performer.close() : hear()));
    begun.catch(fail);
  });
  const input = await ended;
  const made = await place.tree.collect();
  await told.catch(() => undefined);
  const home: SentHome = {
    ...made,
    from,
    files: await sendFiles(fleet.blobs, join(place.turns, toTurnName(effect)), redact),
    ...(effect.panel !== undefined && (await sendDecision(fleet.blobs, place.panels, [toTurnName(effect), effect.panel.home], redact))),
    scratchpad: toRedacted(readScratchpad(file.workspace, file.settings.prompts.scratchpad)?.text ?? null, redact),
  };
  await job.report({ kind: 'ended', input, home: home as unknown as Json });
  return input.outcome.status;
}

function toRedacted(text: string | null, redact: (text: string) => string): string | null {
  return text === null ? null : redact(text);
}

/** What a turn knows of a loop that is elsewhere: how it was when the turn was ordered. */
function createAwayLoop(file: RunFile, state: RunState, post: (input: Input) => void): LoopView {
  const topology = compileTopology(file.settings.spec);
  return { post, state: () => state, topology: () => topology, inOrder: (_, job) => job(), hear: () => undefined };
}

/** A turn that cannot begin here, or of which nobody can tell what it changed, has failed: another worker may have what this one lacks. */
async function reportFailure({ id }: WorkerOrder, job: Job, error: unknown): Promise<string> {
  const { effect, state } = parseTask(job.task);
  const { iteration, attempt } = effect;
  const input: IterationEnded = {
    ...{ type: 'iteration-ended', at: Date.now(), iteration, attempt, inboxOffset: state.inboxOffset },
    ...INTERRUPTED,
    outcome: isAgentsDoing(error) ? failForAgent(id, error) : failFor(id, toErrorMessage(error)),
  };
  await job.report({ kind: 'ended', input, home: null });
  return input.outcome.status;
}

/** What a worker lacks, another one may have. */
function failFor(id: string, message: string): TurnOutcome {
  return { status: 'failed', failure: { class: 'transient', message: `the worker ${id} is in trouble: ${message}` } };
}

/** Another worker would refuse it as well. */
function failForAgent(id: string, error: unknown): TurnOutcome {
  return { status: 'failed', failure: { class: 'agent', message: `on worker ${id}: ${toWholeMessage(error)}` } };
}

interface TurnTask {
  readonly effect: IterationStart;
  readonly state: RunState;
  readonly isAlone: boolean;
}

function parseTask(task: Json): TurnTask {
  const { effect, state, isAlone } = isJsonObject(task) ? task : {};
  if (!isJsonObject(effect) || effect['type'] !== 'iteration-start' || !isJsonObject(state)) throw new Error('the order holds no turn');
  return { effect: effect as unknown as IterationStart, state: state as unknown as RunState, isAlone: isAlone === true };
}

/** Whose turn it is, for people; `undefined` for a gate. */
function toHat(task: Json): string | undefined {
  const hat = toJsonObject(toJsonObject(task)['effect'])['hat'];
  return typeof hat === 'string' ? toPlainLine(hat, 40) : undefined;
}

function parsePlace(place: Json): SentPlace {
  const { settings: sent, stateDir, folders } = isJsonObject(place) ? place : {};
  const tree = parseTree(place);
  const settings = isJsonObject(sent) ? parseContent(sent) : null;
  if (settings === null || tree === null) throw new Error('the order does not say where to work');
  // It becomes a folder below the worker's own.
  if (!isStateFolder(stateDir)) throw new Error('the order names no folder for state');
  return { settings, stateDir, ...(isTextList(folders) && { folders }), ...tree };
}
