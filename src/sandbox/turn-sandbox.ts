import type { AttachedTool, ScopeOrder } from '../backends/describe/scope-plan.ts';
import { type Capabilities, mayChangeTree } from '../core/tools/tool-profiles.ts';
import type { Isolation, TurnScope } from '../ports/program.ts';

/** What holds the agent of one turn: flags, files, a home, the sandbox of the operating system. */
export interface TurnSandbox {
  readonly scope: TurnScope;
  /** What the flags of the CLI cannot say. */
  readonly limits: readonly string[];
  /** Whether the operating system holds the agent. */
  readonly isConfined: boolean;
  /** Folders, relative to the workspace, whose changes are no changes of the work. */
  readonly scratch: readonly string[];
  /** Removes everything again; safe to call twice. Login files that were refreshed are carried to the user's own. */
  readonly close: () => void;
}

export interface TurnSandboxes {
  /**
   * Plans the flags of a turn, writes its private files, fills its home. Rejects when the sandbox is required and not there, and when the
   * private folder cannot be written.
   */
  readonly open: (order: TurnSandboxOrder) => Promise<TurnSandbox>;
}

/** What does not change during a run. Paths are absolute. */
export interface TurnSandboxSettings {
  /** The run's folder for what turns have of their own; nothing in it outlives its turn. */
  readonly privateDir: string;
  readonly workspace: string;
  /** The workspace is a copy of one of these, without its repository, and they are closed to the agent. Absent: it is no copy. */
  readonly apartFrom?: readonly string[];
  readonly stateDir: string;
  /** `.agent` and its like, relative to the workspace: writable for every hat. */
  readonly agentDirs: readonly string[];
  /** Ralph's own files that agents need, and what the workspace links to. */
  readonly more: readonly string[];
  readonly sandbox: SandboxSettings;
  readonly os: OsSandboxSearch;
  readonly folders: FolderFacts;
  /** Whether of the repository only that can be written which a commit on the branch of the run needs. */
  readonly isSafe?: boolean;
}

export interface TurnSandboxOrder
  extends Pick<ScopeOrder, 'cli' | 'may' | 'args' | 'permissions' | 'userSettings' | 'env' | 'cwd' | 'qualityCommands'> {
  /** `7.1`. */
  readonly turn: string;
  /** The program that is declared for it, where the type leaves that open (`acp`, `custom`). */
  readonly command?: string;
  readonly mode: SandboxMode;
  /** The namespaces of the turn's programs; absent: none. */
  readonly isolation?: Isolation;
  /** Given the turn's private folder; `null` where the CLI gets no tool. */
  readonly attach: (folder: string) => AttachedTool | null;
  /** Nothing holds the agent back: it gets its tool and is else started as it was declared. */
  readonly isOpen?: boolean;
  /** More files that this turn reads. */
  readonly more: readonly string[];
}

export interface OsSandbox {
  readonly kind: 'bubblewrap' | 'seatbelt';
  /** Absolute path of the program. */
  readonly path: string;
  /** In the program's own words. */
  readonly version: string;
}

/** A sandbox, or why there is none: a sentence for a person, with what to do. */
export type OsSandboxSearch = { readonly found: OsSandbox } | { readonly found: null; readonly why: string };

export type SandboxMode = 'auto' | 'off' | 'required';

export interface SandboxSettings {
  /** `auto`: where it is there; `required`: a hat that it should hold does not run without it. */
  readonly mode: SandboxMode;
  /** Globs of folders, relative to the workspace, that stay writable for hats that may not write. */
  readonly scratch: readonly string[];
  /** More paths that a sandboxed agent can see: absolute, or beginning with `~/`. */
  readonly readable: readonly string[];
  readonly hasNetwork: boolean;
}

export interface ScratchFolders {
  /** Relative to the workspace, with `/`. */
  readonly folders: readonly string[];
  /** Those of them that were made for this turn. */
  readonly made: readonly string[];
}

/** What git knows of folders, given relative to the workspace. Neither rejects. */
export interface FolderFacts {
  /** Those that hold files which git tracks. */
  readonly listTracked: (folders: readonly string[]) => Promise<readonly string[]>;
  /** Those that git would ignore, there or not. */
  readonly listIgnored: (folders: readonly string[]) => Promise<readonly string[]>;
}

/** Whether a turn is to be held by the operating system: hats that may not write, and those that ask for it. */
export function wantsConfinement(may: Capabilities, mode: SandboxMode, hatMode: SandboxMode | undefined): boolean {
  if ((hatMode ?? mode) === 'off') return false;
  return !mayChangeTree(may) || hatMode === 'required';
}

/** Whether a turn sees a view of the workspace: our own agent does in its checks, under a hat that may not write. */
export function hasView({ cli, may }: Pick<TurnSandboxOrder, 'cli' | 'may'>): boolean {
  return cli === 'native' && may.mayRunQuality && !mayChangeTree(may);
}
