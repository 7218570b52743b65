export interface CheckpointResult {
  readonly commit: string | null;
  readonly leftOut: readonly string[];
  readonly note: string;
}

/**
 * The folder the agents work in. A fingerprint is a text that changes when a file of the working tree does; `null` where it cannot be told.
 * Contract: never throws; never touches a stash or a file; the user's index only for the files that a checkpoint commits.
 */
export interface Workspace {
  /** False when the folder is gone. */
  readonly exists: () => boolean;
  /** Commits what the run changed since it began. */
  readonly checkpoint: (iteration: number) => Promise<CheckpointResult>;
  /** Keeps the working tree as it is when a turn begins that changes it at its end only: `keepBefore` is called right before that. */
  readonly keepOpened: (turn: string) => Promise<void>;
  /** Keeps the working tree as it is before and after a turn, so that the difference can be shown later, and tells its fingerprint. */
  readonly keepBefore: (turn: string) => Promise<string | null>;
  readonly keepAfter: (turn: string) => Promise<string | null>;
}
