export interface FileStat {
  /** From the top of the repository. */
  readonly path: string;
  /** Its name before it was renamed; `null` for any other. */
  readonly from: string | null;
  readonly status: 'added' | 'changed' | 'deleted' | 'renamed';
  /** Lines, as `removed`; `null` for a binary file. */
  readonly added: number | null;
  readonly removed: number | null;
  /** A repository in this one: only its commit is compared. */
  readonly isSubmodule: boolean;
}

/** What a run changed from before its first turn to after its last. */
export interface RunStat {
  readonly files: readonly FileStat[];
  /** Lines of all files that are text, as `removed`. */
  readonly added: number;
  readonly removed: number;
  /** Files that only somebody else changed, between the turns; they are not among `files`. */
  readonly between: readonly string[];
  /** False where the last turn's end was not seen: what it did is not in it. */
  readonly isWhole: boolean;
  /** The folder that the agents work in, seen from the top: empty, or a path that ends in `/`. */
  readonly prefix: string;
}
