import { protectedPids, selectWithDescendants } from './descendants.ts';
import { createSignalLedger, endMembers } from './end-members.ts';
import { freezeMembers } from './freeze-members.ts';
import { toProcessKey } from './process-identity.ts';
import type { ProcessEntry } from './process-source.ts';
import { type EndSignal, hasGroupMembers, signalGroup, signalProcess } from './send-signal.ts';
import { systemProcessSource } from './system-process-source.ts';

/** No system starts so many processes in this time that their pids go all the way round. */
const shortLifeMs = 1000;

/** A child that leads a process group of its own, and everything that comes from it. */
export interface ProcessTree {
  /** The child's start time; undefined where the system tells nothing about processes. */
  readonly rootStartTime: string | undefined;
  /** The child was collected: from now on its pid may belong to somebody else. */
  markRootExited(): void;
  /** Signals the group and every member elsewhere. Meant to be called once per signal, SIGTERM first. */
  signal(signal: EndSignal): void;
  /** True if any member was told to end. */
  hasSignalled(): boolean;
  /** Ends what is left after the child; the number of processes that were ended since its exit. */
  endRest(graceMs: number): Promise<number>;
}

/**
 * Watches over a child's tree. Members are: the child, its process group and session, every process that carries the marker, all
 * their descendants, and whoever was seen to be a member before (a process keeps no trace of a parent that has died).
 */
export function createProcessTree(rootPid: number, marker: string | undefined): ProcessTree {
  const startedAt = performance.now();
  const root = systemProcessSource.find(rootPid);
  const known = new Set<string>();
  const ledger = createSignalLedger();
  let hasExited = false;
  let endedAfterExit = 0;

  function isSeed(entry: ProcessEntry, isGroupOurs: boolean): boolean {
    if (root === undefined || entry.startOrder < root.startOrder) return false;
    if (entry.pid === rootPid) return entry.startTime === root.startTime;
    if (isGroupOurs && (entry.groupId === rootPid || entry.sessionId === rootPid)) return true;
    return known.has(toProcessKey(entry)) || (marker !== undefined && systemProcessSource.markerOf(entry.pid) === marker);
  }

  function scan(): ProcessEntry[] {
    const isYoung = performance.now() - startedAt < shortLifeMs;
    const table = systemProcessSource.list(isYoung ? rootPid : undefined);
    // A pid is given out again only after the last member of its group and session is gone.
    const isGroupOurs = !table.some((entry) => entry.pid === rootPid && entry.startTime !== root?.startTime);
    const untouchable = protectedPids(table, process.pid);
    const members = selectWithDescendants(table, (entry) => isSeed(entry, isGroupOurs), untouchable);
    for (const member of members) known.add(toProcessKey(member));
    return members;
  }

  /** Without a marker nobody can be found outside the group who was not seen before: an empty group makes the look needless. */
  function isSurelyEmpty(): boolean {
    return marker === undefined && known.size === 0 && !hasGroupMembers(rootPid);
  }

  function signal(kind: EndSignal): void {
    const found = kind === 'SIGKILL' ? freezeMembers(scan) : scan();
    const members = found.filter((member) => !ledger.wasSent(member, kind));
    // Until the child is collected its pid, and so its group, cannot be anybody else's. The group gets the signal at one moment,
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
    hasSignalled: () => !ledger.isEmpty(),
    async endRest(graceMs) {
      if (isSurelyEmpty()) return 0;
      // Without any table of processes the group is all there is to go by.
      if (root === undefined) signalGroup(rootPid, 'SIGKILL');
      const { signalled } = await endMembers(scan, graceMs, ledger);
      return endedAfterExit + signalled;
    },
  };
}
