import type { ProcessEntry } from './process-source.ts';

/** The pids that must never be signalled from here: the system's own, this process, and everything above it. */
export function protectedPids(table: readonly ProcessEntry[], ownPid: number): ReadonlySet<number> {
  const parents = new Map(table.map((entry) => [entry.pid, entry.parentPid]));
  const found = new Set([0, 1]);
  for (let pid: number | undefined = ownPid; pid !== undefined && !found.has(pid); pid = parents.get(pid)) found.add(pid);
  return found;
}

/**
 * The processes chosen by `isSeed` and everything below them, without the protected ones and what hangs below those only.
 * A child that is older than its parent is no child: the parent's pid was given out again while the table was being read.
 *
 * @returns the oldest first: a shell whose command ends before it is asked to end itself would begin the next one.
 */
export function selectWithDescendants(
  table: readonly ProcessEntry[],
  isSeed: (entry: ProcessEntry) => boolean,
  untouchable: ReadonlySet<number>,
): ProcessEntry[] {
  const children = groupByParent(table);
  const found = new Map<number, ProcessEntry>();
  const waiting = table.filter(isSeed);
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    if (untouchable.has(entry.pid) || found.has(entry.pid)) continue;
    found.set(entry.pid, entry);
    const { pid, startOrder } = entry;
    waiting.push(...(children.get(pid) ?? []).filter((child) => child.startOrder >= startOrder));
  }
  return [...found.values()].sort((left, right) => left.startOrder - right.startOrder || left.pid - right.pid);
}

function groupByParent(table: readonly ProcessEntry[]): ReadonlyMap<number, readonly ProcessEntry[]> {
  const groups = new Map<number, ProcessEntry[]>();
  for (const entry of table) {
    const group = groups.get(entry.parentPid);
    if (group) group.push(entry);
    else groups.set(entry.parentPid, [entry]);
  }
  return groups;
}
