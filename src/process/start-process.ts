import { type ChildOutputs, createChildOutputs } from './child-outputs.ts';
import { launchChild } from './launch-child.ts';
import type { ChildProcessHandle, ProcessFault, ProcessResult, ProcessSpec } from './process-spec.ts';
import { RunningChild } from './running-child.ts';
import { steadyMs } from './steady-time.ts';

/**
 * Starts a child process in a process group and session of its own and looks after it until nothing of it runs any more.
 *
 * Never throws and never rejects: a program that cannot be started gives a handle without a pid whose result says `spawn-error` with
 * the system's code (`ENOENT`, `EACCES`, `E2BIG`, `EMFILE`, …). Output is handed on as it comes and never held without bound: when
 * the log is slower than the child, the child waits.
 */
export function startProcess(spec: ProcessSpec): ChildProcessHandle {
  const startedAt = steadyMs();
  const outputs = createChildOutputs(spec);
  const { logError } = outputs.report();
  const launched = logError ? { fault: Promise.resolve(logError) } : launchChild(spec);
  return 'fault' in launched
    ? createFailedHandle(launched.fault, outputs, startedAt)
    : new RunningChild(spec, launched, outputs, startedAt);
}

function createFailedHandle(fault: Promise<ProcessFault>, outputs: ChildOutputs, startedAt: number): ChildProcessHandle {
  const result = reportFault(fault, outputs, startedAt);
  return {
    pid: undefined,
    startTime: undefined,
    isBeingEnded: false,
    isHeld: false,
    cpuMs: () => 0,
    result,
    write: () => Promise.resolve(false),
    endInput: () => {},
    stop: () => result,
    kill: () => result,
  };
}

async function reportFault(fault: Promise<ProcessFault>, outputs: ChildOutputs, startedAt: number): Promise<ProcessResult> {
  const error = await fault;
  await outputs.finish();
  const durationMs = steadyMs() - startedAt;
  return { status: 'spawn-error', exitCode: null, signal: null, error, durationMs, leftovers: 0, ...outputs.report() };
}
