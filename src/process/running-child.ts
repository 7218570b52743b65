import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChildOutputs } from './child-outputs.ts';
import { type ChildExit, type InitReport, readInit } from './init-report.ts';
import type { LaunchedChild } from './launch-child.ts';
import type { ChildProcessHandle, ProcessResult, ProcessSpec, StopReason } from './process-spec.ts';
import { createProcessTree, type ProcessTree } from './process-tree.ts';
import { steadyMs } from './steady-time.ts';
import { type StopClock, startStopClock } from './stop-clock.ts';

const defaultStopGraceMs = 10_000;
const defaultDrainMs = 2000;
const defaultLeftoverGraceMs = 500;
/** Once the child itself has obeyed a stop, what it left gets at most this long to do the same. */
const longestRestGraceMs = 2000;
/** Whoever still holds the outputs after the child's end and says nothing for so long, has nothing more to say. */
const quietMs = 150;
const lookEveryMs = 10;
/** How often a child without a namespace is looked at, for those of its tree that will have nothing left that leads to them. */
const lookAfterMs = 100;
/** Process 1 of a namespace ends at a word. */
const releaseMs = 1000;
/** With everybody gone the pipes end at once; whoever still holds one cannot be found. */
const lastDrainMs = 100;
/** A process that hangs in the kernel ignores SIGKILL: it is given up. */
const unkillableMs = 5000;
const longestTimerMs = 2 ** 31 - 1;

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
  readonly #init: InitReport | null;
  readonly #exited: Promise<ChildExit>;
  readonly #collected: Promise<void>;
  readonly #hurried: Promise<void>;
  #reportExit: (exit: ChildExit) => void = () => {};
  #hurry: () => void = () => {};
  #reportCollected: () => void = () => {};
  /** The namespace ended by itself: the kernel saw to everything in it. */
  #isSurelyEmpty = false;
  #lastActivity = 0;
  #phase: 'running' | 'exited' | 'settled' = 'running';
  #stopReason: StopReason | undefined;
  #isStopping = false;
  #isForced = false;
  #graceEndsAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(spec: ProcessSpec, launched: LaunchedChild, outputs: ChildOutputs, startedAt: number) {
    this.#spec = spec;
    this.#startedAt = startedAt;
    this.#outputs = outputs;
    this.#child = launched.child;
    this.#input = launched.stdin;
    this.#init = launched.init && readInit(launched.init);
    this.#tree = createProcessTree({ pid: launched.pid, marker: spec.marker, hasInit: this.#init !== null });
    this.pid = launched.pid;
    this.startTime = this.#tree.rootStartTime;
    this.#exited = new Promise((resolve) => (this.#reportExit = resolve));
    this.#hurried = new Promise((resolve) => (this.#hurry = resolve));
    this.#collected = new Promise((resolve) => (this.#reportCollected = resolve));
    launched.child.once('exit', (code, signal) => void this.#collect({ code, signal }));
    this.#init?.onProgramEnd((exit) => this.#leave(exit));
    this.#clock = startStopClock({
      timeoutMs: spec.timeoutMs,
      idleTimeoutMs: spec.idleTimeoutMs,
      isHeld: () => outputs.isHeld(),
      onExpiry: (expiry) => this.#end(expiry, spec.stopGraceMs),
    });
    outputs.attach(launched.stdout, launched.stderr, {
      onActivity: () => {
        this.#lastActivity = steadyMs();
        this.#clock.touch();
      },
      onLogError: () => this.#end('stopped', spec.stopGraceMs),
    });
    if (this.#init === null && spec.marker !== undefined) this.#watch = setInterval(() => this.#tree.look(), lookAfterMs).unref();
    running.add(this);
    this.result = this.#supervise();
  }

  get isBeingEnded(): boolean {
    return this.#isStopping || this.#tree.hasSignalled();
  }

  get isHeld(): boolean {
    return this.#outputs.isHeld();
  }

  cpuMs(): number {
    return this.#phase === 'running' ? this.#tree.cpuMs() : 0;
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
    const durationMs = steadyMs() - this.#startedAt;
    const drainMs = this.#spec.drainMs ?? defaultDrainMs;
    // A child that ended by itself may have helpers that still write its last words; one that was stopped has nothing more to say.
    if (!this.#isStopping) await this.#drain(drainMs, this.#hurried);
    const leftovers = this.#isSurelyEmpty ? 0 : await this.#tree.endRest(this.#restGraceMs());
    await this.#endNamespace();
    await this.#drain(this.#isStopping ? drainMs : lastDrainMs);
    this.#input?.destroy();
    await this.#outputs.finish();
    this.#phase = 'settled';
    running.delete(this);
    return {
      status: exit.problem !== undefined ? 'spawn-error' : exit.signal === null ? 'exited' : 'signaled',
      exitCode: exit.code,
      signal: exit.signal,
      durationMs,
      leftovers,
      ...this.#outputs.report(),
      ...(this.#stopReason && { stopReason: this.#stopReason }),
      ...(exit.problem !== undefined && { error: { code: 'isolation', message: exit.problem } }),
      ...(exit.isUnkillable && { error: { code: 'unkillable', message: `process ${this.pid} does not end on SIGKILL` } }),
    };
  }

  /** Reads on until both outputs end or fall silent, at most so long, or until somebody is in a hurry. */
  async #drain(limitMs: number, hurried?: Promise<void>): Promise<void> {
    let startedAt = steadyMs();
    let isOver = false;
    const over = Promise.race([this.#outputs.ended, ...(hurried ? [hurried] : [])]).then(() => (isOver = true));
    for (;;) {
      // Before the first look, too: the last words may lie in the pipes unread.
      await Promise.race([over, delay(lookEveryMs)]);
      if (isOver) return;
      const now = steadyMs();
      if (this.#outputs.isHeld()) {
        this.#lastActivity = now;
        // Nobody waits for a slow reader when the child is to end; else all that it said is read, however long that takes.
        if (!this.#isStopping) {
          startedAt = now;
          continue;
        }
      }
      if (now - startedAt >= limitMs || now - Math.max(this.#lastActivity, startedAt) >= quietMs) return;
      if (this.#init !== null && this.#tree.isEmptyInside()) return;
    }
  }

  /** What the system tells of the child. In a namespace the child is whoever waits for process 1, and knows only its exit code. */
  async #collect(exit: ChildExit): Promise<void> {
    this.#tree.markRootExited();
    this.#reportCollected();
    if (this.#init === null) {
      this.#leave(exit);
      return;
    }
    this.#isSurelyEmpty = exit.signal === null;
    const told = await this.#init.explain(exit);
    // Whoever waits for process 1 may fail over its death before the kill reaches it, too: then its exit code is not the program's.
    this.#leave(this.#isForced && this.#phase === 'running' ? { code: null, signal: 'SIGKILL' } : told);
  }

  /** The program is gone. Without a namespace its pid is free from this moment on, so this must not wait for anything. */
  #leave(exit: ChildExit): void {
    if (this.#phase !== 'running') return;
    this.#phase = 'exited';
    this.#clock.stop();
    clearTimeout(this.#timer);
    clearInterval(this.#watch);
    this.#reportExit(exit);
  }

  /** Lets process 1 go, if it stayed for those whom the program left behind, and waits until the kernel has ended all of them. */
  async #endNamespace(): Promise<void> {
    if (this.#init === null) return;
    this.#init.release();
    const timer = setTimeout(() => this.#tree.signal('SIGKILL'), releaseMs);
    const lastTimer = setTimeout(this.#reportCollected, releaseMs + unkillableMs);
    await this.#collected;
    clearTimeout(timer);
    clearTimeout(lastTimer);
  }

  #end(reason: StopReason, graceMs: number = defaultStopGraceMs): void {
    if (this.#isStopping || this.#phase === 'settled') return;
    this.#isStopping = true;
    this.#graceEndsAt = steadyMs() + graceMs;
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
    this.#tree.markRootExited();
    this.#reportCollected();
    this.#leave({ code: null, signal: 'SIGKILL', isUnkillable: true });
  }

  #restGraceMs(): number {
    const shortMs = this.#spec.leftoverGraceMs ?? defaultLeftoverGraceMs;
    if (!this.#isStopping) return shortMs;
    return Math.max(shortMs, Math.min(this.#graceEndsAt - steadyMs(), longestRestGraceMs));
  }
}
