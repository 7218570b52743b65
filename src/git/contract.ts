import type { Environment } from '../core/values/environment.ts';
import type { Result } from '../core/values/result.ts';

export interface GitResult {
  /** True for exit code 0 with its whole output at hand. */
  readonly ok: boolean;
  /** Null when git could not be started or was ended from outside. */
  readonly exitCode: number | null;
  readonly stdout: string;
  /** Why it failed, for a reader; empty when `ok`. */
  readonly problem: string;
}

export interface GitOptions {
  /** Standard input, names as `decodeNames` gives them; without it git reads the end of file at once. */
  readonly input?: string;
  /** Absolute path of an index to work with instead of the user's. */
  readonly indexFile?: string;
  /** Settings for this command alone, each as `name=value`. */
  readonly config?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Of a git that an agent steers: the protocols by which this command may speak to others, joined by colons. Absent: none. */
  readonly protocols?: string;
  /** Whether the end of the output will do: somebody reads it. Absent: a command that prints more than is kept has failed. */
  readonly mayBeCut?: boolean;
  /** Default 60 s. */
  readonly timeoutMs?: number;
  /** Aborted: nobody waits for it any more, and it is ended. */
  readonly abort?: AbortSignal;
}

/** Runs one git command. Never rejects. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<GitResult>;

/**
 * What git's configuration names to be run, by key as git prints it (`filter.lfs.clean`), with its value: of the system, the user and the repository
 * together, the one that counts.
 */
export type GitPrograms = Readonly<Record<string, string>>;

/** What differs from the programs of the start, and what is done about it. */
export interface ProgramFindings {
  /** Keys that are new, changed or gone, sorted. */
  readonly keys: readonly string[];
  /** What each of them says now; `null`: it is gone. */
  readonly now: Readonly<Record<string, string | null>>;
  /** Variables under which git runs the programs of the start and no others; empty where nothing differs. */
  readonly env: Readonly<Record<string, string>>;
  /** A text that changes when a file of git's configuration does, and HEAD; `null`: one of them changed while git read them. */
  readonly look: string | null;
  /** Absolute paths of the files that `core.excludesFile` names, and of the one that git reads where none is named; `null`: one of them is not known. */
  readonly excludeFiles: readonly string[] | null;
  /** No setting makes git store files otherwise than byte by byte, with the rights that they have; what attributes say is another thing. */
  readonly storesPlainly: boolean;
}

export interface Repository {
  /** Absolute path of the working tree's top. */
  readonly top: string;
  /** Absolute path of what stands for `.git` here: in a worktree its own folder, not the shared one. */
  readonly gitDir: string;
  /** The workspace, seen from the top: empty, or a path with `/` that ends in `/`. */
  readonly prefix: string;
  /** Whether a path (from the top) belongs to Ralph's own state, which is never part of the work. */
  readonly isOwnState: (path: string) => boolean;
  /** Git at the top. */
  readonly git: Git;
  /** What git's configuration would have it run now and may not; `null` where nothing was said about what it may. Never rejects. */
  readonly findPrograms: (() => Promise<ProgramFindings>) | null;
}

export interface RepositorySettings {
  /** Absolute path of the folder the agents work in. */
  readonly cwd: string;
  readonly env: Environment;
  /** Names of the folders for state, relative to `cwd`. */
  readonly stateDirs: readonly string[];
  /** The programs that git may run (filters, above all): others that its configuration names meanwhile are not. Absent: whatever it names. */
  readonly programs?: GitPrograms | undefined;
}

/** A repository, or why git cannot be used. */
export type RepositorySearch = Result<Repository, string>;

/** One path that differs from the last commit, or that git does not know. */
export interface StatusEntry {
  /** Relative to the top of the repository, with `/`; ends in `/` for a repository inside this one. */
  readonly path: string;
  readonly kind: 'changed' | 'unmerged' | 'untracked' | 'ignored';
  /** Index against the last commit: `.`, `M`, `A`, `D`, `T`; `?` and `!` for paths git does not track. */
  readonly staged: string;
  /** Working tree against the index, in the same letters. */
  readonly unstaged: string;
  /** `<mode> <object id>` in the last commit, or {@link ABSENT}. */
  readonly head: string;
  /** The same in the index. */
  readonly index: string;
  /** A submodule, or another repository inside this one: never ours to commit. */
  readonly isRepository: boolean;
}

export interface GitStatus {
  /** Object id of the last commit; null before the first. */
  readonly head: string | null;
  /** Null when the HEAD is detached. */
  readonly branch: string | null;
  readonly entries: readonly StatusEntry[];
}

/** Stands for a file that is not there, where a version of it is told. */
export const ABSENT = 'absent';

export interface OwnIndex {
  readonly indexFile: string;
}

/** How the index of a repository is to change. Paths from the top of the repository. */
export interface IndexChange {
  /** Files to be taken from the working tree. */
  readonly write: readonly string[];
  /** Files that are not in the working tree. */
  readonly remove: readonly string[];
}

/** Stands where there is no file. */
export const NO_MODE = '000000';

/** What a path is in the index or in a tree: `<mode> <object id>`, or {@link ABSENT}. */
export function toTrackedVersion(mode: string, id: string): string {
  return mode === NO_MODE ? ABSENT : `${mode} ${id}`;
}
