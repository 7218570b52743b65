import { setTimeout as delay } from 'node:timers/promises';
import { tryOr } from '../core/values/result.ts';
import type { EndSignal, ProcessTree } from './contract.ts';
import { isAlive, type ProcessEntry, type ProcessRef, selectAlive, systemProcessSource, toProcessKey } from './process-table.ts';
import { steadyMs } from './steady-clock.ts';

/** No system starts so many processes in this time that their pids go all the way round. */
const SHORT_LIFE_MS = 1000;
/** SIGKILL acts within milliseconds; only a process that hangs in the kernel takes longer, and waiting does not help it. */
const KILL_WAIT_MS = 1000;
/** A tree may go on starting processes while it is being ended: it is looked at again this many times. */
const KILL_ROUNDS = 5;
/** A tree is still as soon as one look finds none that is new; more rounds than this mean that it cannot be stopped. */
const FREEZE_ROUNDS = 10;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

interface TreeRoot {
  readonly pid: number;
  readonly marker: string | undefined;
  /** The child waits for process 1 of a namespace in which everything else runs. Neither of the two is a member; with process 1 all members end. */
  readonly hasInit: boolean;
}

/**
 * Watches over a child's tree. Members are: the child, its process group and session, every process that carries the marker, all
 * their descendants, and every process that was seen to be a member before (a process keeps no trace of a parent that has died).
 */
export function createProcessTree({ pid: rootPid, marker, hasInit }: TreeRoot): ProcessTree {
  const root = systemProcessSource.find(rootPid);
  const known = new Set<string>();
  const find = createMemberSearch(rootPid, root, known);
  const scan = (): ProcessEntry[] => find(marker);
  /** Only those that descend from known members, without reading what each process carries. */
  const look = (): ProcessEntry[] => find(undefined);
  const ledger = createSignalLedger();
  let hasExited = false;
  let endedAfterExit = 0;

  /** Without a marker no process outside the group can be found that was not seen before: an empty group makes the look needless. */
  function isSurelyEmpty(): boolean {
    return marker === undefined && known.size === 0 && !hasGroupMembers(rootPid);
  }

  /** The process that waits for process 1, and process 1 itself, are no work of the turn. */
  function scanInside(): ProcessEntry[] {
    return scan().filter((entry) => entry.pid !== rootPid && entry.parentPid !== rootPid);
  }

  function signal(kind: EndSignal): void {
    if (hasInit && !hasExited) {
      signalInside(rootPid, kind, scan, ledger);
      return;
    }
    const found = kind === 'SIGKILL' ? freezeMembers(scan) : scan();
    const members = found.filter((member) => !ledger.wasSent(member, kind));
    // Until the child is collected its pid, and so its group, cannot belong to another process. The group gets the signal at one moment,
    // so that no member can start another in between.
    if (!hasExited) signalGroup(rootPid, kind);
    for (const member of members) if (hasExited || member.groupId !== rootPid) signalProcess(member, kind);
    ledger.mark(members, kind);
    if (hasExited) endedAfterExit += members.length;
  }

  return {
    rootStartTime: root?.startTime,
    markRootExited() {
      hasExited = true;
    },
    signal,
    cpuMs: () => look().reduce((sum, { cpuMs = 0 }) => sum + cpuMs, 0),
    look: () => void look(),
    isEmptyInside: () => hasInit && scanInside().length === 0,
    hasSignalled: () => !ledger.isEmpty(),
    async endRest(graceMs) {
      if (hasInit && !hasExited) return (await endMembers(scanInside, graceMs, ledger)).signalled;
      if (isSurelyEmpty()) return 0;
      // Without any table of processes the group is all there is to go by.
      if (root === undefined) signalGroup(rootPid, 'SIGKILL');
      const { signalled } = await endMembers(scan, graceMs, ledger);
      return endedAfterExit + signalled;
    },
  };
}

/** With process 1 the kernel ends everything; before it has started a process, none needs time to end. */
function signalInside(rootPid: number, kind: EndSignal, scan: () => ProcessEntry[], ledger: SignalLedger): void {
  const all = scan();
  const init = all.filter((entry) => entry.parentPid === rootPid);
  const members = all.filter((entry) => entry.pid !== rootPid && !init.includes(entry));
  if (kind === 'SIGTERM' && members.length > 0) {
    for (const member of members) if (!ledger.wasSent(member, kind)) signalProcess(member, kind);
  } else {
    for (const entry of init) signalProcess(entry, 'SIGKILL');
    signalGroup(rootPid, 'SIGKILL');
  }
  ledger.mark(all, kind);
}

/**
 * Finds the members of a tree; with a marker also those that carry it.
 *
 * @param known grows: every process that was once found to be a member
 */
function createMemberSearch(
  rootPid: number,
  root: ProcessEntry | undefined,
  known: Set<string>,
): (marker: string | undefined) => ProcessEntry[] {
  const startedAt = steadyMs();

  function isSeed(entry: ProcessEntry, isGroupOurs: boolean, marker: string | undefined): boolean {
    if (root === undefined || entry.startOrder < root.startOrder) return false;
    if (entry.pid === rootPid) return entry.startTime === root.startTime;
    if (isGroupOurs && (entry.groupId === rootPid || entry.sessionId === rootPid)) return true;
    return known.has(toProcessKey(entry)) || (marker !== undefined && systemProcessSource.markerOf(entry.pid) === marker);
  }

  return (marker) => {
    const isYoung = steadyMs() - startedAt < SHORT_LIFE_MS;
    const table = systemProcessSource.list(isYoung ? rootPid : undefined);
    // A pid is given out again only after the last member of its group and session is gone.
    const isGroupOurs = !table.some((entry) => entry.pid === rootPid && entry.startTime !== root?.startTime);
    const untouchable = protectedPids(table, process.pid);
    const members = selectWithDescendants(table, (entry) => isSeed(entry, isGroupOurs, marker), untouchable);
    for (const member of members) known.add(toProcessKey(member));
    return members;
  };
}

/** Which processes were sent which signal, so that none gets SIGTERM twice: to many programs the second means "drop everything". */
export interface SignalLedger {
  mark(processes: readonly ProcessRef[], signal: EndSignal): void;
  wasSent(process: ProcessRef, signal: EndSignal): boolean;
  /** True if no signal was sent. */
  isEmpty(): boolean;
}

export function createSignalLedger(): SignalLedger {
  const sent = new Map<string, EndSignal>();
  return {
    mark(processes, signal) {
      for (const process of processes) sent.set(toProcessKey(process), signal);
    },
    wasSent(process, signal) {
      const last = sent.get(toProcessKey(process));
      return last === signal || last === 'SIGKILL';
    },
    isEmpty: () => sent.size === 0,
  };
}

export interface EndReport {
  /** Processes that were signalled by this round. */
  readonly signalled: number;
  /** Those that run even after SIGKILL: hung in the kernel, or not ours to signal. */
  readonly survivors: readonly ProcessRef[];
}

/**
 * Ends everything `scan` finds: SIGTERM, up to `graceMs` of patience, then SIGKILL until a look finds none.
 * When there is none, `scan` is called once.
 */
export async function endMembers(scan: () => ProcessEntry[], graceMs: number, ledger: SignalLedger): Promise<EndReport> {
  const signalled = new Set<string>();
  const send = (members: readonly ProcessEntry[], signal: EndSignal): void => {
    const fresh = members.filter((member) => !ledger.wasSent(member, signal) && signalProcess(member, signal));
    ledger.mark(fresh, signal);
    for (const member of fresh) signalled.add(toProcessKey(member));
  };

  let members = scan();
  if (members.length === 0) return { signalled: 0, survivors: [] };
  send(withoutHelpers(members, ledger), 'SIGTERM');
  await waitUntilGone(members, graceMs);
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    members = freezeMembers(scan);
    if (members.length === 0) break;
    send(members, 'SIGKILL');
    await waitUntilGone(members, KILL_WAIT_MS);
  }
  const survivors = members.length === 0 ? [] : scan();
  return { signalled: signalled.size, survivors };
}

/**
 * The members without those that were started by a member that is ending already: the commands of its clean-up must not be interrupted.
 * What it had started before was sent SIGTERM together with it.
 */
function withoutHelpers(members: readonly ProcessEntry[], ledger: SignalLedger): ProcessEntry[] {
  const byPid = new Map(members.map((member) => [member.pid, member]));
  const isHelper = (member: ProcessEntry): boolean => {
    const seen = new Set<ProcessEntry>();
    for (let parent = byPid.get(member.parentPid); parent !== undefined && !seen.has(parent); parent = byPid.get(parent.parentPid)) {
      if (ledger.wasSent(parent, 'SIGTERM')) return true;
      seen.add(parent);
    }
    return false;
  };
  return members.filter((member) => ledger.wasSent(member, 'SIGTERM') || !isHelper(member));
}

/**
 * Stops (SIGSTOP) everything `scan` finds, until a look finds none that is new: a stopped process starts no other. Without this, a process
 * that was started between the look and the kill would lose its parent and with it the only trace that leads to it.
 *
 * @returns all members, stopped; to be killed at once.
 */
function freezeMembers(scan: () => ProcessEntry[]): ProcessEntry[] {
  const frozen = new Set<string>();
  let members = scan();
  for (let round = 0; round < FREEZE_ROUNDS; round += 1) {
    const fresh = members.filter((member) => !frozen.has(toProcessKey(member)));
    if (fresh.length === 0) break;
    for (const member of fresh) {
      frozen.add(toProcessKey(member));
      signalProcess(member, 'SIGSTOP');
    }
    members = scan();
  }
  return members;
}

/** Waits until none of these runs any more, at most `waitMs`. The system tells only a parent, so it is asked again and again. */
async function waitUntilGone(processes: readonly ProcessRef[], waitMs: number): Promise<void> {
  const deadline = steadyMs() + waitMs;
  let alive = selectAlive(processes);
  for (let pauseMs = FIRST_PAUSE_MS; alive.length > 0; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const leftMs = deadline - steadyMs();
    if (leftMs <= 0) return;
    await delay(Math.min(pauseMs, leftMs));
    alive = selectAlive(alive);
  }
}

/** The pids that must never be signalled from here: the system's own, this process, and everything above it. */
export function protectedPids(table: readonly ProcessEntry[], ownPid: number): ReadonlySet<number> {
  const parents = new Map(table.map((entry) => [entry.pid, entry.parentPid]));
  const found = new Set([0, 1]);
  for (let pid: number | undefined = ownPid; pid !== undefined && !found.has(pid); pid = parents.get(pid)) found.add(pid);
  return found;
}

/**
 * The processes chosen by `isSeed` and everything below them, without the protected ones and what hangs below those only.
 * A child that is older than its parent is no child: the parent's pid was given out again while the table was being read.
 *
 * @returns the oldest first: a shell whose command ends before it is asked to end itself would begin the next one.
 */
export function selectWithDescendants(
  table: readonly ProcessEntry[],
  isSeed: (entry: ProcessEntry) => boolean,
  untouchable: ReadonlySet<number>,
): ProcessEntry[] {
  const children = groupByParent(table);
  const found = new Map<number, ProcessEntry>();
  const waiting = table.filter(isSeed);
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    if (untouchable.has(entry.pid) || found.has(entry.pid)) continue;
    found.set(entry.pid, entry);
    const { pid, startOrder } = entry;
    waiting.push(...(children.get(pid) ?? []).filter((child) => child.startOrder >= startOrder));
  }
  return [...found.values()].sort((left, right) => left.startOrder - right.startOrder || left.pid - right.pid);
}

function groupByParent(table: readonly ProcessEntry[]): ReadonlyMap<number, readonly ProcessEntry[]> {
  const groups = new Map<number, ProcessEntry[]>();
  for (const entry of table) {
    const group = groups.get(entry.parentPid);
    if (group) group.push(entry);
    else groups.set(entry.parentPid, [entry]);
  }
  return groups;
}

/** Signals exactly this process (SIGSTOP is for what SIGKILL follows at once); false when it is gone, is not ours to signal, or must not be signalled. */
function signalProcess(target: ProcessRef, signal: EndSignal | 'SIGSTOP'): boolean {
  if (target.pid <= 1 || target.pid === process.pid || !isAlive(target)) return false;
  return send(target.pid, signal);
}

/** Signals a process group. The caller knows that the group is one that was started here. */
function signalGroup(groupId: number, signal: EndSignal): boolean {
  return groupId > 1 && send(-groupId, signal);
}

/** Whether a process is in this group, as far as one system call can tell. */
function hasGroupMembers(groupId: number): boolean {
  return groupId > 1 && send(-groupId, 0);
}

function send(pid: number, signal: EndSignal | 'SIGSTOP' | 0): boolean {
  return tryOr(() => process.kill(pid, signal), false);
}
