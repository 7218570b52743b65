import type * as App from '../app/index.ts';
import type { EndReason } from '../core/run/end-reasons.ts';
import type { RunSpec } from '../core/run/run-spec.ts';
import { RalphError } from '../core/values/errors.ts';
import type { Topology } from '../topology/routing/compile-topology.ts';
import { createConfigReport, type ReportedDiagnostic } from '../validation/config-report.ts';
import { toProof } from '../views/fold/fold-proof.ts';
import { createRunViewFold, type RunViewFold } from '../views/fold/fold-run-view.ts';
import type { QuestionView, RunProof, RunView, TellView } from '../views/fold/run-view.ts';
import { type NdjsonRecord, toNdjsonEnd, toNdjsonRun } from '../views/report/ndjson-record.ts';
import { type StatusRecord, toEndedView, toStatusRecord } from '../views/report/run-status.ts';
import {
  type AnswerOptions,
  checkObject,
  checkStop,
  type EmitOptions,
  type Emitted,
  isObject,
  loadApp,
  RESUME_NAMES,
  type ResumeRunOptions,
  RUN_NAMES,
  type RunOptions,
  type StopOptions,
  type TellOptions,
  toAnswerWords,
  toEmitted,
  toEventWords,
  toPlace,
  toTellWords,
} from './arguments.ts';
import { createRecordStream, type RecordStream } from './record-stream.ts';

/** A run that could be started: checked and compiled, nothing written yet. */
export interface PlannedRun {
  /** The run as it is declared, with every default. */
  readonly spec: RunSpec;
  readonly topology: Topology;
  /** Warnings, hints and notes of the configuration; no errors. */
  readonly diagnostics: readonly ReportedDiagnostic[];
  /** What a person should know before it starts, one sentence each. */
  readonly warnings: readonly string[];
  /** What the first agent will be asked. */
  readonly firstPrompt: string;
}

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
  /**
   * Tells its agents something while they work, as whoever runs it, and waits until its journal has it.
   *
   * @returns what became of it so far, as `status()` shows it under `tells`; `null` where the journal does not have it after 5 seconds
   * @throws RalphError `library-argument`, `tell-words`, `run-complete`
   */
  readonly tell: (text: string, options?: TellOptions) => Promise<TellView | null>;
  /**
   * Answers what an agent asks, and waits until the journal has it. Open questions are in `status()` under `questions`.
   *
   * @throws RalphError `library-argument`, `question-unknown`, `answer-choice`, `answer-late`, `run-complete`
   */
  readonly answer: (choice: string, options?: AnswerOptions) => Promise<QuestionView | null>;
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

/** What belongs to a plan and is nobody else's affair. */
const plans = new WeakMap<object, { readonly plan: App.RunPlan; readonly options: RunOptions }>();

/**
 * Reads and checks everything that a run needs, and starts nothing.
 *
 * @throws RalphError `library-argument`; `config-invalid` with every finding; `agent-missing` and what else keeps a run from starting
 */
export async function planRun(options: RunOptions = {}): Promise<PlannedRun> {
  checkObject(options, 'The options of a run', RUN_NAMES);
  const { cwd, env } = toPlace(options);
  const app = await loadApp();
  const { hats, backend, model, maxIterations, maxCostUsd, maxRuntimeMs, prompt, promptFile } = options;
  const plan = await app.planStart({
    cwd,
    env,
    configFiles: options.files ?? [],
    assignments: [...(options.assignments ?? []), ...toAssignments(options)],
    ...given({ hatsOverlay: hats }),
    flags: given({
      backend,
      model,
      maxIterations,
      maxCostUsd,
      prompt,
      promptFile,
      noGates: options.gates === false ? (true as const) : undefined,
      maxRuntime: maxRuntimeMs === undefined ? undefined : maxRuntimeMs / 1000,
    }),
  });
  const { settings, topology, warnings } = plan;
  const { coordination } = topology;
  const { diagnostics } = createConfigReport('', { coordination, diagnostics: plan.diagnostics });
  const planned: PlannedRun = { spec: settings.spec, topology, diagnostics, warnings, firstPrompt: plan.firstPrompt() };
  plans.set(planned, { plan, options });
  return planned;
}

/**
 * Starts a run.
 *
 * @param asked what it is asked for, or what {@link planRun} gave
 * @throws RalphError as {@link planRun} does; `run-in-progress`, `run-nested`, `worktree-…`; the reason of a signal that was aborted before
 */
export async function startRun(asked: RunOptions | PlannedRun = {}): Promise<Run> {
  const planned = isObject(asked) && plans.has(asked) ? (asked as PlannedRun) : await planRun(asked as RunOptions);
  const { plan, options } = plans.get(planned) as { readonly plan: App.RunPlan; readonly options: RunOptions };
  const { signal, worktree = null, nested = false } = options;
  signal?.throwIfAborted();
  const feed = createRunFeed();
  const app = await loadApp();
  const handle = await app.startRunHere(plan, { ...toPlace(options), worktree, nested }, feed.watch);
  return toRun(handle, feed, { signal, warnings: [...toTexts(planned.diagnostics), ...planned.warnings] });
}

/**
 * Goes on with a run: after a stop, a kill, a crash of the machine, a limit, a failure. Its records begin with `run-resumed`.
 *
 * @throws RalphError `library-argument`, `no-runs`, `run-unknown`, `run-in-progress`, `resume-changed`; `resume-over` for one that has ended for good
 */
export async function resumeRun(options: ResumeRunOptions = {}): Promise<Run> {
  checkObject(options, 'The options of `resumeRun`', RESUME_NAMES);
  const { signal, maxIterations, moreIterations, maxCostUsd, maxRuntimeMs, acceptChanges = false } = options;
  signal?.throwIfAborted();
  const { cwd, env } = toPlace(options);
  const app = await loadApp();
  const reader = app.openRunReader(cwd, options.run, env);
  const fold = createRunViewFold();
  const feed = createRunFeed(fold);
  const resumed = await app.resumeRunHere(
    {
      cwd,
      env,
      run: reader.runId,
      acceptChanges,
      onBrought: () => reader.replay(fold.take),
      ...given({
        maxIterations: moreIterations === undefined ? toSet(maxIterations) : { add: moreIterations },
        maxCostUsd,
        maxRuntimeMs: toSet(maxRuntimeMs),
      }),
    },
    feed.watch,
  );
  if (resumed.kind === 'ended') throw createOver(resumed);
  return toRun(resumed.handle, feed, { signal, warnings: resumed.warnings });
}

function toAssignments({ worktree, safe }: RunOptions): readonly string[] {
  return [...(worktree === undefined ? [] : ['workspace=worktree']), ...(safe === undefined ? [] : [`safe=${safe}`])];
}

function createOver({ runId, text }: Extract<App.Resumed, { readonly kind: 'ended' }>): RalphError {
  return new RalphError({
    code: 'resume-over',
    what: `Run ${runId} does not go on. ${text}`,
    fix: 'Raise the limit that ended it, or start a new run.',
    exitCode: 2,
  });
}

function toSet(value: number | undefined): { readonly set: number } | undefined {
  return value === undefined ? undefined : { set: value };
}

function toTexts(diagnostics: readonly ReportedDiagnostic[]): readonly string[] {
  return diagnostics
    .filter(({ severity }) => severity === 'warning')
    .map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`);
}

/** Without what was not said. */
function given<Values extends object>(values: Values): { readonly [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

/** Who is told as a run of `app` goes on. */
interface RunFeed {
  readonly watch: App.RunWatch;
  readonly stream: RecordStream;
  readonly fold: RunViewFold;
}

/** What an app run is to be watched with; `fold` has what the run did before. */
function createRunFeed(fold: RunViewFold = createRunViewFold()): RunFeed {
  const stream = createRecordStream();
  const observe = (record: Parameters<App.RunWatch['observe']>[0]): void => {
    fold.take(record);
    stream.observe(record);
  };
  return { watch: { observe, backpressure: stream.backpressure }, stream, fold };
}

/** Makes a run of `app` one for programs. */
function toRun(handle: App.RunHandle, { stream, fold }: RunFeed, order: RunOrder): Run {
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
    return { runId, reason, detail, exitCode, proof, view, warnings: [...end.warnings, ...(problem === null ? [] : [problem])] };
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
    tell: async (text, options = {}) => (await handle.tell(toTellWords(text, options))).tell,
    answer: async (choice, options = {}) => (await handle.answer(toAnswerWords(choice, options))).question,
    [Symbol.asyncIterator]: stream.iterate,
  };
}

interface RunOrder {
  readonly signal: AbortSignal | undefined;
  readonly warnings: readonly string[];
}

/** By whom a run is stopped, for its journal. */
const PROGRAM = 'the program that runs it';
