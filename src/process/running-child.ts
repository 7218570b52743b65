import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { ChildOutputs } from './child-outputs.ts';
import type { LaunchedChild } from './launch-child.ts';
import type { ChildProcessHandle, ProcessResult, ProcessSpec, StopReason } from './process-spec.ts';
import { createProcessTree, type ProcessTree } from './process-tree.ts';
import { type StopClock, startStopClock } from './stop-clock.ts';

const defaultStopGraceMs = 10_000;
const defaultDrainMs = 2000;
const defaultLeftoverGraceMs = 500;
/** Once the child itself has obeyed a stop, what it left gets at most this long to do the same. */
const longestRestGraceMs = 2000;
/** With everybody gone the pipes end at once; whoever still holds one cannot be found. */
const lastDrainMs = 100;
/** A process that hangs in the kernel ignores SIGKILL: it is given up. */
const unkillableMs = 5000;
const longestTimerMs = 2 ** 31 - 1;

interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly isUnkillable?: true;
}

const running = new Set<RunningChild>();

/**
 * SIGKILL to everything that was started here and still runs, in one synchronous go: the last act of a program that cannot wait,
 * such as one that dies of an uncaught error. Returns the number of children it met.
 */
export function killAllStarted(): number {
  const count = running.size;
  for (const child of running) void child.kill();
  return count;
}

/** One child from its start to the end of everything that came from it. */
export class RunningChild implements ChildProcessHandle {
  readonly pid: number;
  readonly startTime: string | undefined;
  readonly result: Promise<ProcessResult>;

  readonly #spec: ProcessSpec;
  readonly #startedAt: number;
  readonly #outputs: ChildOutputs;
  readonly #child: ChildProcess;
  readonly #input: Writable | null;
  readonly #tree: ProcessTree;
  readonly #clock: StopClock;
  readonly #exited: Promise<ChildExit>;
  readonly #hurried: Promise<void>;
  #reportExit: (exit: ChildExit) => void = () => {};
  #hurry: () => void = () => {};
  #phase: 'running' | 'exited' | 'settled' = 'running';
  #stopReason: StopReason | undefined;
  #isStopping = false;
  #isForced = false;
  #graceEndsAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(spec: ProcessSpec, launched: LaunchedChild, outputs: ChildOutputs, startedAt: number) {
    this.#spec = spec;
    this.#startedAt = startedAt;
    this.#outputs = outputs;
    this.#child = launched.child;
    this.#input = launched.stdin;
    this.#tree = createProcessTree(launched.pid, spec.marker);
    this.pid = launched.pid;
    this.startTime = this.#tree.rootStartTime;
    this.#exited = new Promise((resolve) => (this.#reportExit = resolve));
    this.#hurried = new Promise((resolve) => (this.#hurry = resolve));
    launched.child.once('exit', (code, signal) => this.#leave({ code, signal }));
    this.#clock = startStopClock({
      timeoutMs: spec.timeoutMs,
      idleTimeoutMs: spec.idleTimeoutMs,
      isHeld: () => outputs.isHeld(),
      onExpiry: (expiry) => this.#end(expiry, spec.stopGraceMs),
    });
    outputs.attach(launched.stdout, launched.stderr, {
      onActivity: () => this.#clock.touch(),
      onLogError: () => this.#end('stopped', spec.stopGraceMs),
    });
    running.add(this);
    this.result = this.#supervise();
  }

  get isBeingEnded(): boolean {
    return this.#isStopping || this.#tree.hasSignalled();
  }

  write(line: string): Promise<boolean> {
    const input = this.#input;
    if (!input?.writable) return Promise.resolve(false);
    return new Promise((resolve) => input.write(`${line}\n`, (error) => resolve(!error)));
  }

  endInput(): void {
    this.#input?.end();
  }

  stop(graceMs?: number): Promise<ProcessResult> {
    this.#end('stopped', graceMs);
    return this.result;
  }

  kill(): Promise<ProcessResult> {
    if (this.#phase === 'settled') return this.result;
    if (this.#phase === 'running' && (this.#stopReason ?? 'stopped') === 'stopped') this.#stopReason = 'killed';
    this.#isStopping = true;
    this.#hurry();
    this.#force();
    return this.result;
  }

  async #supervise(): Promise<ProcessResult> {
    const exit = await this.#exited;
    const durationMs = performance.now() - this.#startedAt;
    const drainMs = this.#spec.drainMs ?? defaultDrainMs;
    // A child that ended by itself may have helpers that still write its last words; one that was stopped has nothing more to say.
    if (!this.#isStopping) await this.#drain(drainMs, this.#hurried);
    const leftovers = await this.#tree.endRest(this.#restGraceMs());
    await this.#drain(this.#isStopping ? drainMs : lastDrainMs);
    this.#input?.destroy();
    await this.#outputs.finish();
    this.#phase = 'settled';
    running.delete(this);
    return {
      status: exit.signal === null ? 'exited' : 'signaled',
      exitCode: exit.code,
      signal: exit.signal,
      durationMs,
      leftovers,
      ...this.#outputs.report(),
      ...(this.#stopReason && { stopReason: this.#stopReason }),
      ...(exit.isUnkillable && { error: { code: 'unkillable', message: `process ${this.pid} does not end on SIGKILL` } }),
    };
  }

  /** Reads on until both outputs end, at most so long, or until somebody is in a hurry. */
  async #drain(limitMs: number, hurried?: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
    await Promise.race([this.#outputs.ended, tooLong, ...(hurried ? [hurried] : [])]);
    clearTimeout(timer);
  }

  /** The child is gone. Its pid is free from this moment on, so this must not wait for anything. */
  #leave(exit: ChildExit): void {
    if (this.#phase !== 'running') return;
    this.#phase = 'exited';
    this.#tree.markRootExited();
    this.#clock.stop();
    clearTimeout(this.#timer);
    this.#reportExit(exit);
  }

  #end(reason: StopReason, graceMs: number = defaultStopGraceMs): void {
    if (this.#isStopping || this.#phase === 'settled') return;
    this.#isStopping = true;
    this.#graceEndsAt = performance.now() + graceMs;
    this.#hurry();
    if (this.#phase === 'exited') return;
    this.#stopReason = reason;
    this.#tree.signal('SIGTERM');
    this.#timer = setTimeout(() => this.#force(), Math.min(Math.max(graceMs, 0), longestTimerMs));
  }

  #force(): void {
    if (this.#isForced) return;
    this.#isForced = true;
    clearTimeout(this.#timer);
    this.#tree.signal('SIGKILL');
    if (this.#phase !== 'running') return;
    this.#timer = setTimeout(() => this.#giveUp(), unkillableMs);
  }

  #giveUp(): void {
    this.#child.unref();
    this.#leave({ code: null, signal: 'SIGKILL', isUnkillable: true });
  }

  #restGraceMs(): number {
    const shortMs = this.#spec.leftoverGraceMs ?? defaultLeftoverGraceMs;
    if (!this.#isStopping) return shortMs;
    return Math.max(shortMs, Math.min(this.#graceEndsAt - performance.now(), longestRestGraceMs));
  }
}
