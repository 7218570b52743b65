import { type ProcessEntry, type ProcessRef, systemProcessSource, toProcessKey } from './process-table.ts';
import { createSignalLedger, type EndReport, endMembers, protectedPids, selectWithDescendants } from './process-tree.ts';

const DEFAULT_GRACE_MS = 2000;
/** On a machine that starts processes all the time a look would never be the last. */
const MOST_LOOKS = 20;

/**
 * Ends what `find` finds and its descendants, for example what a dead run left behind: SIGTERM, up to `graceMs` (default 2 s) of patience, SIGKILL.
 * `find` is called again and again, so that what is started meanwhile is found too. A process is only touched while its start time still matches; never
 * touched are pid 1, this process and its own ancestors.
 */
export async function endProcesses(find: () => readonly ProcessRef[], graceMs: number = DEFAULT_GRACE_MS): Promise<EndReport> {
  const wanted = new Set<string>();
  const scan = (): ProcessEntry[] => {
    for (const process of find()) wanted.add(toProcessKey(process));
    const table = systemProcessSource.list();
    const members = selectWithDescendants(table, (entry) => wanted.has(toProcessKey(entry)), protectedPids(table, process.pid));
    for (const member of members) wanted.add(toProcessKey(member));
    return members;
  };
  return endMembers(scan, graceMs, createSignalLedger());
}

export interface MarkedProcess extends ProcessRef {
  readonly marker: string;
  /** Its command line, at most 1,000 characters. */
  readonly command: string;
  /** Memory it occupies, where the system tells. */
  readonly rssBytes?: number;
}

/**
 * The running processes, other than this one, whose `RALPH_TURN` begins with `prefix`: what a run, or any run, has started and what these have started,
 * also while they are being looked for. Not found are processes of other users and those that were started with a cleared environment; on macOS also the
 * system's own programs, whose environment it hides.
 */
export function findByMarker(prefix: string): MarkedProcess[] {
  const marked: (ProcessRef & { readonly marker: string })[] = [];
  let since: number | undefined;
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    // A process that was started during the last look may be all that is left of one that ended before it was looked at.
    const entries = systemProcessSource.list(since).filter(({ pid }) => since === undefined || pid >= since);
    if (entries.length === 0) break;
    for (const { pid, startTime } of entries) {
      const marker = pid === process.pid ? undefined : systemProcessSource.markerOf(pid);
      if (marker?.startsWith(prefix)) marked.push({ pid, startTime, marker });
    }
    since = entries.reduce((highest, { pid }) => Math.max(highest, pid + 1), since ?? 0);
  }
  const details = systemProcessSource.details(marked.map((process) => process.pid));
  return marked.map((process) => ({ ...process, ...(details.get(process.pid) ?? { command: '' }) }));
}
