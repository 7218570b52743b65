import { isAlive, type ProcessRef } from './process-identity.ts';

/** The signals that end processes. */
export type EndSignal = 'SIGTERM' | 'SIGKILL';

/** Signals exactly this process (SIGSTOP is for what SIGKILL follows at once); false when it is gone, is not ours to signal, or must not be signalled. */
export function signalProcess(target: ProcessRef, signal: EndSignal | 'SIGSTOP'): boolean {
  if (target.pid <= 1 || target.pid === process.pid || !isAlive(target)) return false;
  return send(target.pid, signal);
}

/** Signals a process group. The caller knows that the group is one that was started here. */
export function signalGroup(groupId: number, signal: EndSignal): boolean {
  return groupId > 1 && send(-groupId, signal);
}

/** Whether anybody is in this process group, as far as one system call can tell. */
export function hasGroupMembers(groupId: number): boolean {
  return groupId > 1 && send(-groupId, 0);
}

function send(pid: number, signal: EndSignal | 'SIGSTOP' | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
