import type { ProcessRef } from './process-identity.ts';
import { systemProcessSource } from './system-process-source.ts';

/** On a machine that starts processes all the time a look would never be the last. */
const mostLooks = 20;

/** A running process that carries a marker in its environment. */
export interface MarkedProcess extends ProcessRef {
  readonly marker: string;
  /** Its command line, at most 1,000 characters. */
  readonly command: string;
  /** Memory it occupies, where the system tells. */
  readonly rssBytes?: number;
}

/**
 * The running processes, other than this one, whose `RALPH_TURN` begins with `prefix`: what a run, or any run, has started and what
 * these have started, also while they are being looked for. Not found are processes of other users and those that were started with a cleared environment; on macOS also
 * the system's own programs, whose environment it hides.
 */
export function findByMarker(prefix: string): MarkedProcess[] {
  const marked: (ProcessRef & { readonly marker: string })[] = [];
  let since: number | undefined;
  for (let look = 0; look < mostLooks; look += 1) {
    // Whoever was started during the last look may be all that is left of somebody who ended before he was looked at.
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
