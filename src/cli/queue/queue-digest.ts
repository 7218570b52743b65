import type { RunStat } from '../../core/index.ts';
import { createRunViewFold, type RunView, toFirstLine, toNextStep, toOutcomeText, toPlainLine, toProof } from '../../views/index.ts';
import type { AppApi, CliContext } from '../cli-context.ts';

type ListedTask = ReturnType<AppApi['listQueue']>['tasks'][number];

/** What became of a task: what needs the person comes first. */
export type TaskOutcome = 'needs you' | 'cut off' | 'unproven' | 'proven' | 'at work' | 'waits';

const RANKS: Readonly<Record<TaskOutcome, number>> = { 'needs you': 0, 'cut off': 1, unproven: 2, proven: 3, 'at work': 4, waits: 5 };

/** A task in a digest. */
export interface DigestRow {
  readonly task: number;
  readonly outcome: TaskOutcome;
  /** How its run ended; `null` while it has not, and where there is none. */
  readonly reason: string | null;
  readonly asked: string;
  /** What proves it, or what is wrong. */
  readonly evidence: string;
  /** `null` where nobody knows. */
  readonly changed: { readonly files: number; readonly added: number; readonly removed: number } | null;
  readonly costUsd: number | null;
  readonly iterations: number;
  readonly runId: string | null;
  readonly worktree: string | null;
  readonly branch: string | null;
  /** What to type. */
  readonly next: string;
}

/** The tasks, those first that need the person; else in the order of the queue. */
export async function createDigest(
  context: Pick<CliContext, 'env'>,
  app: AppApi,
  root: string,
  tasks: readonly ListedTask[],
): Promise<readonly DigestRow[]> {
  const rows: DigestRow[] = [];
  for (const task of tasks) rows.push(await toRow(context, app, root, task));
  return rows.toSorted((left, right) => RANKS[left.outcome] - RANKS[right.outcome]);
}

async function toRow({ env }: Pick<CliContext, 'env'>, app: AppApi, root: string, task: ListedTask): Promise<DigestRow> {
  const { run } = task;
  const read = run === null ? null : readRun(app, root, run.runId, env);
  const outcome = toOutcome(app, task, read?.view ?? null);
  const stat = (await read?.stat()) ?? null;
  const worktree = run?.worktree ?? null;
  return {
    task: task.id,
    outcome,
    reason: run?.reason ?? null,
    asked: toAsked(task),
    evidence: toEvidenceText(task, read?.view ?? null),
    changed: stat === null ? null : { files: stat.files.length, added: stat.added, removed: stat.removed },
    costUsd: run?.costUsd ?? null,
    iterations: run?.iterations ?? 0,
    runId: run?.runId ?? null,
    worktree,
    branch: worktree === null ? null : `ralph/${worktree}`,
    next: toNext(outcome, task, read?.view ?? null),
  };
}

/** What a task asks for, in one line. */
function toAsked({ text, file, run }: ListedTask): string {
  const said = text ?? run?.objective ?? '';
  return said === '' ? `what ${toPlainLine(file ?? '', 60)} says` : toFirstLine(said, 60);
}

interface ReadRun {
  readonly view: RunView;
  readonly stat: () => Promise<RunStat | null>;
}

/** `null` where it cannot be read: one damaged run costs nobody the rest of the digest. */
function readRun(app: AppApi, root: string, runId: string, env: CliContext['env']): ReadRun | null {
  try {
    const reader = app.openRun(root, runId, env);
    const fold = createRunViewFold();
    reader.replay(fold.take);
    return { view: fold.view(), stat: () => reader.stat(null).catch(() => null) };
  } catch {
    return null;
  }
}

/** What became of a task, by its run as it stands now: the person may have gone on with it. */
export function toOutcome(app: Pick<AppApi, 'isCutOff'>, { run, problem, stage }: ListedTask, view: RunView | null): TaskOutcome {
  if (run === null) return problem !== null || stage === 'over' ? 'needs you' : 'waits';
  if (run.status === 'running' || run.status === 'parked') return 'at work';
  if (problem !== null && run.reason !== 'completed') return 'needs you';
  if (run.status === 'dead' || (run.reason !== null && app.isCutOff(run.reason))) return 'cut off';
  if (run.reason !== 'completed' || view === null) return 'needs you';
  return toProof(view)?.isProven === true ? 'proven' : 'unproven';
}

function toEvidenceText({ problem, stage, run }: ListedTask, view: RunView | null): string {
  if (run?.reason === 'completed') return (view === null ? null : toProof(view)?.reason) ?? '-';
  if (problem !== null) return toPlainLine(problem, 160);
  if (view === null) return run?.status === 'damaged' ? 'its run cannot be read' : '-';
  if (view.end !== null) return toPlainLine(view.end.attention ?? view.end.detail, 160) || view.end.reason;
  const turn = view.turns.at(-1);
  return turn === undefined || stage === 'over' ? '-' : `turn ${turn.iteration} of ${turn.hat}: ${toOutcomeText(turn)}`;
}

function toNext(outcome: TaskOutcome, { id, run, stage }: ListedTask, view: RunView | null): string {
  if (outcome === 'cut off' || outcome === 'waits') return 'ralph queue run';
  if (run === null) return stage === 'over' ? `ralph queue remove ${id}` : 'ralph queue run';
  if (outcome === 'at work') return `ralph status ${run.runId}`;
  if (run.status === 'damaged') return `ralph show ${run.runId}`;
  if (run.reason === 'completed') return `ralph show ${run.runId} --stat`;
  const step = view === null ? '' : toNextStep(view, false);
  return /`(ralph resume[^`]*)`/.exec(step)?.[1] ?? `ralph resume ${run.runId}`;
}
