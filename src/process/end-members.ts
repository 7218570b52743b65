import { freezeMembers } from './freeze-members.ts';
import { type ProcessRef, toProcessKey } from './process-identity.ts';
import type { ProcessEntry } from './process-source.ts';
import { type EndSignal, signalProcess } from './send-signal.ts';
import { waitUntilGone } from './wait-until-gone.ts';

/** SIGKILL acts within milliseconds; only a process that hangs in the kernel takes longer, and waiting does not help it. */
const killWaitMs = 1000;
/** A tree may go on starting processes while it is being ended: it is looked at again this many times. */
const killRounds = 5;

/** Which processes were sent which signal, so that none gets SIGTERM twice: to many programs the second means "drop everything". */
export interface SignalLedger {
  mark(processes: readonly ProcessRef[], signal: EndSignal): void;
  wasSent(process: ProcessRef, signal: EndSignal): boolean;
  /** True if nobody was sent anything. */
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

/** How one round of ending went. */
export interface EndReport {
  /** Processes that were signalled by this round. */
  readonly signalled: number;
  /** Those that run even after SIGKILL: hung in the kernel, or not ours to signal. */
  readonly survivors: readonly ProcessRef[];
}

/**
 * Ends everything `scan` finds: SIGTERM, up to `graceMs` of patience, then SIGKILL until a look finds nobody.
 * When there is nobody, `scan` is called once.
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
  for (let round = 0; round < killRounds; round += 1) {
    members = freezeMembers(scan);
    if (members.length === 0) break;
    send(members, 'SIGKILL');
    await waitUntilGone(members, killWaitMs);
  }
  const survivors = members.length === 0 ? [] : scan();
  return { signalled: signalled.size, survivors };
}

/**
 * The members without those that somebody who is ending himself has started: the commands of a clean-up must not be interrupted.
 * What he started before was sent SIGTERM together with him.
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
