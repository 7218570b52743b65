/** The files of the workspace at one moment: what is there, in which version. */
export interface TreeState {
  /** Hash of all paths and contents; the same for the same files, whatever their times. */
  readonly hash: string;
  /** From the path (with `/`, relative to the workspace; one above it begins with `../`) to a hash of the content. */
  readonly files: ReadonlyMap<string, string>;
  /** Hash of the rules by which a repository passes files over; part of `hash`. Absent outside of one. */
  readonly rules?: string;
}

/**
 * Looks at the files that are the work: what a repository tracks and what it does not know, nothing that it ignores, no state of Ralph's own.
 * Contract: never rejects; `null` where that cannot be told or is too much; a content that changed is noticed also when size and time of
 * the file were put back.
 */
export interface TreeReader {
  readonly read: () => Promise<TreeState | null>;
}
