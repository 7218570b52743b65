/** Lines that follow one another: in both texts, only in the later one, or only in the earlier one. */
export interface LineChange {
  readonly value: readonly string[];
  readonly added: boolean;
  readonly removed: boolean;
}

/** Finds which lines differ; `undefined` where they are too many for it. */
type FindChanges = (before: string[], after: string[]) => readonly LineChange[] | undefined;

/** Compares what is between the first and the last line that differ. What is too much for `find` counts as replaced. */
export function compareLines(before: readonly string[], after: readonly string[], find: FindChanges): readonly LineChange[] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const left = before.slice(start, before.length - end);
  const right = after.slice(start, after.length - end);
  const isOneSided = left.length === 0 || right.length === 0;
  return [
    { value: before.slice(0, start), added: false, removed: false },
    ...((isOneSided ? undefined : find(left, right)) ?? [
      { value: left, added: false, removed: true },
      { value: right, added: true, removed: false },
    ]),
    { value: before.slice(before.length - end), added: false, removed: false },
  ];
}
