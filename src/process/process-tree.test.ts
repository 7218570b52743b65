import { describe, expect, it } from 'vitest';
import type { ProcessEntry } from './process-table.ts';
import { protectedPids, selectWithDescendants } from './process-tree.ts';

/** A process that was started at the tick that equals its pid, unless told otherwise. */
function entry(pid: number, parentPid: number, startOrder = pid): ProcessEntry {
  return { pid, parentPid, groupId: pid, sessionId: pid, startTime: String(startOrder), startOrder };
}

function select(table: readonly ProcessEntry[], seed: number, ownPid = 9999): number[] {
  const members = selectWithDescendants(table, (process) => process.pid === seed, protectedPids(table, ownPid));
  return members.map((member) => member.pid).sort((a, b) => a - b);
}

describe('the descendants of a process', () => {
  it('are found over any number of generations', () => {
    const table = [entry(10, 1), entry(11, 10), entry(12, 11), entry(13, 12), entry(20, 1), entry(21, 20)];
    expect(select(table, 10)).toEqual([10, 11, 12, 13]);
  });

  it('do not include a process that is older than what looks like its parent', () => {
    expect(select([entry(10, 1, 500), entry(11, 10, 400)], 10)).toEqual([10]);
  });

  it('survive a circle in a table that changed while it was read', () => {
    expect(select([entry(10, 11, 5), entry(11, 10, 5)], 10)).toEqual([10, 11]);
  });

  it('come after their parents, also when each of them was chosen by itself', () => {
    const table = [entry(10, 1), entry(11, 10), entry(300, 11, 12), entry(12, 300, 13)];
    const members = selectWithDescendants(table, () => true, protectedPids(table, 9999));
    expect(members.map((member) => member.pid)).toEqual([10, 11, 300, 12]);
  });

  it('never include pid 1, this process, what stands above it, or what hangs below those alone', () => {
    const table = [entry(1, 0), entry(10, 1), entry(11, 10), entry(12, 11), entry(13, 10)];
    expect(select(table, 1, 12)).toEqual([]);
    expect(select(table, 10, 12)).toEqual([]);
    expect(select(table, 12, 12)).toEqual([]);
    expect(select(table, 13, 12)).toEqual([13]);
  });
});
