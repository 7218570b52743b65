import type { AttachedTool } from '../backends/index.ts';
import type { BackendType, Capabilities } from '../core/index.ts';
import type { Isolation } from '../ports/index.ts';
import type { OsSandboxSearch } from './os-sandbox.ts';
import type { SandboxMode, SandboxSettings } from './sandbox-settings.ts';
import type { FolderFacts } from './scratch.ts';

/** What does not change during a run. Paths are absolute. */
export interface OutfitterSettings {
  /** The run's folder for what turns have of their own; nothing in it outlives its turn. */
  readonly privateDir: string;
  readonly workspace: string;
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

/** One turn that wants an outfit. */
export interface OutfitOrder {
  /** `7.1`. */
  readonly turn: string;
  readonly cli: BackendType;
  /** The program that is declared for it, where the type leaves that open (`acp`, `custom`). */
  readonly command?: string;
  readonly may: Capabilities;
  readonly mode: SandboxMode;
  readonly args: readonly string[];
  readonly permissions: 'bypass' | 'default';
  /** Whether the person's own settings of the CLI count. Default false. */
  readonly userSettings?: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The namespaces of the turn's programs; absent: none. */
  readonly isolation?: Isolation;
  readonly qualityCommands: readonly string[];
  /** Given the turn's private folder; `null` where the CLI gets no tool. */
  readonly attach: (folder: string) => AttachedTool | null;
  /** Nothing holds the agent back: it gets its tool and is else started as it was declared. */
  readonly isOpen?: boolean;
  /** More files that this turn reads. */
  readonly more: readonly string[];
}
