/** One process at the moment it was looked at. Dead ones that nobody has collected yet (zombies) are never listed. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  /** Undefined where the system does not tell. */
  readonly sessionId: number | undefined;
  /** Opaque; with the pid it names this process beyond any reuse of the pid. */
  readonly startTime: string;
  /** The same moment as a number: only good for comparing processes of one list. */
  readonly startOrder: number;
  /** Processor time that it and the children it has collected used; absent where the system does not tell. */
  readonly cpuMs?: number;
}

/** What a person wants to know of a process. */
export interface ProcessDetails {
  /** The command line, at most 1,000 characters. */
  readonly command: string;
  readonly rssBytes?: number;
}

/** Where the facts about running processes come from. Nothing here throws: what cannot be read is absent. */
export interface ProcessSource {
  /**
   * All processes that can be seen. With `sincePid`, a source that can tell cheaply may leave out those that were started before that
   * one; the caller vouches that pids have not gone all the way round since.
   */
  list(sincePid?: number): ProcessEntry[];
  /** The one process, also as a zombie; undefined when there is none. */
  find(pid: number): ProcessEntry | undefined;
  /** The start time of each of these that is alive. */
  startTimes(pids: readonly number[]): ReadonlyMap<number, string>;
  /** `RALPH_TURN` in the environment the process was started with. */
  markerOf(pid: number): string | undefined;
  details(pids: readonly number[]): ReadonlyMap<number, ProcessDetails>;
}
