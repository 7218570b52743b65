import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Settings } from '../config/index.ts';
import type { BackendSpec } from '../core/backends/backend-spec.ts';
import type { IterationStart } from '../core/run/effects.ts';
import type { Activation } from '../core/run/state.ts';
import { toTurnName } from '../core/run/turn.ts';
import type { ScopeViolations } from '../core/tools/scope-violations.ts';
import { type Capabilities, mayChangeTree } from '../core/tools/tool-profiles.ts';
import type { Environment } from '../core/values/environment.ts';
import { ensureAnswersFile, toContractPath } from '../emit/index.ts';
import { type GitPrograms, listIgnored, listTracked } from '../git/index.ts';
import type { Surroundings } from '../loop/shell/index.ts';
import { openProjectFolder, selectExistingFolders } from '../process/index.ts';
import { findQualityCommands } from '../project/index.ts';
import { findPolicy, toHatCapabilities } from '../runs/index.ts';
import { toStateDirs, withoutKeys } from '../safety/index.ts';
import type { FolderFacts, ScratchFolders, TurnSandbox, TurnSandboxes, TurnSandboxOrder } from '../sandbox/index.ts';
import type { GitWorkspace } from '../workspace/checkpoint/index.ts';
import { createTreeWatch, type TreeLook, type TreeWatch } from '../workspace/watch/index.ts';
import type { attachEmit } from './emit-attach.ts';
import { hasEmitTool, listMoreTools } from './hat-facts.ts';

/** What is known of a run whose agents are held. Paths are absolute. */
export interface TurnScopeSettings {
  readonly runFolder: string;
  readonly turnsDir: string;
  /** The folder of the main checkout. */
  readonly root: string;
  readonly stateDir: string;
  readonly binDir: string;
  readonly agentCommand: string;
  /** Where `ralph` itself is installed. */
  readonly packageFolder: string;
  /** The folder of the run. */
  readonly workspace: string;
  readonly settings: Settings;
  readonly env: Environment;
  readonly tree: Pick<GitWorkspace, 'snapshot' | 'diff'>;
  readonly gitPrograms: GitPrograms;
}

/** Holds the turns of a run to the profiles of their hats. */
export interface TurnScopes {
  /** Rejects when a sandbox is required and not there. */
  readonly open: (order: IterationStart, spec: BackendSpec, plain: Surroundings) => Promise<Surroundings>;
  /** What an agent of a panel has around it in one round: the tools that hand in. Rejects where its files cannot be written. */
  readonly openRound: (order: IterationStart, spec: BackendSpec, plain: Surroundings, round: ScopedRound) => Promise<Surroundings>;
  /** What a turn has written whose process is dead, if its hat may not write. Never rejects. */
  readonly lookBack: (activation: Activation) => Promise<ScopeViolations | null>;
}

/** One round of an agent of a panel. */
export interface ScopedRound {
  /** No other round of the run is called that, and it says nothing to agents. */
  readonly name: string;
  /** Given a private folder. */
  readonly attach: TurnSandboxOrder['attach'];
}

/** The longest difference that is kept in a turn's folder. */
const MAX_DIFF_CHARS = 1_000_000;

type Sandbox = typeof import('../sandbox/index.ts');

interface Tools {
  readonly sandbox: Sandbox;
  readonly outfitter: TurnSandboxes;
  readonly watch: TreeWatch;
}

/** Creates what holds the turns of a run. The sandbox is loaded when a hat with a profile first gets its turn. */
export function createTurnScopes(made: TurnScopeSettings): TurnScopes {
  let tools: Promise<Tools> | undefined;
  return {
    open: async (order, spec, plain) => {
      const isOpen = findPolicy(made.settings, order.hat) === null && made.settings.sandbox.hats[order.hat] !== 'required';
      if (isOpen) (await tools)?.watch.pass();
      if (isOpen && (spec.type === 'native' || !hasEmitTool(made.settings, order.hat, spec))) return plain;
      tools ??= openTools(made);
      const opened = await tools;
      const may = toHatCapabilities(made.settings, order.hat);
      const outfit =
        spec.type === 'scripted'
          ? null
          : await opened.outfitter.open({ ...(await toOrder(made, opened, order, spec, plain, may)), isOpen });
      const own = outfit === null && !mayChangeTree(may) ? await openOwnScratch(made, opened.sandbox) : null;
      const look = mayChangeTree(may) ? null : await opened.watch.begin(outfit?.scratch ?? own?.folders ?? [], toTurnName(order));
      if (look === null) opened.watch.pass();
      return {
        ...plain,
        ...(outfit === null ? {} : { scope: outfit.scope, ...openPrivate(made, order, plain) }),
        close: () => close(made, { order, outfit, own, look, sandbox: opened.sandbox }),
      };
    },
    openRound: async (order, spec, plain, { name, attach }) => {
      tools ??= openTools(made);
      const opened = await tools;
      const asked = await toOrder(made, opened, order, spec, plain, toHatCapabilities(made.settings, order.hat));
      const outfit = await opened.outfitter.open({ ...asked, turn: name, isOpen: true, mode: 'off', attach });
      const own = selectExistingFolders([join(toPrivateDir(made.runFolder), name)]);
      const { isolation } = plain;
      return {
        ...plain,
        scope: outfit.scope,
        ...(isolation === undefined ? {} : { isolation: { ...isolation, writable: [...isolation.writable, ...own] } }),
        close: async () => {
          outfit.close();
          return null;
        },
      };
    },
    lookBack: async (activation) => {
      if (mayChangeTree(toHatCapabilities(made.settings, activation.hat))) return null;
      const found = await createWatch(made).recall(toTurnName(activation));
      // What never began wrote nothing.
      return found?.isUnseen === true && found.total === 0 && activation.pid === null ? null : found;
    },
  };
}

/** What an agent has of its own for one turn lies where else nothing can be written. */
function openPrivate(
  { runFolder }: TurnScopeSettings,
  order: IterationStart,
  { isolation }: Surroundings,
): Pick<Surroundings, 'isolation'> {
  if (isolation === undefined) return {};
  return {
    isolation: {
      ...isolation,
      writable: [...isolation.writable, ...selectExistingFolders([join(toPrivateDir(runFolder), toTurnName(order))])],
    },
  };
}

function createWatch(made: TurnScopeSettings): TreeWatch {
  const { settings, workspace, env, runFolder, gitPrograms } = made;
  return createTreeWatch({
    programs: gitPrograms,
    cwd: workspace,
    env: withoutKeys(settings, env),
    stateDirs: toStateDirs(settings),
    scratchDir: join(runFolder, 'git'),
    reverts: settings.sandbox.onViolation === 'revert',
    runId: basename(runFolder),
  });
}

async function openTools(made: TurnScopeSettings): Promise<Tools> {
  const opened = await openSandbox(made);
  opened.sandbox.sweepPrivate(toPrivateDir(made.runFolder));
  return { ...opened, watch: createWatch(made) };
}

/** The sandbox of a run's turns, which in a safe run holds the commands of its gates as well. */
export async function openSandbox(made: TurnScopeSettings): Promise<Pick<Tools, 'sandbox' | 'outfitter'>> {
  const sandbox = await import('../sandbox/index.ts');
  const { settings, workspace, env } = made;
  const stateDirs = toStateDirs(settings);
  const outfitter = sandbox.createTurnSandboxes({
    privateDir: toPrivateDir(made.runFolder),
    workspace,
    stateDir: made.stateDir,
    agentDirs: stateDirs.filter((name) => name !== settings.stateDir),
    more: [
      made.binDir,
      made.packageFolder,
      toContractPath(made.runFolder),
      // Where an agent in the sandbox that asks people finds the answer.
      ensureAnswersFile(made.runFolder),
      // Without it git would show what is seen of the folder as new files of the project.
      join(made.stateDir, '.gitignore'),
      ...settings.worktreeLinks.map((path) => join(made.root, path)),
    ],
    sandbox: settings.sandbox,
    os: await sandbox.findOsSandbox(env, workspace),
    folders: toFolderFacts(made),
    isSafe: settings.isSafe === true,
  });
  return { sandbox, outfitter };
}

/** Where a run keeps what turns have of their own. */
export function toPrivateDir(runFolder: string): string {
  return join(runFolder, 'private');
}

async function toOrder(
  made: TurnScopeSettings,
  { sandbox }: Tools,
  order: IterationStart,
  spec: BackendSpec,
  plain: Surroundings,
  may: Capabilities,
): Promise<TurnSandboxOrder> {
  const { settings } = made;
  const hatMode = settings.sandbox.hats[order.hat];
  const isHeld = sandbox.wantsConfinement(may, settings.sandbox.mode, hatMode);
  const isNative = spec.type === 'native';
  const turn = toTurnName(order);
  const attach = await loadEmitAttach();
  const place = {
    hat: order.hat,
    eventsFile: join(made.workspace, settings.prompts.eventsFile),
    contractFile: toContractPath(made.runFolder),
  };
  const qualityCommands = findQualityCommands(settings, openProjectFolder(made.workspace));
  const checks = sandbox.listToolChecks(spec.type, may, qualityCommands);
  return {
    turn,
    cli: spec.type,
    ...(spec.command === undefined ? {} : { command: spec.command }),
    may,
    mode: isHeld ? (hatMode ?? settings.sandbox.mode) : 'off',
    args: spec.args,
    permissions: spec.permissions,
    ...(spec.userSettings !== undefined && { userSettings: spec.userSettings }),
    env: { ...plain.env, ...spec.env },
    cwd: plain.cwd,
    ...(plain.isolation === undefined ? {} : { isolation: plain.isolation }),
    qualityCommands,
    attach: (folder) =>
      !isNative && hasEmitTool(settings, order.hat, spec)
        ? attach(
            {
              ...{ cli: spec.type, command: made.agentCommand, place, isAlone: !mayChangeTree(may) },
              ...{ tools: listMoreTools(settings), checks, folder: made.workspace },
            },
            folder,
          )
        : null,
    more: [join(made.turnsDir, turn, 'prompt.md')],
  };
}

/** A scripted agent needs no flags, but it stands for one whose tests write. */
function openOwnScratch(made: TurnScopeSettings, sandbox: Sandbox): Promise<ScratchFolders> {
  return sandbox.openScratch(made.workspace, made.settings.sandbox.scratch, toFolderFacts(made));
}

function toFolderFacts({ settings, workspace, env, gitPrograms }: TurnScopeSettings): FolderFacts {
  const repository = { programs: gitPrograms, cwd: workspace, env: withoutKeys(settings, env), stateDirs: toStateDirs(settings) };
  return {
    listTracked: (folders) => listTracked(repository, folders),
    listIgnored: (folders) => listIgnored(repository, folders),
  };
}

interface HeldTurn {
  readonly order: IterationStart;
  readonly outfit: TurnSandbox | null;
  readonly own: ScratchFolders | null;
  readonly look: TreeLook | null;
  readonly sandbox: Sandbox;
}

async function close(made: TurnScopeSettings, { order, outfit, own, look, sandbox }: HeldTurn): Promise<ScopeViolations | null> {
  try {
    outfit?.close();
    if (own !== null) sandbox.closeScratch(made.workspace, own);
  } catch {
    // Files of the turn that cannot be removed now are swept when the run begins again.
  }
  return look === null ? null : look.end(() => keepDiff(made, toTurnName(order)));
}

/** Puts the difference of a turn into its folder. */
async function keepDiff({ tree, turnsDir }: TurnScopeSettings, turn: string): Promise<string | null> {
  await tree.snapshot(turn, 'after');
  const text = await tree.diff(turn);
  if (text === null || text === '') return null;
  writeFileSync(join(turnsDir, turn, DIFF_FILE), text.slice(0, MAX_DIFF_CHARS), { mode: 0o600 });
  return DIFF_FILE;
}

const DIFF_FILE = 'scope.diff';

/** What plans the tool `emit_event` for a turn; loaded where an agent gets it. */
export async function loadEmitAttach(): Promise<typeof attachEmit> {
  return (await import('./emit-attach.ts')).attachEmit;
}
