import type { Settings } from '../config/settings.ts';
import { isRequiredGate } from '../core/gates/gate-spec.ts';
import type { Environment } from '../core/values/environment.ts';
import { createPathMatcher } from '../gates/path-matcher.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import { buildMergeObjective } from '../prompts/merge-task.ts';
import type { Layout } from '../runs/layout.ts';
import { withoutToken } from '../runs/people.ts';
import type { FinishedRun, RunHandle } from '../runs/run-api.ts';
import type { RunFile } from '../runs/run-file.ts';
import type { Landing, MergePlace } from '../workspace/landing/landing.ts';
import type { MergeConflict } from '../workspace/landing/merge-apart.ts';
import { toResolverSettings, withSecretsOf } from './resolver-settings.ts';

export interface ResolveOrder {
  readonly layout: Layout;
  /** Of the run that is landed. */
  readonly paths: RunPaths;
  readonly file: RunFile;
  readonly env: Environment;
  readonly hat: string;
  readonly landing: Pick<Landing, 'onto'>;
  readonly branch: string;
  readonly conflicts: readonly MergeConflict[];
  readonly place: MergePlace;
  readonly signal: AbortSignal;
  /** Is told of the turn when it begins: the id of its run. */
  readonly onBegun: (runId: string) => void;
  readonly startTurn: StartResolver;
}

/** A turn in which a hat resolves a conflict, in the worktree of the merge. */
export interface ResolverTurn {
  readonly layout: Layout;
  /** Of the run that is landed. */
  readonly landed: string;
  readonly settings: Settings;
  /** The folder in which the conflict is. */
  readonly cwd: string;
  /** With the token of people, which the turn does not get. */
  readonly people: Environment;
}

/**
 * Starts that turn as a run of its own.
 *
 * @throws RalphError `agent-missing`, `safe-refused`, `isolation-required`
 */
export type StartResolver = (turn: ResolverTurn) => Promise<RunHandle>;

export interface Resolution {
  readonly hat: string;
  /** Id of the run that was its turn. */
  readonly runId: string;
  /** `failed`: the turn itself; `left`: it ended well, and something is not resolved. */
  readonly outcome: 'resolved' | 'left' | 'failed' | 'stopped';
  /** What is left, or how the turn failed, a sentence each. */
  readonly why: readonly string[];
  /** Files that it changed though they were not in conflict. */
  readonly others: readonly string[];
  readonly costUsd: number | null;
}

/** With the merge, where it was resolved. */
export interface ResolvedConflict {
  readonly resolution: Resolution;
  readonly commit: string | null;
}

/**
 * Gives a conflict to a hat: one turn, a run of its own in the worktree of the merge, with all that holds the hat in its run. What the hat says of it is not believed:
 * the files are looked at.
 *
 * @throws RalphError where the turn cannot begin: `agent-missing`, `safe-refused`, `isolation-required`, `resolve-secret`; GitProblem
 */
export async function resolveConflict(order: ResolveOrder): Promise<ResolvedConflict> {
  const { file, hat, place, paths, landing, branch, conflicts } = order;
  const open = await place.openConflict(conflicts, `${paths.folder}/git`);
  const objective = buildMergeObjective({
    runId: paths.runId,
    task: file.settings.spec.objective,
    branch,
    onto: landing.onto,
    files: open.files,
    ontoCommits: open.targetCommits,
    branchCommits: open.sourceCommits,
  });
  const settings = toResolverSettings(withSecretsOf(file.settings, withoutToken(order.env), hat), hat, objective);
  const turn = await order.startTurn({ layout: order.layout, landed: paths.runId, settings, cwd: place.cwd, people: order.env });
  order.onBegun(turn.runId);
  const end = await untilEnd(turn, order.signal);
  const told = { hat, runId: turn.runId, others: [], costUsd: end.state.usage.costUsd };
  if (order.signal.aborted || end.reason === 'interrupted')
    return { commit: null, resolution: { ...told, outcome: 'stopped', why: ['the turn was stopped'] } };
  const failure = findFailure(end);
  if (failure !== null) return { commit: null, resolution: { ...told, outcome: 'failed', why: [failure] } };
  const settled = await open.settle();
  const why = [
    ...settled.faults,
    ...(await listProtected(file, place, settled.others)).map((path) => `it changed the protected file ${path}`),
  ];
  const commit = why.length === 0 ? settled.commit : null;
  return { commit, resolution: { ...told, others: settled.others, outcome: commit === null ? 'left' : 'resolved', why } };
}

/** What the gates of the run protect, and was changed though no conflict asked for it. */
async function listProtected({ settings }: RunFile, { prefix }: MergePlace, changed: readonly string[]): Promise<readonly string[]> {
  const globs = settings.spec.gates.filter(isRequiredGate).flatMap(({ protect }) => protect ?? []);
  if (globs.length === 0) return [];
  const { matches } = await createPathMatcher(globs);
  return changed.filter((path) => path.startsWith(prefix) && matches(path.slice(prefix.length)));
}

/** A turn that ended well ends its run by its word, or because there is no other; one that used up the cost ended all the same. */
function findFailure({ reason, detail, state }: FinishedRun): string | null {
  const hasEnded = state.counters.counted > 0 && state.consecutiveFailures === 0;
  if (hasEnded && ['completed', 'max_iterations', 'max_cost'].includes(reason)) return null;
  return detail === '' ? reason : detail;
}

async function untilEnd(turn: RunHandle, signal: AbortSignal): Promise<FinishedRun> {
  const stop = (): void => turn.stop('interrupt', 'ralph land');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return turn.outcome.finally(() => signal.removeEventListener('abort', stop));
}
