import type { BackendEvent } from '../core/index.ts';
import type { RunningTurn, TurnRequest, TurnResult } from '../ports/index.ts';
import { type ChildProcessHandle, type ProcessInput, type ProcessResult, startProcess } from '../process/index.ts';
import { judgeTurn, type TurnEvidence } from './judge-turn.ts';
import type { Translator, TurnEnd } from './translator.ts';

/** A turn, ready to be run. */
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
}

/** Time between asking an agent that has finished to go, and forcing it. */
const LINGER_GRACE_MS = 2000;
/** How long an agent gets to answer a request to end its turn before its process is asked. */
const CANCEL_MS = 300;

/** Runs one turn of an agent as a child process. Never throws; everything that goes wrong is told in the result. */
export function runTurn(order: TurnOrder): RunningTurn {
  const { request, translator } = order;
  const { dialogue } = translator;
  let isSettled = false;
  let hasOutput = false;
  let endedFor: TurnEvidence['endedFor'] = 'nobody';
  let lingerTimer: NodeJS.Timeout | undefined;
  let cancelTimer: NodeJS.Timeout | undefined;

  const tell = (events: readonly BackendEvent[]): void => {
    for (const event of events) if (!isSettled) observeSafely(order.observe, event);
  };
  const send = (lines: readonly string[]): void => {
    for (const line of lines) void handle.write(line);
  };
  const watchLingering = (): void => {
    clearTimeout(lingerTimer);
    if (!translator.isFinished() || endedFor !== 'nobody') return;
    if (dialogue !== undefined) handle.endInput();
    lingerTimer = setTimeout(() => {
      endedFor = 'lingering';
      void handle.stop(LINGER_GRACE_MS);
    }, order.lingerMs);
  };
  const readLine = (line: string, isCut: boolean): void => {
    hasOutput ||= line.trim() !== '';
    if (isCut) tell([{ type: 'warning', message: 'a line of more than 8 MB was cut for reading; the log has it whole' }]);
    tell(translator.line(line));
    if (dialogue !== undefined) send(dialogue.replies());
    watchLingering();
  };

  const handle = startChild(order, readLine);
  queueMicrotask(() => {
    if (handle.pid === undefined) return;
    tell([{ type: 'started', pid: handle.pid, processStart: handle.startTime ?? null, argv: order.shownArgv }]);
    tell(order.warnings.map((message) => ({ type: 'warning', message })));
  });
  if (dialogue !== undefined) send(dialogue.open());

  const finish = (process: ProcessResult): TurnResult => {
    clearTimeout(lingerTimer);
    clearTimeout(cancelTimer);
    const end = translator.end({ exitCode: process.exitCode, signal: process.signal, stderrTail: process.stderrTail, now: order.now() });
    const judgement = judgeTurn({ ...request, process, end, endedFor, command: order.path, shouldLeave: order.shouldLeave });
    tell([...end.events, ...judgement.warnings.map((message) => ({ type: 'warning', message }) as const)]);
    isSettled = true;
    return toTurnResult(judgement, process, end, hasOutput);
  };

  const stop = (graceMs: number): void => {
    if (endedFor !== 'nobody') return;
    endedFor = 'person';
    if (dialogue === undefined) return void handle.stop(graceMs);
    send(dialogue.cancel());
    cancelTimer = setTimeout(() => void handle.stop(graceMs), Math.min(CANCEL_MS, graceMs));
  };
  const kill = (): void => {
    if (endedFor === 'nobody') endedFor = 'person';
    clearTimeout(cancelTimer);
    void handle.kill();
  };
  return { result: handle.result.then(finish), stop, kill };
}

function startChild(order: TurnOrder, onStdoutLine: (line: string, isCut: boolean) => void): ChildProcessHandle {
  const { request } = order;
  return startProcess({
    command: order.path,
    args: order.args,
    cwd: request.cwd,
    env: order.env,
    input: order.input,
    ...(request.marker !== '' && { marker: request.marker }),
    stdoutPath: request.logs.stdoutPath,
    stderrPath: request.logs.stderrPath,
    maxLogBytes: request.logs.capBytes,
    timeoutMs: request.timeoutMs,
    idleTimeoutMs: request.idleTimeoutMs,
    onStdoutLine,
  });
}

function toTurnResult(judgement: ReturnType<typeof judgeTurn>, process: ProcessResult, end: TurnEnd, producedOutput: boolean): TurnResult {
  return {
    status: judgement.status,
    failure: judgement.failure,
    exitCode: process.exitCode,
    durationMs: Math.round(process.durationMs),
    usage: end.usage,
    sessionId: end.sessionId,
    toolCalls: end.toolCalls,
    producedOutput,
    leftovers: process.leftovers,
    logError: process.logError?.code ?? null,
  };
}

/** A subscriber can only watch: what it throws is its own affair. */
function observeSafely(observe: (event: BackendEvent) => void, event: BackendEvent): void {
  try {
    observe(event);
  } catch {
    // Nothing here may change the turn.
  }
}
