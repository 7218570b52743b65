import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';
import { markerVariable } from './marker.ts';
import type { ProcessDetails, ProcessEntry, ProcessSource } from './process-source.ts';

const largestFileBytes = 8 << 20;
const longestCommand = 1000;
/** The kernel tells processor time in hundredths of a second, whatever it counts in itself. */
const tickMs = 10;
/** Sent ahead of an environment block, so that its first variable is found like every other. */
const separator = Buffer.from('\0');
const markerStart = Buffer.from(`\0${markerVariable}=`);

/** Shared by all reads, which are synchronous; grows for a process with an unusually large environment. */
let scratch = Buffer.allocUnsafe(64 << 10);

/** A file of /proc, valid until the next call. Such files have no size: they are read until they end. */
function readScratch(path: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    let length = 0;
    for (;;) {
      const count = readSync(fd, scratch, length, scratch.length - length, null);
      length += count;
      if (count === 0 || length < scratch.length || length >= largestFileBytes) return scratch.subarray(0, length);
      scratch = Buffer.concat([scratch], scratch.length * 2);
    }
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
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
      cpuMs: cpuTicks * tickMs,
    },
    isZombie: state === 'Z' || state === 'X',
  };
}

/** Finds a variable in an environment block: `NAME=value` pieces that each end in a zero byte. */
export function findMarker(environment: Buffer): string | undefined {
  const block = Buffer.concat([separator, environment]);
  const at = block.indexOf(markerStart);
  if (at === -1) return undefined;
  const valueStart = at + markerStart.length;
  const valueEnd = block.indexOf(0, valueStart);
  return block.toString('utf8', valueStart, valueEnd === -1 ? block.length : valueEnd);
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
    startTimes: (pids) => new Map(pids.flatMap((pid) => asPair(pid, readLive(pid)?.startTime))),
    markerOf(pid) {
      const environment = readScratch(`/proc/${pid}/environ`);
      return environment && findMarker(environment);
    },
    details: (pids) => new Map(pids.flatMap((pid) => asPair(pid, readDetails(pid)))),
  };
}

function asPair<T>(pid: number, value: T | undefined): [number, T][] {
  return value === undefined ? [] : [[pid, value]];
}

/** So few are looked for one by one sooner than all are listed. */
const fewPids = 32;

/** Pids are given out in rising order: until they start again from below, whoever came later has a higher one. */
function listPids(sincePid: number | undefined): string[] {
  try {
    const few = sincePid === undefined ? null : probePids(sincePid);
    if (few !== null) return few;
    const pids = readdirSync('/proc').filter((name) => name >= '0' && name < ':');
    if (sincePid === undefined || newestPid() < sincePid) return pids;
    return pids.filter((pid) => Number(pid) >= sincePid);
  } catch {
    return [];
  }
}

/**
 * Those from `sincePid` on, upwards, until none is newer: whoever starts another and ends meanwhile does not hide it.
 *
 * @returns null where there are more than a few, or where pids have started again from below
 */
function probePids(sincePid: number): string[] | null {
  const found: string[] = [];
  for (let next = sincePid; ; ) {
    const newest = newestPid();
    if (next > sincePid && newest === next - 1) return found;
    if (newest < next || newest - sincePid >= fewPids) return null;
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

function readDetails(pid: number): ProcessDetails | undefined {
  const words = readScratch(`/proc/${pid}/cmdline`)?.toString('utf8');
  if (words === undefined) return undefined;
  const status = readScratch(`/proc/${pid}/status`)?.toString('utf8') ?? '';
  const command = words.replaceAll('\0', ' ').trim() || (/^Name:\s*(.*)$/m.exec(status)?.[1] ?? '');
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
  return { command: command.slice(0, longestCommand), ...(kilobytes && { rssBytes: Number(kilobytes) * 1024 }) };
}
