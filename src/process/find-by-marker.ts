import type { ProcessRef } from './process-identity.ts';
import { systemProcessSource } from './system-process-source.ts';

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
 * these have started. Not found are processes of other users and those that were started with a cleared environment; on macOS also
 * the system's own programs, whose environment it hides.
 */
export function findByMarker(prefix: string): MarkedProcess[] {
  const marked = systemProcessSource.list().flatMap((entry) => {
    const marker = entry.pid === process.pid ? undefined : systemProcessSource.markerOf(entry.pid);
    return marker?.startsWith(prefix) ? [{ pid: entry.pid, startTime: entry.startTime, marker }] : [];
  });
  const details = systemProcessSource.details(marked.map((process) => process.pid));
  return marked.map((process) => ({ ...process, ...(details.get(process.pid) ?? { command: '' }) }));
}
