import { spawnSync } from 'node:child_process';
import { markerVariable } from './marker.ts';
import type { ProcessDetails, ProcessEntry, ProcessSource } from './process-source.ts';

const timeoutMs = 5000;
const outputLimitBytes = 64 << 20;
const longestCommand = 1000;
const columns = 'pid=,ppid=,pgid=,stat=,rss=,lstart=,command=';
const linePattern = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+(\S+\s+\S+\s+\d+\s+\d+:\d+:\d+\s+\d+)\s?(.*)$/;
const markerPattern = new RegExp(`(?:^|\\s)${markerVariable}=(\\S+)`, 'g');

/** One line of `ps`, with everything after the columns as the command (and, when asked for, the environment). */
export interface PsLine {
  readonly entry: ProcessEntry;
  readonly isZombie: boolean;
  readonly rssBytes: number;
  readonly command: string;
}

/** Reads a line of `ps -o pid=,ppid=,pgid=,stat=,rss=,lstart=,command=`; undefined for any other. */
export function parsePsLine(line: string): PsLine | undefined {
  const match = linePattern.exec(line);
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
  return [...words.matchAll(markerPattern)].at(-1)?.[1];
}

function runPs(args: readonly string[]): PsLine[] {
  // A fixed environment: dates and column order must not depend on the person's language.
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C' };
  const outcome = spawnSync('ps', [...args, '-o', columns], { env, encoding: 'utf8', timeout: timeoutMs, maxBuffer: outputLimitBytes });
  return (outcome.stdout ?? '').split('\n').flatMap((line) => parsePsLine(line) ?? []);
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
  return { command: line.command.slice(0, longestCommand), rssBytes: line.rssBytes };
}
