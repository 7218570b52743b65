import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { resumeRunHere } from '../app/resume-run.ts';
import { startRunHere } from '../app/start-run.ts';
import { findPackageFolder } from '../config/layers/package-files.ts';
import { END_REASONS, type EndReason } from '../core/run/end-reasons.ts';
import type { StopRequested } from '../core/run/inputs.ts';
import { isRalphError } from '../core/values/errors.ts';
import { accept, type Result, refuse } from '../core/values/result.ts';
import { planStart } from '../planning/plan-run.ts';
import { summariseRuns } from '../runs/list-runs.ts';
import { openRunReader } from '../runs/read-run.ts';
import type { RunHandle } from '../runs/run-api.ts';
import type { RunEndFacts } from './run-facts.ts';

/** A part of a run: from `run` or `resume` until the orchestrator ends. */
export interface Segment {
  readonly stop: (how: StopRequested['how']) => void;
  /** `kill -9`; only for an orchestrator of its own process. */
  readonly kill: () => void;
  /** Settles when it is over; never rejects. */
  readonly ended: Promise<SegmentEnd>;
}

/** How a segment ended: by an end of the run or, before the run began, by an error. */
export interface SegmentEnd {
  readonly runId: string | null;
  readonly end: RunEndFacts | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** What an orchestrator is told to do. */
export type SegmentOrder =
  | { readonly kind: 'run'; readonly prompt: string | undefined; readonly worktree: string | null }
  | {
      readonly kind: 'resume';
      readonly maxIterations: string | number | undefined;
      readonly maxCostUsd: number | undefined;
      readonly acceptChanges: boolean;
    };

export interface SegmentPlace {
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  /** The fleet whose workers take the turns; absent: the run itself does. */
  readonly fleet?: { readonly url: string };
}

export interface ScenarioRun {
  readonly ends: SegmentEnd[];
  /** How each attempt to start another run in the folder was refused; `started` for one that was not. */
  readonly rivals: string[];
  durationMs: number;
}

const WATCH = { observe: () => undefined };

/** Starts the run in this process: the real loop, at no cost for a process of its own. */
export function startHere(place: SegmentPlace, order: SegmentOrder): Segment {
  const begun = begin(place, order).catch((error: unknown) => refuse(toErrorEnd(error)));
  const stop: Segment['stop'] = (how) => void begun.then((run) => run.ok && run.value.stop(how, 'scenario'));
  const ended = begun.then(async (run) => {
    if (!run.ok) return run.refused;
    const { reason, detail, exitCode } = await run.value.outcome;
    return toEnd(run.value.runId, reason, detail, exitCode);
  });
  return { stop, kill: () => stop('kill'), ended };
}

/** The run that was started, or the end of one that does not go on. */
async function begin({ workspace, env, fleet }: SegmentPlace, order: SegmentOrder): Promise<Result<RunHandle, SegmentEnd>> {
  if (order.kind === 'run') {
    const flags = order.prompt === undefined ? {} : { prompt: order.prompt };
    const plan = await planStart({ cwd: workspace, configFiles: [], flags, env });
    const elsewhere = fleet === undefined ? {} : { fleet: fleet.url };
    return accept(await startRunHere(plan, { cwd: workspace, worktree: order.worktree, nested: false, env, ...elsewhere }, WATCH));
  }
  const { acceptChanges, maxCostUsd } = order;
  const limits = { ...toIterations(order.maxIterations), ...(maxCostUsd === undefined ? {} : { maxCostUsd }) };
  const resumed = await resumeRunHere({ cwd: workspace, acceptChanges, env, ...limits }, WATCH);
  if (resumed.kind === 'running') return accept(resumed.handle);
  return refuse(toEnd(resumed.runId, resumed.reason, resumed.text, resumed.exitCode));
}

function toIterations(value: string | number | undefined): {
  readonly maxIterations?: { readonly add: number } | { readonly set: number };
} {
  if (value === undefined) return {};
  return { maxIterations: typeof value === 'number' ? { set: value } : { add: Number(value) } };
}

const SIGNALS: Readonly<Record<Parameters<Segment['stop']>[0], NodeJS.Signals>> = {
  interrupt: 'SIGINT',
  terminate: 'SIGTERM',
  hangup: 'SIGHUP',
  'after-iteration': 'SIGINT',
  kill: 'SIGKILL',
};
const MAX_SAID = 20_000;

/** Starts the run as a process of its own, by the real command, so that it can be killed. */
export function startApart(place: SegmentPlace, order: SegmentOrder): Segment {
  const known = new Set(listIds(place));
  const child = spawn(process.execPath, [join(findPackageFolder(), 'bin', 'ralph.js'), ...toWords(order, place.fleet?.url)], {
    cwd: place.workspace,
    env: place.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const keep = (chunk: Buffer): void => {
    said = (said + chunk.toString('utf8')).slice(-MAX_SAID);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = new Promise<SegmentEnd>((resolve) => {
    child.once('error', (error) => resolve({ runId: null, end: null, error: { code: 'spawn', message: error.message } }));
    // A killed orchestrator leaves agents that hold its pipes open: its own exit counts, not the end of its output.
    child.once('exit', (code, signal) => resolve(toSegmentEnd(place, known, order, { code, signal, said })));
  });
  return { stop: (how) => void child.kill(SIGNALS[how]), kill: () => void child.kill('SIGKILL'), ended };
}

function toWords(order: SegmentOrder, fleet: string | undefined): readonly string[] {
  if (order.kind === 'run') {
    const prompt = order.prompt === undefined ? [] : ['--prompt', order.prompt];
    const worktree = order.worktree === null ? [] : ['--worktree', order.worktree];
    return ['run', '--no-tui', ...prompt, ...worktree, ...(fleet === undefined ? [] : ['--fleet', fleet])];
  }
  const { maxIterations, maxCostUsd, acceptChanges } = order;
  const iterations = maxIterations === undefined ? [] : ['--max-iterations', String(maxIterations)];
  const cost = maxCostUsd === undefined ? [] : ['--max-cost', String(maxCostUsd)];
  return ['resume', '--no-tui', ...iterations, ...cost, ...(acceptChanges ? ['--accept-changes'] : [])];
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly said: string;
}

function toSegmentEnd(place: SegmentPlace, known: ReadonlySet<string>, order: SegmentOrder, { code, signal, said }: Exit): SegmentEnd {
  const runId = order.kind === 'resume' ? (listIds(place).at(-1) ?? null) : (listIds(place).find((id) => !known.has(id)) ?? null);
  if (signal !== null) return { runId, end: { reason: 'killed', detail: signal, exitCode: null }, error: null };
  const end = runId === null ? null : openRunReader(place.workspace, runId, place.env).replay(() => undefined).end;
  if (runId === null || end === null) return { runId, end: null, error: { code: `exit-${code}`, message: said } };
  return { ...toEnd(runId, end.reason, end.detail, code ?? END_REASONS[end.reason].exitCode) };
}

/** Oldest first. */
function listIds(place: SegmentPlace): string[] {
  return summariseRuns(place.workspace, place.env)
    .map((run) => run.runId)
    .reverse();
}

/** An end that the run told itself. */
function toEnd(runId: string, reason: EndReason, detail: string, exitCode: number): SegmentEnd {
  return { runId, end: { reason, detail, exitCode }, error: null };
}

/** The end before the beginning: the error as a person would see it. */
function toErrorEnd(error: unknown): SegmentEnd {
  if (isRalphError(error))
    return { runId: null, end: null, error: { code: error.code, message: [error.message, error.fix ?? ''].join('\n').trim() } };
  return {
    runId: null,
    end: null,
    error: { code: 'defect', message: error instanceof Error ? (error.stack ?? error.message) : String(error) },
  };
}
