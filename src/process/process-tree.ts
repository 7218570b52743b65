import { protectedPids, selectWithDescendants } from './descendants.ts';
import { createSignalLedger, endMembers, type SignalLedger } from './end-members.ts';
import { freezeMembers } from './freeze-members.ts';
import { toProcessKey } from './process-identity.ts';
import type { ProcessEntry } from './process-source.ts';
import { type EndSignal, hasGroupMembers, signalGroup, signalProcess } from './send-signal.ts';
import { steadyMs } from './steady-time.ts';
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
  /** Processor time that the members have used so far, in milliseconds; 0 where the system tells nothing of it. */
  cpuMs(): number;
  /** Remembers who descends from the child now: later nothing may lead to them. Cheap. */
  look(): void;
  /** Whether a namespace has nobody any more but those who keep it. */
  isEmptyInside(): boolean;
  /** Ends what is left after the child; the number of processes that were ended since its exit. */
  endRest(graceMs: number): Promise<number>;
}

/** The child that is looked after. */
export interface TreeRoot {
  readonly pid: number;
  readonly marker: string | undefined;
  /**
   * The child waits for process 1 of a namespace in which everything else runs. Neither of the two is a member; with process 1 all members
   * end.
   */
  readonly hasInit: boolean;
}

/**
 * Watches over a child's tree. Members are: the child, its process group and session, every process that carries the marker, all
 * their descendants, and whoever was seen to be a member before (a process keeps no trace of a parent that has died).
 */
export function createProcessTree({ pid: rootPid, marker, hasInit }: TreeRoot): ProcessTree {
  const root = systemProcessSource.find(rootPid);
  const known = new Set<string>();
  const scan = createScan({ rootPid, root, marker, known });
  const ledger = createSignalLedger();
  let hasExited = false;
  let endedAfterExit = 0;

  /** Without a marker nobody can be found outside the group who was not seen before: an empty group makes the look needless. */
  function isSurelyEmpty(): boolean {
    return marker === undefined && known.size === 0 && !hasGroupMembers(rootPid);
  }

  /** Whoever waits for process 1, and process 1 itself, are no work of the turn. */
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
    cpuMs: () => scan.look().reduce((sum, { cpuMs = 0 }) => sum + cpuMs, 0),
    look: () => void scan.look(),
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

/** With process 1 the kernel ends everything; before it has started anybody, nobody needs time to end. */
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

interface ScanOrder {
  readonly rootPid: number;
  readonly root: ProcessEntry | undefined;
  readonly marker: string | undefined;
  /** Grows: whoever was once found to be a member. */
  readonly known: Set<string>;
}

/** Looks for all members; `look` only for those that descend from known ones, without reading what each process carries. */
interface Scan {
  (): ProcessEntry[];
  readonly look: () => ProcessEntry[];
}

function createScan({ rootPid, root, marker, known }: ScanOrder): Scan {
  const startedAt = steadyMs();

  function isSeed(entry: ProcessEntry, isGroupOurs: boolean, carried: string | undefined): boolean {
    if (root === undefined || entry.startOrder < root.startOrder) return false;
    if (entry.pid === rootPid) return entry.startTime === root.startTime;
    if (isGroupOurs && (entry.groupId === rootPid || entry.sessionId === rootPid)) return true;
    return known.has(toProcessKey(entry)) || (carried !== undefined && systemProcessSource.markerOf(entry.pid) === carried);
  }

  function find(carried: string | undefined): ProcessEntry[] {
    const isYoung = steadyMs() - startedAt < shortLifeMs;
    const table = systemProcessSource.list(isYoung ? rootPid : undefined);
    // A pid is given out again only after the last member of its group and session is gone.
    const isGroupOurs = !table.some((entry) => entry.pid === rootPid && entry.startTime !== root?.startTime);
    const untouchable = protectedPids(table, process.pid);
    const members = selectWithDescendants(table, (entry) => isSeed(entry, isGroupOurs, carried), untouchable);
    for (const member of members) known.add(toProcessKey(member));
    return members;
  }

  return Object.assign(() => find(marker), { look: () => find(undefined) });
}
