/** One thing that a hat without write access changed all the same. */
export interface ScopeChange {
  /** Relative to the top of the repository (or of the workspace, outside git); for `ref` its name. */
  readonly path: string;
  /** `ref`: a branch or tag; `git`: git's own files (configuration, hooks, HEAD); `index`: what is staged. */
  readonly what: 'created' | 'changed' | 'deleted' | 'ref' | 'git' | 'index';
}

/** What a hat without write access changed in one turn. */
export interface ScopeViolations {
  /** The first of them. */
  readonly changes: readonly ScopeChange[];
  readonly total: number;
  /** Name of the file in the turn's folder that holds the difference; `null` where there is none. */
  readonly diffFile: string | null;
  /** How many were taken back; `null` where nobody asked for it. */
  readonly reverted: number | null;
  /** What could not be looked at or taken back, in words. */
  readonly notes: readonly string[];
  /** Set where the tree, or a part of it that matters, could not be compared at all: nobody knows what the turn did. */
  readonly isUnseen?: true;
  /**
   * What the turn changed of what Ralph itself runs or believes, which no hat may: files of its own, which were put back, and programs that git's
   * configuration names, which Ralph's git does not run. Also of hats that may write.
   */
  readonly trusted?: readonly string[];
  /** What had changed when the turn began, since the last look, with no turn of a hat that may write in between. */
  readonly between?: { readonly paths: readonly string[]; readonly total: number };
}

/** A use of a tool that did not get through. */
export interface ToolDenial {
  /** The tool, as the CLI calls it. */
  readonly tool: string;
  /** One line of what it was called for, such as a command; absent where that is not known. */
  readonly use?: string;
  /** What stopped it: the CLI's own rules, the operating system, the profile of a native agent, a hook, or its permissions. */
  readonly layer: 'flags' | 'os' | 'profile' | 'hook' | 'permissions';
  /** One line of what the agent was told. */
  readonly reason: string;
}

/** How many changes and denials of a turn are kept. */
export const MAX_KEPT_CHANGES = 50;
export const MAX_KEPT_DENIALS = 20;
