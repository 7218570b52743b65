import { readFileSync } from 'node:fs';

/** No real chain of processes is longer. */
const MAX_ANCESTORS = 200;

/**
 * True if this process descends from the one that runs a run, so that it belongs to an agent's turn whatever became of its environment.
 * Reads `/proc`; where there is none (macOS) the environment alone tells, and this says false.
 */
export function isInsideRun(runPid: number, pid: number = process.pid): boolean {
  let current: number | null = pid;
  for (let count = 0; current !== null && current > 1 && count < MAX_ANCESTORS; count += 1) {
    if (current === runPid) return true;
    current = readParent(current);
  }
  return false;
}

/** Field 4 of `/proc/PID/stat`, behind the name in parentheses, which may hold anything. */
function readParent(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) || null;
  } catch {
    return null;
  }
}
