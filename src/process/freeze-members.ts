import { toProcessKey } from './process-identity.ts';
import type { ProcessEntry } from './process-source.ts';
import { signalProcess } from './send-signal.ts';

/** A tree is still as soon as one look finds nobody new; more rounds than this mean that it cannot be stopped. */
const mostRounds = 10;

/**
 * Stops (SIGSTOP) everything `scan` finds, until a look finds nobody new: a stopped process starts no other. Without this, a process
 * that was started between the look and the kill would lose its parent and with it the only trace that leads to it.
 *
 * @returns all members, stopped; to be killed at once.
 */
export function freezeMembers(scan: () => ProcessEntry[]): ProcessEntry[] {
  const frozen = new Set<string>();
  let members = scan();
  for (let round = 0; round < mostRounds; round += 1) {
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
