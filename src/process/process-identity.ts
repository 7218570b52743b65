import { systemProcessSource } from './system-process-source.ts';

/** A process beyond any reuse of its pid, also after a restart of the machine. Plain data: it may be stored. */
export interface ProcessRef {
  readonly pid: number;
  /** See {@link processStartTime}. */
  readonly startTime: string;
}

/**
 * When a running process was started, as an opaque text: equal texts for equal pids mean the same process. On Linux the id of the
 * machine's boot and the kernel's clock ticks since then; on macOS the date to the second. Undefined when there is no such process,
 * or when it is dead and only waits to be collected by its parent.
 */
export function processStartTime(pid: number): string | undefined {
  return isPid(pid) ? systemProcessSource.startTimes([pid]).get(pid) : undefined;
}

/** Whether exactly this process still runs; false when its pid now belongs to another one. */
export function isAlive(process: ProcessRef): boolean {
  return processStartTime(process.pid) === process.startTime;
}

/** Those of the given processes that still run. */
export function selectAlive<T extends ProcessRef>(processes: readonly T[]): T[] {
  const startTimes = systemProcessSource.startTimes(processes.map((process) => process.pid).filter(isPid));
  return processes.filter((process) => startTimes.get(process.pid) === process.startTime);
}

/** A key for maps: different for different processes, even with the same pid. */
export function toProcessKey(process: ProcessRef): string {
  return `${process.pid}@${process.startTime}`;
}

function isPid(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}
