/** Why something of a workspace is not in a snapshot of it. */
export type LeftOutReason =
  /** It has the name of a file with keys or passwords. */
  | 'secret'
  /** A link to what is not in the snapshot. */
  | 'link'
  /** A socket, a pipe, a device. */
  | 'special'
  /** It cannot be read, or was replaced by something else while it was being read. */
  | 'unreadable'
  /** More files than are taken. */
  | 'files'
  /** More bytes than are taken. */
  | 'bytes';

/** Something that is not in a snapshot. */
export interface LeftOut {
  /** Relative to the workspace, with `/`; `.` for itself. Written by an agent: not for a terminal as it is. */
  readonly path: string;
  readonly why: LeftOutReason;
}

/** What is not in a snapshot: how many, why, and the first of them by name. */
export interface LeftOutList {
  readonly count: number;
  /** Each that there was, of all that is left out, in the order of names. */
  readonly reasons: readonly LeftOutReason[];
  readonly first: readonly LeftOut[];
}

const MAX_NAMED = 50;

/** Collects what is left out. */
export interface LeftOutNotes {
  readonly add: (path: string, why: LeftOutReason) => void;
  readonly list: () => LeftOutList;
}

/** Nothing is left out yet. */
export function createLeftOutNotes(): LeftOutNotes {
  const first: LeftOut[] = [];
  const reasons = new Set<LeftOutReason>();
  let count = 0;
  return {
    add: (path, why) => {
      count += 1;
      reasons.add(why);
      if (first.length < MAX_NAMED) first.push({ path: path === '' ? '.' : path, why });
    },
    list: () => ({ count, reasons: [...reasons].sort(), first: [...first].sort((a, b) => (a.path < b.path ? -1 : 1)) }),
  };
}
