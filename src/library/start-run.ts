import { resolve } from 'node:path';
import type * as App from '../app/index.ts';
import { readEnvironment } from '../config/index.ts';
import { RalphError, type RunSpec } from '../core/index.ts';
import type { Topology } from '../topology/index.ts';
import { createConfigReport, type ReportedDiagnostic } from '../validation/index.ts';
import { createRunViewFold } from '../views/index.ts';
import { checkObject, isObject, type KnownNames } from './check-arguments.ts';
import { createRunFeed, type Run, toRun } from './run.ts';

/** What a run is asked for. Everything may be left out: then the folder's own configuration and prompt file say it, as for `ralph run`. */
export interface RunOptions {
  /** The folder to work in, and that names are relative to. Default: the current one. */
  readonly cwd?: string;
  /** What is to be done. */
  readonly prompt?: string;
  /** A file that says it. */
  readonly promptFile?: string;
  /** Configuration files, later ones over earlier ones. */
  readonly files?: readonly string[];
  /** A team in the place of the one of the configuration: a file, or `preset:NAME`. */
  readonly hats?: string;
  /** Settings over all files: `event_loop.cooldown_delay_seconds=5`. */
  readonly assignments?: readonly string[];
  /** The agent, such as `claude` or `codex`. */
  readonly backend?: string;
  readonly model?: string;
  readonly maxIterations?: number;
  readonly maxCostUsd?: number;
  readonly maxRuntimeMs?: number;
  /** `false`: no command checks the work, neither gates of the configuration nor the one that is found. */
  readonly gates?: boolean;
  /** In a git worktree of its own: a name, or `true` for one that is made up. */
  readonly worktree?: string | true;
  /** Held by the sandbox of the operating system in a worktree of its own, or not at all. Default: as the configuration says. */
  readonly safe?: boolean;
  /** Allow a run inside of an agent's turn. */
  readonly nested?: boolean;
  /** The environment of the run and its agents. Default: that of this process. */
  readonly env?: Environment;
  /** Ends the run as Ctrl+C does. */
  readonly signal?: AbortSignal;
}

/** How a run is to go on. */
export interface ResumeRunOptions extends Pick<RunOptions, 'cwd' | 'env' | 'signal'> {
  /** Its id or the beginning of it. Default: the newest. */
  readonly run?: string;
  /** Turns in all. */
  readonly maxIterations?: number;
  /** So many turns more than it was allowed. */
  readonly moreIterations?: number;
  /** US dollars in all. */
  readonly maxCostUsd?: number;
  /** Running time in all. */
  readonly maxRuntimeMs?: number;
  /** Take a configuration or prompt that changed since. Default: then it is refused. */
  readonly acceptChanges?: boolean;
}

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

type Environment = Readonly<Record<string, string | undefined>>;

const RUN: Readonly<Record<keyof RunOptions, KnownNames[string]>> = {
  cwd: 'text',
  prompt: 'text',
  promptFile: 'text',
  files: 'texts',
  hats: 'text',
  assignments: 'texts',
  backend: 'text',
  model: 'text',
  maxIterations: 'count',
  maxCostUsd: 'amount',
  maxRuntimeMs: 'amount',
  gates: 'flag',
  worktree: 'name',
  safe: 'flag',
  nested: 'flag',
  env: 'record',
  signal: 'signal',
};

const RESUME: Readonly<Record<keyof ResumeRunOptions, KnownNames[string]>> = {
  cwd: 'text',
  env: 'record',
  signal: 'signal',
  run: 'text',
  maxIterations: 'count',
  moreIterations: 'count',
  maxCostUsd: 'amount',
  maxRuntimeMs: 'amount',
  acceptChanges: 'flag',
};

/** What runs are made with; loaded when it is first needed, so that who only checks teams does not wait for it. */
export function loadApp(): Promise<typeof App> {
  return import('../app/index.ts');
}

/** The folder and the environment of a call. */
export function toPlace({ cwd, env }: Pick<RunOptions, 'cwd' | 'env'>): { readonly cwd: string; readonly env: Environment } {
  return { cwd: resolve(cwd ?? '.'), env: env ?? readEnvironment() };
}

/** What belongs to a plan and is nobody else's affair. */
const plans = new WeakMap<object, { readonly plan: App.RunPlan; readonly options: RunOptions }>();

/**
 * Reads and checks everything that a run needs, and starts nothing.
 *
 * @throws RalphError `library-argument`; `config-invalid` with every finding; `agent-missing` and what else keeps a run from starting
 */
export async function planRun(options: RunOptions = {}): Promise<PlannedRun> {
  checkObject(options, 'The options of a run', RUN);
  const { cwd, env } = toPlace(options);
  const app = await loadApp();
  const { hats, backend, model, maxIterations, maxCostUsd, maxRuntimeMs, prompt, promptFile } = options;
  const plan = await app.planRun({
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
  const handle = await app.startRun(plan, { ...toPlace(options), worktree, nested }, feed.watch);
  return toRun(handle, feed, { signal, warnings: [...toTexts(planned.diagnostics), ...planned.warnings] });
}

/**
 * Goes on with a run: after a stop, a kill, a crash of the machine, a limit, a failure. Its records begin with `run-resumed`.
 *
 * @throws RalphError `library-argument`, `no-runs`, `run-unknown`, `run-in-progress`, `resume-changed`; `resume-over` for one that has ended for good
 */
export async function resumeRun(options: ResumeRunOptions = {}): Promise<Run> {
  checkObject(options, 'The options of `resumeRun`', RESUME);
  const { signal, maxIterations, moreIterations, maxCostUsd, maxRuntimeMs, acceptChanges = false } = options;
  signal?.throwIfAborted();
  const { cwd, env } = toPlace(options);
  const app = await loadApp();
  const reader = app.openRun(cwd, options.run, env);
  const fold = createRunViewFold();
  reader.replay(fold.take);
  const feed = createRunFeed(fold);
  const resumed = await app.resumeRun(
    {
      cwd,
      env,
      run: reader.runId,
      acceptChanges,
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
