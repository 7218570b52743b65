import { toFirstLine, toPlainLine } from '../../views/index.ts';
import type { AppApi, CliContext } from '../cli-context.ts';

type Review = Awaited<ReturnType<AppApi['reviewRun']>>;
type ListedTask = ReturnType<AppApi['listQueue']>['tasks'][number];

/** What became of a task: what needs the person comes first. */
export type TaskOutcome = 'needs you' | 'cut off' | 'unproven' | 'proven' | 'landed' | 'undone' | 'at work' | 'waits';

const RANKS: Readonly<Record<TaskOutcome, number>> = {
  'needs you': 0,
  'cut off': 1,
  unproven: 2,
  proven: 3,
  landed: 4,
  undone: 5,
  'at work': 6,
  waits: 7,
};

/** A task in a digest. */
export interface DigestRow {
  readonly task: number;
  readonly outcome: TaskOutcome;
  /** How its run ended; `null` while it has not, and where there is none. */
  readonly reason: string | null;
  readonly asked: string;
  /** What proves it, or what is wrong. */
  readonly evidence: string;
  /** What a person should look at before it is believed, as its review has it. */
  readonly flagged: readonly string[];
  /** `null` where nobody knows. */
  readonly changed: { readonly files: number; readonly added: number; readonly removed: number } | null;
  /** Files that decide about the work, and those that no gate has seen. */
  readonly readFirst: number;
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
  return rows.toSorted((left, right) => toRank(left) - toRank(right));
}

/** Among those with the same outcome, what is flagged comes first. */
function toRank({ outcome, flagged }: DigestRow): number {
  return RANKS[outcome] - (flagged.length > 0 ? 0.5 : 0);
}

/** Whether the next `ralph queue run` works on it. */
export function isOpen(app: Pick<AppApi, 'isCutOff'>, { run, stage }: ListedTask): boolean {
  if (stage === 'over') return false;
  return run === null || run.status === 'dead' || (run.status === 'ended' && run.reason !== null && app.isCutOff(run.reason));
}

async function toRow({ env }: Pick<CliContext, 'env'>, app: AppApi, root: string, task: ListedTask): Promise<DigestRow> {
  const { run } = task;
  // One run that cannot be read costs nobody the rest of the digest.
  const review = run === null ? null : await app.reviewRun(root, run.runId, env).catch(() => null);
  const outcome = toOutcome(app, task, review);
  const { changed = null, place = null } = review?.facts ?? {};
  const worktree = run?.worktree ?? null;
  const flagged = review?.rows.flatMap(({ label, text }) => (label === 'Flagged' ? [text] : [])) ?? [];
  return {
    task: task.id,
    outcome,
    reason: run?.reason ?? null,
    asked: toAsked(task),
    evidence: toEvidenceText(task, review),
    flagged,
    changed: changed === null ? null : { files: changed.count, added: changed.added, removed: changed.removed },
    readFirst: review?.readFirst.filter(({ why }) => why !== 'large').length ?? 0,
    costUsd: run?.costUsd ?? null,
    iterations: run?.iterations ?? 0,
    runId: run?.runId ?? null,
    worktree,
    branch: worktree === null ? null : (place?.state?.branch ?? `ralph/${worktree}`),
    next: toNext(outcome, task, review),
  };
}

/** What a task asks for, in one line. */
function toAsked({ text, file, run }: ListedTask): string {
  const said = text ?? run?.objective ?? '';
  return said === '' ? `what ${toPlainLine(file ?? '', 60)} says` : toFirstLine(said, 60);
}

/** What became of a task, by its run as it stands now: the person may have gone on with it. */
function toOutcome(app: Pick<AppApi, 'isCutOff'>, { run, problem, stage }: ListedTask, review: Review | null): TaskOutcome {
  if (run === null) return problem !== null || stage === 'over' ? 'needs you' : 'waits';
  if (run.status === 'running' || run.status === 'parked') return 'at work';
  if (run.status === 'dead' || (run.reason !== null && app.isCutOff(run.reason))) return problem === null ? 'cut off' : 'needs you';
  if (review !== null && isFateOpen(review.facts)) return 'needs you';
  if (review?.facts.undone !== undefined) return 'undone';
  if (review?.facts.landed !== undefined) return 'landed';
  if (run.reason !== 'completed' || review === null) return 'needs you';
  return review.proof?.isProven === true ? 'proven' : 'unproven';
}

function isFateOpen({ isUndoOpen, unknown = [] }: Review['facts']): boolean {
  return isUndoOpen === true || unknown.length > 0;
}

function toEvidenceText({ problem, run }: ListedTask, review: Review | null): string {
  const landed = review?.facts.landed;
  if (landed !== undefined) return `brought to ${toPlainLine(landed.onto, 80)}`;
  const open =
    review !== null && isFateOpen(review.facts) ? review.rows.find(({ label }) => label === 'Undone' || label === 'Landed') : undefined;
  if (open !== undefined) return `${open.label}: ${toPlainLine(open.text, 160)}`;
  if (run?.reason === 'completed') return review?.proof?.reason ?? '-';
  if (problem !== null) return toPlainLine(problem, 160);
  if (review === null) return run === null ? '-' : 'its run cannot be read';
  const why = review.rows.find(({ label }) => label === 'Why' || label === 'You')?.text ?? '';
  return toPlainLine(why, 200) || '-';
}

function toNext(outcome: TaskOutcome, { id, run, stage }: ListedTask, review: Review | null): string {
  if (outcome === 'cut off' || outcome === 'waits') return 'ralph queue run';
  if (run === null) return stage === 'over' ? `ralph queue remove ${id}` : 'ralph queue run';
  if (outcome === 'at work') return `ralph status ${run.runId}`;
  const commands = review?.next.flatMap((step) => /`(ralph [^`]*)`/.exec(step)?.[1] ?? []) ?? [];
  const isFlagged = review?.rows.some(({ label }) => label === 'Flagged') === true;
  const wanted =
    (outcome === 'proven' && !isFlagged) || outcome === 'landed' ? 'ralph land' : outcome === 'needs you' ? 'ralph resume' : 'ralph review';
  const command = commands.find((text) => text.startsWith(wanted)) ?? 'ralph review';
  return command.includes(run.runId) ? command : command.replace(/^ralph \w+/, `$& ${run.runId}`);
}
