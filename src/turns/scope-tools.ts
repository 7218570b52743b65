import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import type { BackendSpec } from '../core/backends/backend-spec.ts';
import type { Capabilities } from '../core/tools/tool-profiles.ts';
import type { Environment } from '../core/values/environment.ts';
import { ensureAnswersFile } from '../emit/ask-file.ts';
import { toContractPath } from '../emit/contract-file.ts';
import type { GitPrograms } from '../git/contract.ts';
import { listIgnored, listTracked } from '../git/repository.ts';
import type { Surroundings } from '../loop/shell/loop-ports.ts';
import { selectExistingFolders } from '../process/isolation.ts';
import { openProjectFolder } from '../process/open-project-folder.ts';
import { findQualityCommands } from '../project/find-checks.ts';
import { withoutKeys } from '../safety/known-secrets.ts';
import { toStateDirs } from '../safety/run-isolation.ts';
import {
  type FolderFacts,
  type OsSandboxSearch,
  type ScratchFolders,
  type TurnSandboxes,
  type TurnSandboxOrder,
  type TurnSandboxSettings,
  wantsConfinement,
} from '../sandbox/turn-sandbox.ts';
import type { GitWorkspace } from '../workspace/checkpoint/create-workspace.ts';
import type { TreeWatch } from '../workspace/watch/create-tree-watch.ts';

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
  readonly tree: Pick<GitWorkspace, 'snapshot' | 'diff' | 'settle'>;
  readonly gitPrograms: GitPrograms;
}

/** What turns are held with, opened once for a run. */
export interface ScopeTools {
  readonly os: OsSandboxSearch;
  /** Makes those of agents that work elsewhere. */
  readonly createTurnSandboxes: (settings: TurnSandboxSettings) => TurnSandboxes;
  /** Of agents that work in the folder of the run. */
  readonly sandboxes: TurnSandboxes;
  readonly watch: TreeWatch;
}

export interface HeldOrder {
  readonly hat: string;
  readonly spec: BackendSpec;
  readonly plain: Surroundings;
  readonly may: Capabilities;
  /** The name under which it has files of its own. */
  readonly turn: string;
  readonly promptFile: string;
  readonly attach: TurnSandboxOrder['attach'];
}

/** What an agent has of its own for one turn lies where else nothing can be written. */
export function openPrivate(
  { runFolder }: TurnScopeSettings,
  turn: string,
  { isolation }: Pick<Surroundings, 'isolation'>,
): Pick<Surroundings, 'isolation'> {
  if (isolation === undefined) return {};
  const own = selectExistingFolders([join(toPrivateDir(runFolder), turn)]);
  return { isolation: { ...isolation, writable: [...isolation.writable, ...own] } };
}

/** What the sandbox is made of around an agent that works in the folder of the run. */
export function toSandboxSettings(made: TurnScopeSettings, os: OsSandboxSearch): TurnSandboxSettings {
  const { settings, workspace } = made;
  return {
    privateDir: toPrivateDir(made.runFolder),
    workspace,
    stateDir: made.stateDir,
    agentDirs: toStateDirs(settings).filter((name) => name !== settings.stateDir),
    more: [
      ...listShared(made),
      toContractPath(made.runFolder),
      // Where an agent in the sandbox that asks people finds the answer.
      ensureAnswersFile(made.runFolder),
      // Without it git would show what is seen of the folder as new files of the project.
      join(made.stateDir, '.gitignore'),
    ],
    sandbox: settings.sandbox,
    os,
    folders: toFolderFacts(made),
    isSafe: settings.isSafe === true,
  };
}

/**
 * The same around an agent of a panel, whose folder is a copy: it has no repository, and the folder of the run is closed to it but for what the copy links to. Nor
 * does it see the contract of the run: that names the agents of its panel.
 */
export function toCopySettings(made: TurnScopeSettings, os: OsSandboxSearch, cwd: string): TurnSandboxSettings {
  const links = made.settings.worktreeLinks.map((path) => join(made.workspace, path));
  return { ...toSandboxSettings(made, os), workspace: cwd, apartFrom: [made.workspace, made.root], more: [...listShared(made), ...links] };
}

/** Programs of Ralph's own, and what a worktree links to. */
function listShared({ binDir, packageFolder, root, settings }: TurnScopeSettings): readonly string[] {
  return [binDir, packageFolder, ...settings.worktreeLinks.map((path) => join(root, path))];
}

/** Where a run keeps what turns have of their own. */
export function toPrivateDir(runFolder: string): string {
  return join(runFolder, 'private');
}

export function toSandboxOrder(made: TurnScopeSettings, { hat, spec, plain, may, turn, promptFile, attach }: HeldOrder): TurnSandboxOrder {
  const { settings } = made;
  const hatMode = settings.sandbox.hats[hat];
  const isHeld = wantsConfinement(may, settings.sandbox.mode, hatMode);
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
    qualityCommands: findQualityCommands(settings, openProjectFolder(made.workspace)),
    attach,
    more: [promptFile],
  };
}

/** Folders of the run in which an agent may write without flags and without a sandbox. */
export interface OwnScratch extends Pick<ScratchFolders, 'folders'> {
  /** Removes those that were made and stayed empty. */
  readonly close: () => void;
}

/** A scripted agent needs no flags, but it stands for one whose tests write; agents of a panel work elsewhere, but may write into what their folders link to. */
export async function openOwnScratch(made: TurnScopeSettings): Promise<OwnScratch> {
  const { closeScratch, openScratch } = await import('../sandbox/scratch.ts');
  const scratch = await openScratch(made.workspace, made.settings.sandbox.scratch, toFolderFacts(made));
  return { folders: scratch.folders, close: () => closeScratch(made.workspace, scratch) };
}

function toFolderFacts({ settings, workspace, env, gitPrograms }: TurnScopeSettings): FolderFacts {
  const repository = { programs: gitPrograms, cwd: workspace, env: withoutKeys(settings, env), stateDirs: toStateDirs(settings) };
  return {
    listTracked: (folders) => listTracked(repository, folders),
    listIgnored: (folders) => listIgnored(repository, folders),
  };
}
