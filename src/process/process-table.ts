import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { tryOr } from '../core/values/result.ts';

/** The variable by which every process of a turn can be found again: children inherit it. */
export const MARKER_VARIABLE = 'RALPH_TURN';
const LONGEST_COMMAND = 1000;

/** The largest file of /proc that is read to its end. */
const LARGEST_FILE_BYTES = 8 << 20;
/** The kernel tells processor time in hundredths of a second, whatever it counts in itself. */
const TICK_MS = 10;
/** Up to this many pids, looking at each is quicker than listing all. */
const FEW_PIDS = 32;
/** Put ahead of an environment block, so that its first variable is found like every other. */
const ZERO_BYTE = Buffer.from('\0');
const MARKER_START = Buffer.from(`\0${MARKER_VARIABLE}=`);

const PS_TIMEOUT_MS = 5000;
const PS_OUTPUT_BYTES = 64 << 20;
const PS_COLUMNS = 'pid=,ppid=,pgid=,stat=,rss=,lstart=,command=';
const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+(\S+\s+\S+\s+\d+\s+\d+:\d+:\d+\s+\d+)\s?(.*)$/;
const MARKER_IN_WORDS = new RegExp(`(?:^|\\s)${MARKER_VARIABLE}=(\\S+)`, 'g');

/** Shared by all reads of /proc, which are synchronous; grows for a process with an unusually large environment. */
let scratch = Buffer.allocUnsafe(64 << 10);

/** One process at the moment it was looked at. Dead ones that their parent has not collected yet (zombies) are never listed. */
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

/** This system's source: /proc on Linux, `ps` elsewhere. */
export const systemProcessSource: ProcessSource = process.platform === 'linux' ? createLinuxProcessSource() : createPsProcessSource();

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
export function isAlive({ pid, startTime }: ProcessRef): boolean {
  return processStartTime(pid) === startTime;
}

/** Those of the given processes that still run. */
export function selectAlive<T extends ProcessRef>(processes: readonly T[]): T[] {
  const startTimes = systemProcessSource.startTimes(processes.map(({ pid }) => pid).filter(isPid));
  return processes.filter(({ pid, startTime }) => startTimes.get(pid) === startTime);
}

/** A key for maps: different for different processes, even with the same pid. */
export function toProcessKey({ pid, startTime }: ProcessRef): string {
  return `${pid}@${startTime}`;
}

function isPid(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

/**
 * The process namespace that this process runs in, as the kernel names it (`pid:[4026531836]`): equal texts on one machine mean the same namespace.
 * `null` where the system has none (macOS) or `/proc` does not tell.
 */
export function readPidNamespace(): string | null {
  return tryOr(() => readlinkSync('/proc/self/ns/pid'), null);
}

/** The facts about processes from /proc. One look at all of them takes about 10 µs per process. */
export function createLinuxProcessSource(): ProcessSource {
  let bootId: string | undefined;

  function readStat(pid: number | string): ReturnType<typeof parseProcStat> {
    bootId ??= readScratch('/proc/sys/kernel/random/boot_id')?.toString('latin1').trim() ?? 'boot';
    const text = readScratch(`/proc/${pid}/stat`)?.toString('latin1');
    return text ? parseProcStat(text, bootId) : undefined;
  }

  function readLive(pid: number | string): ProcessEntry | undefined {
    const found = readStat(pid);
    return found?.isZombie === false ? found.entry : undefined;
  }

  return {
    list: (sincePid) => listPids(sincePid).flatMap((pid) => readLive(pid) ?? []),
    find: (pid) => readStat(pid)?.entry,
    startTimes: (pids) => new Map(pids.flatMap((pid) => toEntries(pid, readLive(pid)?.startTime))),
    markerOf(pid) {
      const environment = readScratch(`/proc/${pid}/environ`);
      return environment && findMarker(environment);
    },
    details: (pids) => new Map(pids.flatMap((pid) => toEntries(pid, readDetails(pid)))),
  };
}

/**
 * Reads one `/proc/PID/stat`. The second field is the program's name in parentheses and may itself hold spaces, parentheses and line
 * feeds, so counting starts behind the last `)`. Source: proc(5).
 *
 * @returns the process and whether it is a zombie; undefined for text of another shape.
 */
export function parseProcStat(text: string, bootId: string): { readonly entry: ProcessEntry; readonly isZombie: boolean } | undefined {
  const nameEnd = text.lastIndexOf(')');
  const pid = Number.parseInt(text, 10);
  if (nameEnd === -1 || Number.isNaN(pid)) return undefined;
  // State is field 3 of the file and 0 here.
  const fields = text.slice(nameEnd + 2).split(' ', 20);
  const [state, parent, group, session] = fields;
  // utime, stime, cutime and cstime.
  const cpuTicks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const ticks = fields[19];
  if (state === undefined || ticks === undefined) return undefined;
  return {
    entry: {
      pid,
      parentPid: Number(parent),
      groupId: Number(group),
      sessionId: Number(session),
      startTime: `${bootId}:${ticks}`,
      startOrder: Number(ticks),
      cpuMs: cpuTicks * TICK_MS,
    },
    isZombie: state === 'Z' || state === 'X',
  };
}

/** The value of the marker in an environment block: `NAME=value` pieces that each end in a zero byte. */
export function findMarker(environment: Buffer): string | undefined {
  const block = Buffer.concat([ZERO_BYTE, environment]);
  const at = block.indexOf(MARKER_START);
  if (at === -1) return undefined;
  const valueStart = at + MARKER_START.length;
  const valueEnd = block.indexOf(0, valueStart);
  return block.toString('utf8', valueStart, valueEnd === -1 ? block.length : valueEnd);
}

function readDetails(pid: number): ProcessDetails | undefined {
  const words = readScratch(`/proc/${pid}/cmdline`)?.toString('utf8');
  if (words === undefined) return undefined;
  const status = readScratch(`/proc/${pid}/status`)?.toString('utf8') ?? '';
  const command = words.replaceAll('\0', ' ').trim() || (/^Name:\s*(.*)$/m.exec(status)?.[1] ?? '');
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
  return { command: command.slice(0, LONGEST_COMMAND), ...(kilobytes && { rssBytes: Number(kilobytes) * 1024 }) };
}

/** An entry of a map, or none. */
function toEntries<T>(pid: number, value: T | undefined): [number, T][] {
  return value === undefined ? [] : [[pid, value]];
}

/** The pids that there are. They are given out in rising order: until they start again from below, a younger process has a higher one. */
function listPids(sincePid: number | undefined): string[] {
  return tryOr(() => {
    const few = sincePid === undefined ? null : probePids(sincePid);
    if (few !== null) return few;
    const pids = readdirSync('/proc').filter((name) => /^\d/.test(name));
    if (sincePid === undefined || newestPid() < sincePid) return pids;
    return pids.filter((pid) => Number(pid) >= sincePid);
  }, []);
}

/**
 * Those from `sincePid` on, upwards, until none is newer: a process that starts another and ends meanwhile does not hide it.
 *
 * @returns null where there are more than a few, or where pids have started again from below
 */
function probePids(sincePid: number): string[] | null {
  const found: string[] = [];
  for (let next = sincePid; ; ) {
    const newest = newestPid();
    if (next > sincePid && newest === next - 1) return found;
    if (newest < next || newest - sincePid >= FEW_PIDS) return null;
    for (; next <= newest; next += 1) if (isProcess(next)) found.push(String(next));
  }
}

/** A thread has a folder in /proc too, which no listing shows. */
function isProcess(pid: number): boolean {
  if (!existsSync(`/proc/${pid}`)) return false;
  const status = readScratch(`/proc/${pid}/status`)?.toString('latin1');
  return status?.includes(`\nTgid:\t${pid}\n`) === true;
}

/** The pid that was given out last; 0 when it cannot be told. Source: proc(5), /proc/loadavg. */
function newestPid(): number {
  return Number(readScratch('/proc/loadavg')?.toString('latin1').trim().split(' ')[4] ?? 0) || 0;
}

/** A file of /proc, valid until the next call. Such files have no size: they are read until they end. */
function readScratch(path: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    let length = 0;
    for (;;) {
      const count = readSync(fd, scratch, length, scratch.length - length, null);
      length += count;
      if (count === 0 || length < scratch.length || length >= LARGEST_FILE_BYTES) return scratch.subarray(0, length);
      scratch = Buffer.concat([scratch], scratch.length * 2);
    }
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * The facts about processes from `ps`, for systems without /proc. The start time is exact to a second only, which still tells a
 * reused pid apart. macOS hides the environment of its own system programs, so a marker may stay unseen in those.
 *
 * @param environmentFlags what makes `ps` show environments behind the commands.
 */
export function createPsProcessSource(environmentFlags: readonly string[] = ['-E']): ProcessSource {
  const select = (pids: readonly number[]): PsLine[] => (pids.length === 0 ? [] : runPs(['-ww', '-p', pids.join(',')]));
  const withEnvironment = (pid: number): PsLine[] => runPs(['-ww', ...environmentFlags, '-p', String(pid)]);
  /** Filled by `list`, so that looking for a marker in all of them does not start one `ps` each. */
  let listed: ReadonlyMap<number, string> = new Map();

  return {
    list() {
      const lines = runPs(['-axww', ...environmentFlags]).filter((line) => !line.isZombie);
      listed = new Map(lines.map((line) => [line.entry.pid, line.command]));
      return lines.map((line) => line.entry);
    },
    find: (pid) => select([pid])[0]?.entry,
    startTimes: (pids) => new Map(select(pids).flatMap((line) => (line.isZombie ? [] : [[line.entry.pid, line.entry.startTime] as const]))),
    markerOf: (pid) => findMarkerInWords(listed.get(pid) ?? withEnvironment(pid)[0]?.command ?? ''),
    details: (pids) => new Map(select(pids).map((line) => [line.entry.pid, toDetails(line)] as const)),
  };
}

function toDetails(line: PsLine): ProcessDetails {
  return { command: line.command.slice(0, LONGEST_COMMAND), rssBytes: line.rssBytes };
}

function runPs(args: readonly string[]): PsLine[] {
  // A fixed environment: dates and column order must not depend on the person's language.
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C' };
  const outcome = spawnSync('ps', [...args, '-o', PS_COLUMNS], {
    env,
    encoding: 'utf8',
    timeout: PS_TIMEOUT_MS,
    maxBuffer: PS_OUTPUT_BYTES,
  });
  return (outcome.stdout ?? '').split('\n').flatMap((line) => parsePsLine(line) ?? []);
}

/** One line of `ps`, with everything after the columns as the command (and, when asked for, the environment). */
export interface PsLine {
  readonly entry: ProcessEntry;
  readonly isZombie: boolean;
  readonly rssBytes: number;
  readonly command: string;
}

/** Reads a line of `ps -o pid=,ppid=,pgid=,stat=,rss=,lstart=,command=`; undefined for any other. */
export function parsePsLine(line: string): PsLine | undefined {
  const match = PS_LINE.exec(line);
  if (!match) return undefined;
  const [, pid, parent, group, state = '', kilobytes, started = '', command = ''] = match;
  const startTime = started.replace(/\s+/g, ' ');
  return {
    entry: {
      pid: Number(pid),
      parentPid: Number(parent),
      groupId: Number(group),
      sessionId: undefined,
      startTime,
      startOrder: Date.parse(startTime) || 0,
    },
    isZombie: state.startsWith('Z'),
    rssBytes: Number(kilobytes) * 1024,
    command,
  };
}

/** The marker in a command line that is followed by the environment: the last one counts, the environment stands last. */
export function findMarkerInWords(words: string): string | undefined {
  return [...words.matchAll(MARKER_IN_WORDS)].at(-1)?.[1];
}
