import type * as App from '../app/index.ts';
import { END_REASONS, type EndReason } from '../core/index.ts';
import {
  createRunViewFold,
  type NdjsonRecord,
  type RunProof,
  type RunView,
  type RunViewFold,
  type StatusRecord,
  toEndedView,
  toNdjsonEnd,
  toNdjsonRun,
  toProof,
  toStatusRecord,
} from '../views/index.ts';
import { checkObject } from './check-arguments.ts';
import { createRecordStream, type RecordStream } from './record-stream.ts';

/** A run of this program. To iterate over it gives its records: the first is `run`, the last `end`; see `RunRecord`. */
export interface Run extends AsyncIterable<NdjsonRecord> {
  readonly runId: string;
  /** Absolute path of the run's folder under `.ralph/runs/`. */
  readonly runFolder: string;
  /** Absolute path of the folder that the agents work in. */
  readonly workspace: string;
  /** What a person should know before it goes on, one sentence each. */
  readonly warnings: readonly string[];
  /** Settles when the run has ended and nothing of it is alive; never rejects. */
  readonly outcome: Promise<RunResult>;
  /** What `ralph status --format json` says of it. */
  readonly status: () => StatusRecord;
  /**
   * Ends it after the running turn, or at once with `now`: its agent has 10 seconds to clean up; asked a second time it is killed.
   *
   * @throws RalphError `library-argument`
   */
  readonly stop: (options?: StopOptions) => Promise<RunResult>;
  /**
   * Publishes an event as whoever runs it: its hat gets it in its next turn. The payload is any JSON value, or a text.
   *
   * @throws RalphError `library-argument`, `emit-…` for what nobody may publish or nobody gets
   */
  readonly emit: (topic: string, payload?: unknown, options?: EmitOptions) => Emitted;
}

export interface StopOptions {
  /** End the running turn too. */
  readonly now?: boolean;
}

export interface EmitOptions {
  /** The hat that gets it, whatever its triggers are. */
  readonly target?: string;
}

/** What became of an event. */
export interface Emitted {
  /** Who gets it, and when: a sentence. */
  readonly delivery: string;
  /** So many characters of the payload were cut off, because it was too long; 0: none. */
  readonly cut: number;
}

/** How a run ended. */
export interface RunResult {
  readonly runId: string;
  readonly reason: EndReason;
  /** Facts of this case, in words. */
  readonly detail: string;
  /** Of the command `ralph run`. */
  readonly exitCode: number;
  /** Whether its completion is proven; `null` where it did not complete. */
  readonly proof: RunProof | null;
  readonly view: RunView;
  /** What went wrong behind its end, such as a `notify:` command that failed. */
  readonly warnings: readonly string[];
}

/** Who is told as a run of `app` goes on. */
export interface RunFeed {
  readonly watch: App.RunWatch;
  readonly stream: RecordStream;
  readonly fold: RunViewFold;
}

/** What an app run is to be watched with; `fold` has what the run did before. */
export function createRunFeed(fold: RunViewFold = createRunViewFold()): RunFeed {
  const stream = createRecordStream();
  const observe = (record: Parameters<App.RunWatch['observe']>[0]): void => {
    fold.take(record);
    stream.observe(record);
  };
  return { watch: { observe, backpressure: stream.backpressure }, stream, fold };
}

/** Makes a run of `app` one for programs. */
export function toRun(handle: App.RunHandle, { stream, fold }: RunFeed, order: RunOrder): Run {
  const { runId, runFolder, workspace } = handle;
  const { signal, warnings } = order;
  stream.begin(toNdjsonRun({ runId, runFolder, workspace, version: RALPH_VERSION }, Date.now()), handle.records);
  let isHurried = false;
  const hurry = (): void => {
    handle.stop(isHurried ? 'kill' : 'interrupt', PROGRAM);
    isHurried = true;
    // An agent that is held back for a slow reader must hear of it.
    stream.letGo();
  };
  signal?.addEventListener('abort', hurry, { once: true });
  if (signal?.aborted === true) hurry();
  let isOver = false;
  const outcome = handle.outcome.then(async (end): Promise<RunResult> => {
    isOver = true;
    signal?.removeEventListener('abort', hurry);
    const { reason, detail, exitCode } = end;
    const view = toEndedView(fold.view(), end);
    const proof = toProof(view);
    stream.finish(toNdjsonEnd({ runId, reason, detail, exitCode, proof }, Date.now()));
    const problem = await handle.notify(end);
    return { runId, reason, detail, exitCode, proof, view, warnings: problem === null ? [] : [problem] };
  });
  return {
    runId,
    runFolder,
    workspace,
    warnings,
    outcome,
    status: () => toStatusRecord(fold.view(), { isAlive: !isOver, now: Date.now() }),
    stop: (options = {}) => {
      checkStop(options);
      if (options.now === true) hurry();
      else handle.stop('after-iteration', PROGRAM);
      return outcome;
    },
    emit: (topic, payload, options = {}) => toEmitted(handle.emit(toEventWords(topic, payload, options))),
    [Symbol.asyncIterator]: stream.iterate,
  };
}

interface RunOrder {
  readonly signal: AbortSignal | undefined;
  readonly warnings: readonly string[];
}

/** By whom a run is stopped, for its journal. */
const PROGRAM = 'the program that runs it';

/** The end line of a run that was read. */
export function toEndRecord(
  runId: string,
  { reason, detail, proof }: Pick<RunResult, 'reason' | 'detail' | 'proof'>,
  at: number,
): NdjsonRecord {
  return toNdjsonEnd({ runId, reason, detail, exitCode: END_REASONS[reason].exitCode, proof }, at);
}

/** Throws RalphError `library-argument` for what is not understood. */
export function checkStop(options: StopOptions): void {
  checkObject(options, 'The options of `stop`', { now: 'flag' });
}

/** An event as commands write it. Throws RalphError `library-argument` for what is not understood. */
export function toEventWords(topic: string, payload: unknown, options: EmitOptions): Parameters<App.RunHandle['emit']>[0] {
  checkObject({ topic }, 'An event', { topic: 'text' });
  checkObject(options, 'The options of `emit`', { target: 'text' });
  const isJson = payload !== undefined && typeof payload !== 'string';
  const text = isJson ? toJsonText(payload) : payload;
  return { topic, payload: text, json: isJson, ...(options.target === undefined ? {} : { target: options.target }) };
}

/** What is no JSON value, such as a function or a circle, is refused by its empty text. */
function toJsonText(payload: unknown): string {
  try {
    return JSON.stringify(payload) ?? '';
  } catch {
    return '';
  }
}

/** What programs are told of a published event. */
export function toEmitted({ delivery, cut }: App.OutsideEvent): Emitted {
  return { delivery, cut };
}
