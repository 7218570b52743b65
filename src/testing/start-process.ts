import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { findPackageFolder, openRun, summariseRuns } from '../app/index.ts';
import { END_REASONS } from '../core/index.ts';
import { type Segment, type SegmentEnd, type SegmentOrder, toEnd } from './segment.ts';
import type { Stage } from './stage.ts';

const SIGNALS: Readonly<Record<Parameters<Segment['stop']>[0], NodeJS.Signals>> = {
  interrupt: 'SIGINT',
  terminate: 'SIGTERM',
  hangup: 'SIGHUP',
  'after-iteration': 'SIGINT',
  kill: 'SIGKILL',
};
const MAX_SAID = 20_000;

/** Starts the run as a process of its own, by the real command, so that it can be killed. */
export function startProcess(stage: Stage, order: SegmentOrder): Segment {
  const known = new Set(listIds(stage));
  const child = spawn(process.execPath, [join(findPackageFolder(), 'bin', 'ralph.js'), ...toWords(order)], {
    cwd: stage.workspace,
    env: stage.env,
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
    child.once('exit', (code, signal) => resolve(toSegmentEnd(stage, known, order, { code, signal, said })));
  });
  return { stop: (how) => void child.kill(SIGNALS[how]), kill: () => void child.kill('SIGKILL'), ended };
}

function toWords(order: SegmentOrder): readonly string[] {
  if (order.kind === 'run') {
    const prompt = order.prompt === undefined ? [] : ['--prompt', order.prompt];
    return ['run', '--no-tui', ...prompt, ...(order.worktree === null ? [] : ['--worktree', order.worktree])];
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

function toSegmentEnd(stage: Stage, known: ReadonlySet<string>, order: SegmentOrder, { code, signal, said }: Exit): SegmentEnd {
  const runId = order.kind === 'resume' ? (listIds(stage).at(-1) ?? null) : (listIds(stage).find((id) => !known.has(id)) ?? null);
  if (signal !== null) return { runId, end: { reason: 'killed', detail: signal, exitCode: null }, error: null };
  const end = runId === null ? null : openRun(stage.workspace, runId, stage.env).replay(() => undefined).end;
  if (runId === null || end === null) return { runId, end: null, error: { code: `exit-${code}`, message: said } };
  return { ...toEnd(runId, end.reason, end.detail, code ?? END_REASONS[end.reason].exitCode) };
}

/** Oldest first. */
function listIds(stage: Stage): string[] {
  return summariseRuns(stage.workspace, stage.env)
    .map((run) => run.runId)
    .reverse();
}
