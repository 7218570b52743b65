import { protectedPids, selectWithDescendants } from './descendants.ts';
import { createSignalLedger, type EndReport, endMembers } from './end-members.ts';
import { type ProcessRef, toProcessKey } from './process-identity.ts';
import type { ProcessEntry } from './process-source.ts';
import { systemProcessSource } from './system-process-source.ts';

const defaultGraceMs = 2000;

/**
 * Ends what `find` finds and its descendants, for example what a dead run left behind: SIGTERM, up to `graceMs` (default 2 s) of
 * patience, SIGKILL. It is asked again and again, so that what is started meanwhile is found too. A process is only touched while its start time still matches; never touched are pid 1, this process and its
 * own ancestors.
 */
export async function endProcesses(find: () => readonly ProcessRef[], graceMs: number = defaultGraceMs): Promise<EndReport> {
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
