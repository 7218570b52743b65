import type { EventRow } from './event-row.ts';

/** One line of the tree. */
export interface CausalLine {
  /** What stands before the event: the lines that lead to it. */
  readonly branch: string;
  readonly row: EventRow;
  /** Its causes but the one that it stands below. */
  readonly others: readonly string[];
}

/** More steps to the right than this are not drawn: a line would be wider than any screen. */
const MAX_INDENT = 20;

/**
 * The events of a run below the event that they followed from; of several causes below the last one. An event from which a single one follows stands
 * right above that, so that a long run makes no wide picture.
 *
 * @param rows in the order in which they came up
 */
export function toCausalTree(rows: readonly EventRow[]): readonly CausalLine[] {
  const known = new Set(rows.map((row) => row.id));
  const children = new Map<string, EventRow[]>();
  const roots: EventRow[] = [];
  for (const row of rows) {
    const parent = parentOf(row, known);
    const siblings = parent === undefined ? roots : (children.get(parent) ?? []);
    siblings.push(row);
    if (parent !== undefined) children.set(parent, siblings);
  }
  const lines: CausalLine[] = [];
  const pending: { readonly row: EventRow; readonly branch: string; readonly below: string }[] = [];
  const push = (siblings: readonly EventRow[], below: string, isRoot: boolean): void => {
    const isAlone = isRoot || siblings.length === 1;
    const isTooWide = below.length >= MAX_INDENT * 3;
    for (const [index, row] of [...siblings.entries()].reverse()) {
      const isLast = index === siblings.length - 1;
      const mark = isRoot ? '' : isAlone ? '↳ ' : isLast ? '└─ ' : '├─ ';
      pending.push({ row, branch: `${below}${mark}`, below: isAlone || isTooWide ? below : `${below}${isLast ? '   ' : '│  '}` });
    }
  };
  push(roots, '', true);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { row, branch, below } = next;
    const parent = parentOf(row, known);
    lines.push({ branch, row, others: row.causes.filter((id) => id !== parent) });
    push(children.get(row.id) ?? [], below, false);
  }
  return lines;
}

function parentOf({ id, causes }: EventRow, known: ReadonlySet<string>): string | undefined {
  return causes.findLast((cause) => cause !== id && known.has(cause));
}

/** Some rows with everything that they followed from. */
export function keepWithCauses(rows: readonly EventRow[], isMeant: (row: EventRow) => boolean): readonly EventRow[] {
  const kept = new Set<string>();
  // A cause stands before what follows from it, so one walk from the end finds all.
  for (const row of rows.toReversed()) {
    if (!kept.has(row.id) && !isMeant(row)) continue;
    kept.add(row.id);
    for (const cause of row.causes) kept.add(cause);
  }
  return rows.filter((row) => kept.has(row.id));
}
