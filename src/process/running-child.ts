import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChildOutputs, ChildProcessHandle, LaunchedChild, ProcessResult, ProcessSpec, ProcessTree, StopReason } from './contract.ts';
import { type ChildExit, type InitReport, readInit } from './isolation.ts';
import { LONGEST_TIMER_MS, type StopClock, startStopClock, steadyMs } from './steady-clock.ts';

const DEFAULT_STOP_GRACE_MS = 10_000;
const DEFAULT_DRAIN_MS = 2000;
const DEFAULT_LEFTOVER_GRACE_MS = 500;
/** Once the child itself has obeyed a stop, what it left gets at most this long to do the same. */
const LONGEST_REST_GRACE_MS = 2000;
/** A process that still holds the outputs after the child's end and writes nothing for so long, has nothing more to say. */
const QUIET_MS = 150;
const LOOK_EVERY_MS = 10;
/** How often the tree of a child without a namespace is looked at: later nothing may lead to some of its members. */
const LOOK_AFTER_MS = 100;
/** How long process 1 of a namespace may take to end once it is released. */
const RELEASE_MS = 1000;
/** With all members gone the pipes end at once; a process that still holds one cannot be found. */
const LAST_DRAIN_MS = 100;
/** A process that hangs in the kernel ignores SIGKILL: it is given up. */
const UNKILLABLE_MS = 5000;

const running = new Set<RunningChild>();

/** Signals that end a program which does not catch them. */
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let passesOn = false;

/**
 * From now on a signal that would end this program ends what was started here, too: children lead process groups of their own, so it does not reach them. For a program that registers its own
 * handlers with `on` and keeps them while it catches the signal, as the commands do; a host of the library sees to its signals itself.
 */
export function passSignalsOn(): void {
  passesOn = true;
}

function passOn(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  for (const child of running) void child.stop();
  for (const name of ENDING_SIGNALS) process.off(name, passOn);
  process.kill(process.pid, signal);
}

/**
 * SIGKILL to everything that was started here and still runs, in one synchronous go: the last act of a program that cannot wait,
 * such as one that dies of an uncaught error. Returns the number of children it met.
 */
export function killAllStarted(): number {
  const count = running.size;
  for (const child of running) void child.kill();
  return count;
}

interface ChildParts {
  readonly launched: LaunchedChild;
  readonly outputs: ChildOutputs;
  readonly tree: ProcessTree;
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

  constructor(spec: ProcessSpec, { launched, outputs, tree }: ChildParts, startedAt: number) {
    this.#spec = spec;
    this.#startedAt = startedAt;
    this.#outputs = outputs;
    this.#child = launched.child;
    this.#input = launched.stdin;
    this.#init = launched.init && readInit(launched.init);
    this.#tree = tree;
    this.pid = launched.pid;
    this.startTime = tree.rootStartTime;
    this.#exited = new Promise((resolve) => (this.#reportExit = resolve));
    this.#hurried = new Promise((resolve) => (this.#hurry = resolve));
    this.#collected = new Promise((resolve) => (this.#reportCollected = resolve));
    launched.child.once('exit', (code, signal) => void this.#collect({ code, signal }));
    this.#init?.onProgramEnd((exit) => this.#leave(exit));
    this.#clock = startStopClock({
      timeoutMs: spec.timeoutMs,
      idleTimeoutMs: spec.idleTimeoutMs,
      isHeld: () => outputs.isHeld(),
      hold: spec.hold,
      onExpiry: (expiry) => this.#end(expiry, spec.stopGraceMs),
    });
    outputs.attach(launched.stdout, launched.stderr, {
      onActivity: () => {
        this.#lastActivity = steadyMs();
        this.#clock.touch();
      },
      onLogError: () => this.#end('stopped', spec.stopGraceMs),
    });
    if (this.#init === null && spec.marker !== undefined) this.#watch = setInterval(() => this.#tree.look(), LOOK_AFTER_MS).unref();
    if (passesOn && running.size === 0) for (const name of ENDING_SIGNALS) process.on(name, passOn);
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
    const drainMs = this.#spec.drainMs ?? DEFAULT_DRAIN_MS;
    // A child that ended by itself may have helpers that still write its last words; one that was stopped has nothing more to say.
    if (!this.#isStopping) await this.#drain(drainMs, this.#hurried);
    const leftovers = this.#isSurelyEmpty ? 0 : await this.#tree.endRest(this.#restGraceMs());
    await this.#endNamespace();
    await this.#drain(this.#isStopping ? drainMs : LAST_DRAIN_MS);
    this.#input?.destroy();
    await this.#outputs.finish();
    this.#phase = 'settled';
    running.delete(this);
    if (running.size === 0) for (const name of ENDING_SIGNALS) process.off(name, passOn);
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

  /** Reads on until both outputs end or fall silent, at most so long, or until the child is to end at once. */
  async #drain(limitMs: number, hurried?: Promise<void>): Promise<void> {
    let startedAt = steadyMs();
    let isOver = false;
    const over = Promise.race([this.#outputs.ended, ...(hurried ? [hurried] : [])]).then(() => (isOver = true));
    for (;;) {
      // Before the first look, too: the last words may lie in the pipes unread.
      await Promise.race([over, delay(LOOK_EVERY_MS)]);
      if (isOver) return;
      const now = steadyMs();
      if (this.#outputs.isHeld()) {
        this.#lastActivity = now;
        // A slow reader is not waited for when the child is to end; else all that it said is read, however long that takes.
        if (!this.#isStopping) {
          startedAt = now;
          continue;
        }
      }
      if (now - startedAt >= limitMs || now - Math.max(this.#lastActivity, startedAt) >= QUIET_MS) return;
      if (this.#init !== null && this.#tree.isEmptyInside()) return;
    }
  }

  /** What the system tells of the child. In a namespace the child is the program that waits for process 1, and knows only its exit code. */
  async #collect(exit: ChildExit): Promise<void> {
    this.#tree.markRootExited();
    this.#reportCollected();
    if (this.#init === null) {
      this.#leave(exit);
      return;
    }
    this.#isSurelyEmpty = exit.signal === null;
    const told = await this.#init.explain(exit);
    // The program that waits for process 1 may fail over its death before the kill reaches it, too: then its exit code is not the inner program's.
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

  /** Lets process 1 go, if it stayed for what the program left behind, and waits until the kernel has ended all of them. */
  async #endNamespace(): Promise<void> {
    if (this.#init === null) return;
    this.#init.release();
    const timer = setTimeout(() => this.#tree.signal('SIGKILL'), RELEASE_MS);
    const lastTimer = setTimeout(this.#reportCollected, RELEASE_MS + UNKILLABLE_MS);
    await this.#collected;
    clearTimeout(timer);
    clearTimeout(lastTimer);
  }

  #end(reason: StopReason, graceMs: number = DEFAULT_STOP_GRACE_MS): void {
    if (this.#isStopping || this.#phase === 'settled') return;
    this.#isStopping = true;
    this.#graceEndsAt = steadyMs() + graceMs;
    this.#hurry();
    if (this.#phase === 'exited') return;
    this.#stopReason = reason;
    this.#tree.signal('SIGTERM');
    this.#timer = setTimeout(() => this.#force(), Math.min(Math.max(graceMs, 0), LONGEST_TIMER_MS));
  }

  #force(): void {
    if (this.#isForced) return;
    this.#isForced = true;
    clearTimeout(this.#timer);
    this.#tree.signal('SIGKILL');
    if (this.#phase !== 'running') return;
    this.#timer = setTimeout(() => this.#giveUp(), UNKILLABLE_MS);
  }

  #giveUp(): void {
    this.#child.unref();
    this.#tree.markRootExited();
    this.#reportCollected();
    this.#leave({ code: null, signal: 'SIGKILL', isUnkillable: true });
  }

  #restGraceMs(): number {
    const shortMs = this.#spec.leftoverGraceMs ?? DEFAULT_LEFTOVER_GRACE_MS;
    if (!this.#isStopping) return shortMs;
    return Math.max(shortMs, Math.min(this.#graceEndsAt - steadyMs(), LONGEST_REST_GRACE_MS));
  }
}
