import { join } from 'node:path';
import { accept, type Result, refuse } from '../core/values/result.ts';
import type { Isolation } from '../ports/program.ts';
import { createChildOutputs } from './child-outputs.ts';
import type { ChildOutputs, ChildProcessHandle, ProcessFault, ProcessResult, ProcessSpec } from './contract.ts';
import { isProgram, selectExistingFolders } from './isolation.ts';
import { launchChild } from './launch-child.ts';
import { createOutputTail } from './output-tail.ts';
import { createProcessTree } from './process-tree.ts';
import { RunningChild } from './running-child.ts';
import { steadyMs } from './steady-clock.ts';

const DEFAULT_CAPTURE_BYTES = 64 << 10;

/** Only where the system itself installs programs: anybody may have put some into the other folders of a search path. */
const TRUSTED_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/run/current-system/sw/bin'];
const TRIAL_MS = 10_000;
const NAMESPACES = ['--pid', '--mount', '--propagation=slave', '--fork', '--kill-child=KILL', '--mount-proc'];
/** In a user namespace the files of root seem to be of `nobody`, and `ssh` refuses parts of its settings that are. */
const COVERED_FOLDERS = ['/etc/ssh/ssh_config.d'];

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
  const launch = logError ? refuse(Promise.resolve(logError)) : launchChild(spec);
  if (!launch.ok) return createFailedHandle(launch.refused, outputs, startedAt);
  const { pid, init } = launch.value;
  const tree = createProcessTree({ pid, marker: spec.marker, hasInit: init !== null });
  return new RunningChild(spec, { launched: launch.value, outputs, tree }, startedAt);
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

/** A {@link ProcessSpec} whose output is captured. */
export interface CommandSpec extends Omit<ProcessSpec, 'onStdoutBytes' | 'onStderrBytes'> {
  /** How much of each output is kept, counted from its end. Default 64 KB. */
  readonly captureBytes?: number;
  /** Makes a text of standard output. Default: UTF-8, invalid bytes become U+FFFD. */
  readonly decode?: (bytes: Buffer) => string;
  /** Aborting it stops the command as {@link ChildProcessHandle.stop} does. */
  readonly abort?: AbortSignal;
}

export interface CommandResult extends ProcessResult {
  /** The end of standard output, see `decode`; for exact bytes give a `stdoutPath`. */
  readonly stdout: string;
  readonly stderr: string;
  /** The end of both, in the order in which they arrived. */
  readonly output: string;
  /** True when the beginning is missing in `stdout`, `stderr`, `output`. */
  readonly isStdoutCut: boolean;
  readonly isStderrCut: boolean;
  readonly isOutputCut: boolean;
}

/** What a shell line needs beside itself. */
export type ShellLineOptions = Omit<CommandSpec, 'command' | 'args'>;

/**
 * Runs a command to its end, with bounded memory whatever it prints. Never rejects: read `status`, `exitCode` and `stopReason`.
 * Give a `marker` when what the command leaves behind must be found even outside its process group.
 */
export async function runToEnd(spec: CommandSpec): Promise<CommandResult> {
  const captureBytes = spec.captureBytes ?? DEFAULT_CAPTURE_BYTES;
  const stdout = createOutputTail(captureBytes);
  const stderr = createOutputTail(captureBytes);
  const output = createOutputTail(captureBytes);
  const handle = startProcess({
    ...spec,
    onStdoutBytes(bytes) {
      stdout.push(bytes);
      output.push(bytes);
    },
    onStderrBytes(bytes) {
      stderr.push(bytes);
      output.push(bytes);
    },
  });
  const stop = (): void => void handle.stop(spec.stopGraceMs);
  spec.abort?.addEventListener('abort', stop, { once: true });
  if (spec.abort?.aborted) stop();
  const result = await handle.result;
  spec.abort?.removeEventListener('abort', stop);
  return {
    ...result,
    stdout: stdout.text(spec.decode),
    stderr: stderr.text(),
    output: output.text(),
    isStdoutCut: stdout.isCut(),
    isStderrCut: stderr.isCut(),
    isOutputCut: output.isCut(),
  };
}

/**
 * Runs one line of shell, `/bin/sh -c LINE`, the line being a single argument. Only for text that the person wrote into their own
 * configuration (a gate's command): never for anything that an agent, a hook's answer or a file's name had a part in.
 */
export function runShellLine(line: string, options: ShellLineOptions): Promise<CommandResult> {
  return runToEnd({ ...options, ...toShellCommand(line) });
}

/** The program of such a line, for a caller that starts it inside another one. */
export function toShellCommand(line: string): { readonly command: string; readonly args: readonly string[] } {
  return { command: '/bin/sh', args: ['-c', '--', line] };
}

/**
 * Finds out by trying whether programs can get a process namespace of their own here. Root needs no user namespace for it, and keeps `sudo` and the like;
 * everybody else does. Takes some 10 ms; never rejects.
 */
export async function findIsolation(): Promise<Result<Isolation>> {
  const advice = 'Give this system process namespaces (in a container: the right to make user namespaces), or use the sandbox.';
  if (process.platform !== 'linux') return refuse({ reason: `${process.platform} has no process namespaces`, advice });
  const [unshare, mount, setpriv] = ['unshare', 'mount', 'setpriv'].map(findTrusted);
  if (!unshare || !mount || !setpriv) {
    return refuse({ reason: 'unshare, mount or setpriv is not installed', advice: 'Install util-linux: apt-get install util-linux mount' });
  }
  const shell = isProgram('/bin/dash') ? '/bin/dash' : '/bin/sh';
  const setsid = findTrusted('setsid');
  // Without a session of its own a program could not signal its own process group: that would be one of outside.
  const own = setsid === undefined ? [] : [setsid];
  const plain = { shell, mount, covered: [], readOnly: [], writable: [] };
  const asRoot: Isolation = { ...plain, enter: [unshare, ...NAMESPACES, '--'], drop: own, hasUserNamespace: false };
  const asUser: Isolation = {
    ...plain,
    enter: [unshare, '--user', '--map-current-user', '--keep-caps', ...NAMESPACES, '--'],
    drop: [setpriv, '--inh-caps=-all', '--ambient-caps=-all', '--', ...own],
    hasUserNamespace: true,
    covered: selectExistingFolders(COVERED_FOLDERS),
  };
  let reason = '';
  for (const isolation of process.getuid?.() === 0 ? [asRoot, asUser] : [asUser]) {
    const trial = await tryIsolation(isolation);
    if (trial.ok) return trial;
    reason = trial.refused;
  }
  return refuse({ reason: `this system does not let it: ${reason}`, advice });
}

function findTrusted(name: string): string | undefined {
  return TRUSTED_FOLDERS.map((folder) => join(folder, name)).find(isProgram);
}

/** Starts a program that looks where it is, with a folder that it may not change. */
async function tryIsolation(isolation: Isolation): Promise<Result<Isolation, string>> {
  const result = await runToEnd({
    command: '/bin/sh',
    // A program whose parent is process 1 has a namespace of its own: outside of one its parent has another pid.
    args: ['-c', 'echo "$PPID" && test ! -w /usr/bin'],
    cwd: '/',
    env: { PATH: TRUSTED_FOLDERS.join(':') },
    isolation: { ...isolation, readOnly: ['/usr/bin'] },
    timeoutMs: TRIAL_MS,
    isContentWithSockets: true,
  });
  const said = (result.error?.message ?? result.stderrTail).trim().split('\n')[0] ?? '';
  if (result.exitCode !== 0) return refuse(said.slice(0, 200) || `a trial ended with ${result.exitCode ?? result.signal ?? result.status}`);
  return result.stdout.trim() === '1' ? accept(isolation) : refuse('a trial got no namespace of its own');
}
