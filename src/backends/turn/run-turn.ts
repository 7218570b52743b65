import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { quietly } from '../../core/values/result.ts';
import type { RunningTurn, TurnRequest, TurnResult } from '../../ports/backend.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SpokenWords } from '../../ports/people.ts';
import type { ChildProcessHandle, ProcessInput, ProcessResult, ProcessSpec } from '../../process/contract.ts';
import { startProcess } from '../../process/start-process.ts';
import type { OwnLog, Translator } from '../stream/translator.ts';
import { judgeTurn, type TurnEvidence } from './judge-turn.ts';
import { type LimitWatch, watchLimits } from './limit-watch.ts';

export interface TurnOrder {
  readonly request: TurnRequest;
  readonly observe: (event: BackendEvent) => void;
  /** Absolute path of the program. */
  readonly path: string;
  readonly args: readonly string[];
  readonly shownArgv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: ProcessInput;
  readonly translator: Translator;
  /** How long the agent may stay after its final event. */
  readonly lingerMs: number;
  /** Whether staying longer deserves a warning. */
  readonly shouldLeave: boolean;
  readonly warnings: readonly string[];
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly setTimer: Clock['setTimer'];
  /** See `BackendOptions`. */
  readonly watchesLimits: boolean;
}

/** Time between asking an agent that has finished to go, and forcing it. */
const LINGER_GRACE_MS = 2000;
/** How long an agent gets to answer a request to end its turn before its process is asked. */
const CANCEL_MS = 300;

/** How long an agent that announced another try after a refusal may take to get somewhere. */
const REFUSAL_MS = 10_000;

/** Output without words is told at most so often. */
const ALIVE_MS = 1000;
/** Text that comes at once is told in pieces of at most so many characters, unless a line is longer. */
const PIECE_CHARACTERS = 65_536;

/** Runs one turn of an agent as a child process. Never throws; everything that goes wrong is told in the result. */
export function runTurn(order: TurnOrder): RunningTurn {
  const child = new TurnChild(order);
  const ending = { result: child.result, stop: (graceMs: number) => child.stop(graceMs), kill: () => child.kill() };
  const isTold = order.translator.dialogue?.tell !== undefined;
  const running = isTold ? { ...ending, tell: (words: SpokenWords) => child.tell(words) } : ending;
  return order.translator.hasFinalEvent === false ? { ...running, dismiss: () => child.dismiss(), cpuMs: () => child.cpuMs() } : running;
}

/** One turn: a child process, and what is made of its words. */
class TurnChild {
  readonly result: Promise<TurnResult>;
  readonly #order: TurnOrder;
  readonly #handle: ChildProcessHandle;
  #isSettled = false;
  #hasOutput = false;
  #toldAt: number;
  #endedFor: TurnEvidence['endedFor'] = 'nobody';
  #wasFinishedFreely = false;
  #lingerTimer: NodeJS.Timeout | undefined;
  /** What is not told yet of the text that came at once. */
  #text = '';
  #refusalTimer: NodeJS.Timeout | undefined;
  #cancelTimer: NodeJS.Timeout | undefined;
  readonly #limits: LimitWatch | undefined;

  constructor(order: TurnOrder) {
    this.#order = order;
    this.#toldAt = order.now();
    this.#handle = startChild(order, {
      onStdoutLine: (line, isCut) => this.#readLine(line, isCut),
      onStderrBytes: () => this.#tellAlive(),
      ...(order.translator.part !== undefined && { onStdoutPart: (text) => this.#tell(order.translator.part?.(text) ?? []) }),
      ...(isOnStderr(order.translator.ownLog) && { onStderrLine: (line) => this.#readLog(line) }),
    });
    this.#limits = this.#watchLimits();
    // Not at once: whoever watches must have this turn in hand before its first event.
    queueMicrotask(() => this.#tellStart());
    this.#send(order.translator.dialogue?.open() ?? []);
    this.result = this.#handle.result.then((process) => this.#finish(process));
  }

  stop(graceMs: number): void {
    if (this.#endedFor !== 'nobody') return;
    // What it had to say is said: it only has to leave.
    this.#endedFor = this.#order.translator.isFinished() ? 'lingering' : 'person';
    const { dialogue } = this.#order.translator;
    if (dialogue?.cancel === undefined) return void this.#handle.stop(graceMs);
    this.#send(dialogue.cancel());
    this.#cancelTimer = setTimeout(() => void this.#handle.stop(graceMs), Math.min(CANCEL_MS, graceMs));
  }

  /** Not behind its last word: what it is told then would begin another turn. */
  tell(words: SpokenWords): void {
    const { translator } = this.#order;
    if (this.#endedFor === 'nobody' && !translator.isFinished()) this.#send(translator.dialogue?.tell?.(words) ?? []);
  }

  dismiss(): void {
    if (this.#endedFor !== 'nobody') return;
    this.#endedFor = 'dismissed';
    void this.#handle.stop(LINGER_GRACE_MS);
  }

  cpuMs(): number {
    return this.#handle.cpuMs();
  }

  kill(): void {
    if (this.#endedFor === 'nobody') this.#endedFor = 'person';
    clearTimeout(this.#cancelTimer);
    void this.#handle.kill();
  }

  #tellStart(): void {
    const { pid, startTime } = this.#handle;
    if (pid === undefined) return;
    this.#tell([{ type: 'started', pid, processStart: startTime ?? null, argv: this.#order.shownArgv }]);
    this.#warn(this.#order.warnings);
  }

  #readLine(line: string, isCut: boolean): void {
    const { translator } = this.#order;
    this.#hasOutput ||= line.trim() !== '';
    this.#limits?.touch();
    if (isCut) this.#warn(['a line of more than 8 MB was cut for reading; the log has it whole']);
    const events = translator.line(line);
    if (events.length > 0) this.#tell(events);
    else this.#tellAlive();
    this.#wasFinishedFreely = translator.isFinished() && (this.#wasFinishedFreely || !this.#handle.isBeingEnded);
    this.#send(translator.dialogue?.replies() ?? []);
    this.#watchLingering();
    this.#watchRefusal();
  }

  #watchLimits(): LimitWatch | undefined {
    const { translator, watchesLimits, env, request, setTimer, now } = this.#order;
    const { ownLog: log } = translator;
    if (log === undefined || !watchesLimits) return undefined;
    const onSilence = (): void => this.#endFor('silent');
    return watchLimits({
      setTimer,
      now,
      log,
      env,
      cwd: request.cwd,
      isHeld: () => this.#handle.isHeld || request.hold?.isHeld() === true,
      cpuMs: () => this.#handle.cpuMs(),
      onLine: (line) => this.#readLog(line),
      onSilence,
    });
  }

  /** What an agent's own log tells is watched as its stream is. */
  #readLog(line: string): void {
    this.#tell(this.#order.translator.ownLog?.line(line) ?? []);
    this.#watchRefusal();
  }

  /** An agent that has finished and says no more is given a while to go, then it is ended. */
  #watchLingering(): void {
    const { translator, lingerMs } = this.#order;
    clearTimeout(this.#lingerTimer);
    if (!translator.isFinished() || this.#endedFor !== 'nobody') return;
    if (translator.dialogue !== undefined) this.#handle.endInput();
    this.#lingerTimer = setTimeout(() => {
      this.#endedFor = 'lingering';
      void this.#handle.stop(LINGER_GRACE_MS);
    }, lingerMs);
  }

  /** An agent that tries again after what no other try mends is ended: at its second announcement, or when the first is followed by nothing. */
  #watchRefusal(): void {
    const refusal = this.#order.translator.refusal?.(this.#order.now()) ?? null;
    if (refusal === null) {
      clearTimeout(this.#refusalTimer);
      this.#refusalTimer = undefined;
    } else if (refusal.isRepeated) this.#endFor('refused');
    else this.#refusalTimer ??= setTimeout(() => this.#endFor('refused'), REFUSAL_MS);
  }

  #endFor(reason: 'refused' | 'silent'): void {
    if (this.#endedFor !== 'nobody') return;
    this.#endedFor = reason;
    void this.#handle.stop(LINGER_GRACE_MS);
  }

  #finish(process: ProcessResult): TurnResult {
    const { translator, request, path, shouldLeave, now } = this.#order;
    for (const timer of [this.#lingerTimer, this.#refusalTimer, this.#cancelTimer]) clearTimeout(timer);
    this.#limits?.close();
    const { exitCode, signal, stderrTail } = process;
    const isForced = translator.isFinished() && !this.#wasFinishedFreely;
    const end = translator.end({ exitCode, signal, stderrTail, now: now() });
    this.#tell(end.events);
    const { status, failure, warnings } = judgeTurn({
      ...request,
      attempt: request.turn.attempt,
      process,
      end,
      isForced,
      endedFor: this.#endedFor,
      command: path,
      shouldLeave,
    });
    this.#warn(warnings);
    this.#tellText();
    this.#isSettled = true;
    const { usage, sessionId, toolCalls } = end;
    const measured = { durationMs: Math.round(process.durationMs), leftovers: process.leftovers, logError: process.logError?.code ?? null };
    return { status, failure, exitCode, usage, sessionId, toolCalls, producedOutput: this.#hasOutput, ...measured };
  }

  #warn(messages: readonly string[]): void {
    this.#tell(messages.map((message) => ({ type: 'warning', message })));
  }

  /** What says nothing to a reader is output all the same: nobody need think that the agent is silent. */
  #tellAlive(): void {
    if (this.#order.now() - this.#toldAt >= ALIVE_MS) this.#tell([{ type: 'alive' }]);
  }

  /** A subscriber can only watch: what it throws is its own affair. */
  #tell(events: readonly BackendEvent[]): void {
    if (this.#isSettled) return;
    if (events.length > 0) this.#toldAt = this.#order.now();
    for (const event of events) {
      if (event.type === 'text') this.#gather(event.text);
      else {
        this.#tellText();
        this.#pass(event);
      }
    }
  }

  /** All lines of one read make one event: each event goes a long way through all who listen. */
  #gather(text: string): void {
    if (this.#text.length + text.length > PIECE_CHARACTERS) this.#tellText();
    if (this.#text === '') queueMicrotask(() => this.#tellText());
    this.#text += text;
  }

  #tellText(): void {
    const text = this.#text;
    this.#text = '';
    if (text !== '') this.#pass({ type: 'text', text });
  }

  #pass(event: BackendEvent): void {
    // Nothing here may change the turn.
    quietly(() => this.#order.observe(event));
  }

  #send(lines: readonly string[]): void {
    for (const line of lines) void this.#handle.write(line);
  }
}

function startChild(
  order: TurnOrder,
  listeners: Pick<ProcessSpec, 'onStdoutLine' | 'onStdoutPart' | 'onStderrLine' | 'onStderrBytes'>,
): ChildProcessHandle {
  const { request } = order;
  return startProcess({
    command: order.path,
    args: order.args,
    cwd: request.cwd,
    env: order.env,
    input: order.input,
    ...(request.marker !== '' && { marker: request.marker }),
    // The sandbox has a process namespace of its own.
    isolation: request.scope?.confine === undefined ? request.isolation : undefined,
    stdoutPath: request.logs.stdoutPath,
    stderrPath: request.logs.stderrPath,
    backpressure: request.backpressure,
    maxLogBytes: request.logs.capBytes,
    hold: request.hold,
    timeoutMs: request.timeoutMs,
    idleTimeoutMs: request.idleTimeoutMs,
    ...listeners,
  });
}

function isOnStderr(log: OwnLog | undefined): boolean {
  return log !== undefined && log.file === undefined;
}
