import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { findPackageFolder } from '../config/layers/package-files.ts';
import { DEFAULT_HUMAN } from '../config/settings.ts';
import type { JournalEntry } from '../core/run/inputs.ts';
import { openAskBox, toAskPlace } from '../emit/ask-file.ts';
import { createPayloadCheck } from '../emit/create-payload-check.ts';
import { keepEvidence, toEvidenceFolder } from '../fleet-runs/kept-evidence.ts';
import { keepJournal, keepRest } from '../fleet-runs/kept-run.ts';
import { type OfferedTurns, offerToFleet, withoutSnapshots, withSnapshots } from '../fleet-runs/offer-to-fleet.ts';
import { createGateRunner } from '../gates/create-gate-runner.ts';
import type { GateRunnerSettings } from '../gates/gate-contract.ts';
import { listIgnored } from '../git/repository.ts';
import { createLoopHookAsker } from '../hooks/ask-loop-hooks.ts';
import { createJsonlInbox } from '../journal/jsonl-inbox.ts';
import { openJsonlJournal } from '../journal/jsonl-journal.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { toRescuePaths } from '../journal/run-folder.ts';
import { createSharedFileSystem } from '../journal/shared-file-system.ts';
import { createTurnStore } from '../journal/turn-store.ts';
import type { HeldRun } from '../landing/judge-merge.ts';
import type { LoopPorts, LoopSettings } from '../loop/shell/loop-ports.ts';
import { COPIES, createWorkCopies, type RunCopies, toCopyFolder } from '../panel/share/work-copies.ts';
import type { GateRunner } from '../ports/gate-runner.ts';
import type { Isolation } from '../ports/program.ts';
import type { WorkCopies } from '../ports/work-copies.ts';
import { createRedaction } from '../process/redact.ts';
import { steadyMs } from '../process/steady-clock.ts';
import { findCheck } from '../project/find-checks.ts';
import { listReferenceFiles } from '../run-gates/gate-reference.ts';
import { runGates, toGateGuard } from '../run-gates/run-gates.ts';
import { createStartTests } from '../run-gates/start-tests.ts';
import { type Admission, admitPeople } from '../runs/admit-people.ts';
import { toOutsideFile } from '../runs/emit-event.ts';
import { openAgentFolders } from '../runs/layout.ts';
import { toGateMarker } from '../runs/markers.ts';
import { reapTurn } from '../runs/processes.ts';
import { createRunClock } from '../runs/run-clock.ts';
import type { RunFile } from '../runs/run-file.ts';
import { openRunWorkspace } from '../runs/run-workspace.ts';
import { openSteering } from '../runs/steering.ts';
import { watchFolder } from '../runs/watch-folder.ts';
import { findKnownSecrets, withoutKeys } from '../safety/known-secrets.ts';
import { coverWorktrees, protectState, toStateDirs } from '../safety/run-isolation.ts';
import { writeAgentCommand } from '../turns/agent-environment.ts';
import { createGateHold } from '../turns/confine-gates.ts';
import { readScratchpad, toPromptOptions } from '../turns/hat-facts.ts';
import type { TurnScopeSettings } from '../turns/scope-tools.ts';
import { keepTrustedState } from '../turns/trusted-files.ts';
import { createTurnAgents } from '../turns/turn-agents.ts';
import { createTurnScopes } from '../turns/turn-scopes.ts';
import { createWorkspace, type GitWorkspace } from '../workspace/checkpoint/create-workspace.ts';
import type { AssembledRun, RunParts } from './run-parts.ts';

/** How long an agent may take to end when it is asked to. */
const STOP_GRACE_MS = 10_000;

/**
 * Constructs the adapters of a run. The caller holds its locks.
 *
 * @param visit is given every entry that the journal has already
 */
export function assembleRun(parts: RunParts, visit: (entry: JournalEntry) => void): AssembledRun {
  const { layout, paths, file, env, watch } = parts;
  const { prompts, turnLogCapBytes } = file.settings;
  // First what may be refused: opening the journal mends it where it was cut off.
  const agentCommand = writeAgentCommand(layout.binDir);
  const { journal, damage } = openJsonlJournal(
    { fs: nodeFileSystem, path: paths.journal, rescueFolder: toRescuePaths(layout.stateDir, paths.runId).folder },
    keepRest(parts.kept, visit),
  );
  const workspace = openRunWorkspace({ ...parts, ...toFleetSide(parts) });
  const redaction = createRedaction(env, findKnownSecrets(file.settings, env));
  const checkPayload = createPayloadCheck(file.settings.spec.events);
  const outside = createJsonlInbox({ fs: nodeFileSystem, path: toOutsideFile(paths), label: 'outside.jsonl', hasSenders: true });
  const people = admitPeople(outside, file.settings.externalEvents, paths);
  const backpressure = watch.backpressure === undefined ? {} : { backpressure: watch.backpressure };
  const copies = createCopies(parts);
  const elsewhere = createElsewhere(parts, workspace, copies);
  const agents = createAgents(parts, agentCommand, workspace, people.admitTokens, elsewhere);
  const ports: LoopPorts = {
    journal: parts.kept === undefined ? journal : keepJournal(journal, parts.kept),
    clock: createRunClock(),
    inbox: createJsonlInbox({
      fs: createSharedFileSystem(file.workspace),
      path: join(file.workspace, prompts.eventsFile),
      label: prompts.eventsFile,
    }),
    outside: people.inbox,
    steering: openSteering(paths, people.admitWord),
    asks: openAskBox(toAskPlace(join(file.workspace, prompts.eventsFile), paths.folder, file.workspace), watchFolder),
    turns: createTurnStore({ fs: nodeFileSystem, dir: paths.turns, capBytes: turnLogCapBytes }),
    ...toLoopHooks(parts, elsewhere),
    gates: createGates(parts, agentCommand, workspace, elsewhere),
    workspace: parts.worker !== undefined ? withoutSnapshots(workspace) : withSnapshots(workspace, elsewhere),
    copies,
    agents,
    ...(elsewhere === null ? {} : { elsewhere }),
    reap: async (activation) => {
      await Promise.all([reapTurn(paths.runId, activation), elsewhere?.withdraw(activation)]);
    },
    ...(checkPayload === null ? {} : { checkPayload }),
    ...(redaction === null ? {} : { redaction }),
    readScratchpad: () => readScratchpad(file.workspace, prompts.scratchpad),
    observe: watch.observe,
    ...(watch.isAttended === undefined ? {} : { isAttended: watch.isAttended }),
    ...backpressure,
  };
  return {
    ports,
    settings: { prompt: toRunPrompts(file), turnLogCapBytes, stopGraceMs: STOP_GRACE_MS, asking: toAsking(file.settings) },
    workspace,
    damage,
    admitStop: people.admitStop,
    away: elsewhere,
    panelAgentOf: agents.panelAgentOf,
  };
}

/** Gates in the folder of the run; where a fleet keeps it, what they showed is kept as well. */
function createGates(parts: RunParts, agentCommand: string, workspace: GitWorkspace, elsewhere: OfferedTurns | null): GateRunner {
  const { kept, watch, paths } = parts;
  const gates = createGateRunner({
    ...toGateSettings(parts, elsewhere),
    ...(elsewhere !== null && { runAway: elsewhere.gatesOn(workspace.look) }),
    ...toGateIsolation(parts),
    ...toHold(parts, agentCommand, workspace),
    ...(watch.backpressure !== undefined && { backpressure: watch.backpressure }),
  });
  return kept === undefined ? gates : keepEvidence(gates, kept, toEvidenceFolder(paths));
}

/** Gives the turns to workers; `null` where they are taken here. What their workers wait for is told as a warning of the run. */
function createElsewhere(parts: RunParts, workspace: GitWorkspace, copies: RunCopies): OfferedTurns | null {
  const { kept, watch } = parts;
  if (kept === undefined) return null;
  const tell: Parameters<typeof offerToFleet>[3] = (text, level = 'warning') =>
    watch.observe({ kind: 'effect', seq: 0, at: Date.now(), effect: { type: 'notice', level, code: 'fleet', text } });
  const { workspace: folder, settings } = parts.file;
  const readNotes = (): string | null => readScratchpad(folder, settings.prompts.scratchpad)?.text ?? null;
  const copiesFolder = join(parts.paths.folder, COPIES);
  return offerToFleet({ ...parts, ...kept, readNotes, root: parts.layout.root, copiesFolder }, workspace, copies, tell);
}

function createAgents(
  parts: RunParts,
  agentCommand: string,
  tree: GitWorkspace,
  admitTokens: Admission['admitTokens'],
  elsewhere: OfferedTurns | null,
): ReturnType<typeof createTurnAgents> {
  const { layout, paths, file, env } = parts;
  return createTurnAgents({
    runId: paths.runId,
    runFolder: paths.folder,
    workspace: file.workspace,
    settings: file.settings,
    env,
    agentCommand,
    binDir: layout.binDir,
    ...toIsolation(parts),
    gatesIn: (cwd, marker) => createGatesIn(parts, agentCommand, tree, { cwd, marker }),
    scopes: createTurnScopes(toScopeSettings(parts, agentCommand, tree)),
    ...(elsewhere !== null && { rounds: elsewhere.rounds }),
    undo: keepTrustedState({ layout, paths, file, agentCommand, gateFiles: listReferenceFiles(paths), tree, admitTokens }),
  });
}

/** Copies of the folder for turns that run at the same time, with what agents have there beside the work. */
function createCopies({ paths, file, env }: RunParts): WorkCopies & RunCopies {
  const { settings, workspace, gitPrograms: programs } = file;
  const repository = { programs, cwd: workspace, env: withoutKeys(settings, env), stateDirs: toStateDirs(settings) };
  const folder = join(paths.folder, COPIES);
  const eventsIn = (name: string): string => join(toCopyFolder(folder, name), settings.prompts.eventsFile);
  return {
    ...createWorkCopies({
      ...{ folder, workspace, links: settings.worktreeLinks, skipped: [settings.stateDir] },
      listIgnored: (files) => listIgnored(repository, files),
      prepare: (copy) => openAgentFolders(copy, settings),
    }),
    inboxOf: (name) =>
      createJsonlInbox({
        fs: createSharedFileSystem(toCopyFolder(folder, name)),
        path: eventsIn(name),
        label: settings.prompts.eventsFile,
      }),
    asksOf: (name) => openAskBox(toAskPlace(eventsIn(name), paths.folder, toCopyFolder(folder, name)), watchFolder),
  };
}

/** Gates in a copy of the folder, held as in the folder itself; what they show there is no evidence about the run. */
function createGatesIn(
  parts: RunParts,
  agentCommand: string,
  tree: GitWorkspace,
  { cwd, marker }: Pick<GateRunnerSettings, 'cwd'> & { readonly marker: string },
): GateRunner {
  const { file, env } = parts;
  const { gatesAtOnce, isSafe } = file.settings;
  const { isolation } = toGateIsolation(parts);
  return createGateRunner({
    // No repository above the copy is its own.
    ...{ cwd, marker, ...toGateGuard(file.settings, { ...env, GIT_CEILING_DIRECTORIES: dirname(cwd) }) },
    ...(gatesAtOnce !== undefined && { atOnce: gatesAtOnce }),
    ...(isolation !== undefined && { isolation: { ...isolation, writable: [...isolation.writable, cwd] } }),
    ...(isSafe === true && { hold: createGateHold(toScopeSettings(parts, agentCommand, tree), cwd) }),
    findCheck: (check) => findCheck(cwd, check),
  });
}

function toAsking({ human = DEFAULT_HUMAN }: RunFile['settings']): LoopSettings['asking'] {
  return { isOn: human.ask !== 'off', deadlineMs: human.deadlineMs };
}

/** Hooks of events bind whatever agent wears the hat. They run with the person's rights, outside of every sandbox. */
function toLoopHooks({ paths, file, env }: RunParts, elsewhere: OfferedTurns | null): Pick<LoopPorts, 'hooks'> {
  const { hooks = {}, spec } = file.settings;
  if (spec.hooked === undefined) return {};
  const askAway = elsewhere?.askAway;
  const place = { cwd: file.workspace, env, marker: `${toGateMarker(paths.runId)}.hooks`, ...(askAway !== undefined && { askAway }) };
  const scene = { run: paths.runId, ...place };
  return { hooks: createLoopHookAsker((hat) => hooks[hat] ?? [], scene, { now: Date.now, steady: steadyMs }) };
}

/** A task that is not committed is in no file of a worktree. */
function toRunPrompts({ settings, worktree, workspace }: RunFile): LoopSettings['prompt'] {
  const prompts = toPromptOptions(settings, worktree !== null);
  const { promptFile } = prompts;
  const isThere = promptFile === null || worktree === null || existsSync(resolve(workspace, promptFile));
  return isThere ? prompts : { ...prompts, promptFile: null };
}

/** The folders that agents write beside their work. */
function listWritten({ workspace, settings }: RunFile): readonly string[] {
  const { eventsFile, scratchpad, workspaceDir } = settings.prompts;
  return [dirname(eventsFile), dirname(scratchpad), workspaceDir].map((folder) => resolve(workspace, folder));
}

function toScopeSettings({ layout, paths, file, env }: HeldRun, agentCommand: string, tree: GitWorkspace): TurnScopeSettings {
  const { root, stateDir, binDir } = layout;
  const { workspace, settings, gitPrograms } = file;
  const packageFolder = findPackageFolder();
  return {
    runFolder: paths.folder,
    turnsDir: paths.turns,
    root,
    stateDir,
    binDir,
    agentCommand,
    packageFolder,
    workspace,
    settings,
    env,
    tree,
    gitPrograms,
  };
}

/** How programs that gates start in the workspace of a run's file are kept apart and held, also where that is not the folder that the run worked in. */
export function keepGates(parts: HeldRun): Pick<GateRunnerSettings, 'isolation' | 'hold' | 'marker'> {
  const { layout, paths } = parts;
  const marker = toGateMarker(paths.runId);
  return { marker, ...toIsolation(parts), ...toHold(parts, writeAgentCommand(layout.binDir), openRunWorkspace(parts)) };
}

function toGateIsolation(parts: HeldRun): { readonly isolation?: Isolation } {
  const { isolation } = toIsolation(parts);
  return isolation === undefined || parts.file.worktree !== null
    ? toIsolation(parts)
    : { isolation: coverWorktrees(isolation, parts.layout) };
}

function toIsolation({ isolation, layout, file }: HeldRun): { readonly isolation?: Isolation } {
  return isolation === null ? {} : { isolation: protectState(isolation, layout, listWritten(file)) };
}

/** In a safe run the operating system holds gates as it holds agents. */
function toHold(parts: HeldRun, agentCommand: string, tree: GitWorkspace): Pick<GateRunnerSettings, 'hold'> {
  if (parts.file.settings.isSafe !== true) return {};
  return { hold: createGateHold(toScopeSettings(parts, agentCommand, tree)) };
}

function toGateSettings(parts: RunParts, elsewhere: OfferedTurns | null): GateRunnerSettings {
  const { paths, file, env, reference, worker } = parts;
  const { gatesAtOnce } = file.settings;
  return {
    cwd: file.workspace,
    ...toGateGuard(file.settings, env),
    marker: worker === undefined ? toGateMarker(paths.runId) : toWorkerMarker(worker, toGateMarker(paths.runId)),
    evidenceDir: toEvidenceFolder(paths),
    ...(gatesAtOnce !== undefined && { atOnce: gatesAtOnce }),
    tree: reference.tree,
    startScopes: reference.startScopes,
    checkProtected: reference.checkProtected,
    findCheck: (check) => findCheck(file.workspace, check),
    ...toStartTests(parts, elsewhere),
  };
}

/** A copy of the work is a worktree; what gates run there is held as in the run. */
function toStartTests(parts: RunParts, elsewhere: OfferedTurns | null): Pick<GateRunnerSettings, 'tryStartTests'> {
  const { layout, paths, file, env, reference } = parts;
  const { settings } = file;
  if (reference.startTests === null) return {};
  const tryStartTests = createStartTests({
    record: reference.startTests,
    spec: settings.spec,
    copy: {
      cwd: layout.root,
      env: withoutKeys(settings, env),
      stateDirs: toStateDirs(settings),
      programs: file.gitPrograms,
      stateDir: relative(layout.root, layout.stateDir),
      runId: paths.runId,
      workspace: file.workspace,
      links: settings.worktreeLinks,
    },
    run: (cwd, gates, watch, packages) => {
      openAgentFolders(cwd, settings);
      const kept = { ...keepGates({ ...parts, file: { ...file, workspace: cwd } }), ...toAwayCopy(parts, elsewhere, cwd) };
      return runGates({ settings, cwd, env, gates, kept: withReadOnly(kept, packages), ...watch });
    },
  });
  return { tryStartTests };
}

/** Gates in a copy of the folder that need a worker run there on what the copy shows. */
function toAwayCopy({ paths, file, env }: RunParts, elsewhere: OfferedTurns | null, cwd: string): Pick<GateRunnerSettings, 'runAway'> {
  if (elsewhere === null) return {};
  const { settings, gitPrograms: programs } = file;
  const place = { cwd, env: withoutKeys(settings, env), stateDirs: toStateDirs(settings), programs };
  const scratchDir = join(paths.folder, 'git', 'copy');
  const copy = createWorkspace({ ...place, runId: paths.runId, scratchDir, baseline: null, checkpointBranch: null });
  return { runAway: elsewhere.gatesOn(copy.look) };
}

/** Programs on a worker bear its mark: whoever follows a killed worker finds them, and nobody takes them for those of a run on this machine. */
export function toWorkerMarker(mark: string, marker: string): string {
  return `${mark}/${marker}`;
}

/** Where there are namespaces, programs that are told where the person's packages are cannot write there either. */
function withReadOnly<Kept extends ReturnType<typeof keepGates>>(kept: Kept, folders: readonly string[]): Kept {
  const { isolation } = kept;
  return isolation === undefined ? kept : { ...kept, isolation: { ...isolation, readOnly: [...isolation.readOnly, ...folders] } };
}

function toFleetSide({ kept, worker }: RunParts): Pick<Parameters<typeof openRunWorkspace>[0], 'onFleet'> {
  if (worker !== undefined) return { onFleet: 'worker' };
  return kept === undefined ? {} : { onFleet: 'run' };
}
