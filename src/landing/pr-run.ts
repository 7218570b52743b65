import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '../core/values/environment.ts';
import { RalphError, toErrorMessage } from '../core/values/errors.ts';
import { GitProblem } from '../git/git.ts';
import { type RunPaths, toRunPaths } from '../journal/run-folder.ts';
import { findLayout } from '../runs/find-layout.ts';
import type { Layout } from '../runs/layout.ts';
import { requireOutside } from '../runs/people.ts';
import { openRunReader } from '../runs/read-run.ts';
import { requireFate } from '../runs/run-fate.ts';
import { type RunFile, readRunFile, requireOwnWork } from '../runs/run-file.ts';
import { lockForLanding, lockRun, releaseLock } from '../runs/run-lock.ts';
import { settleKilledRun } from '../runs/settle-killed-run.ts';
import { toStateDirs } from '../safety/run-isolation.ts';
import { type BranchOffer, openOffer } from '../workspace/landing/offer-branch.ts';
import { commitLeft, toOfferInPlace } from './commit-left.ts';
import { type DraftWay, findDraftWay, openDraft, withoutLogins } from './pull-request.ts';

export interface PullRequestOrder {
  /** An id or the beginning of one; absent: the newest. */
  readonly run: string | undefined;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  /** Short name of a branch; null: the one that was checked out when the run began. */
  readonly base: string | null;
  readonly remote: string | null;
  /** Nothing is written, pushed or sent. */
  readonly isDry: boolean;
}

/** What was done, or would be. */
export interface PullRequestReport {
  readonly runId: string;
  readonly branch: string;
  readonly base: string;
  readonly commits: number;
  readonly remote: string | null;
  /** Where it is pushed to. */
  readonly pushUrl: string;
  readonly way: DraftWay['kind'];
  /** Why only files are written; empty otherwise. */
  readonly why: string;
  /** Of the draft; null: there is none. */
  readonly url: string | null;
  readonly isOld: boolean;
  readonly bodyFile: string | null;
  readonly patchFile: string | null;
}

/**
 * Offers the branch of a run to others: pushes it and opens a draft of a pull request; without a remote, or a way to GitHub, writes body and patch into files.
 *
 * @throws RalphError `pr-…`, `land-refused`, `land-undone`, `land-unknown`, `undo-unknown`, `run-in-progress`, `person-refused`, and what `openRunReader` throws
 */
export async function offerRun(cwd: string, order: PullRequestOrder, env: Environment): Promise<PullRequestReport> {
  const layout = findLayout(cwd);
  requireOutside(layout, env);
  const reader = openRunReader(cwd, order.run, env);
  const { runId } = reader;
  const paths = toRunPaths(layout.stateDir, runId);
  const file = readRunFile(paths.settings);
  requireOwnWork(paths, file);
  const { worktree } = file;
  if (worktree === null) throw toOfferInPlace({ runId, folder: file.workspace });
  const lockOrder = { layout, runId, worktree, command: 'ralph pr' };
  const folderLock = await lockForLanding(lockOrder);
  try {
    requireFate(paths, reader.turns(), 'offered');
    if (!order.isDry) await settleKilledRun(layout, runId, env, lockOrder.command);
    const runLock = await lockRun(lockOrder);
    try {
      if (!order.isDry) await commitLeft({ layout, paths, file, env }, 'offered');
      return await offer({ layout, paths, file, env, order, branch: `ralph/${worktree}` });
    } finally {
      releaseLock(runLock);
    }
  } finally {
    releaseLock(folderLock);
  }
}

interface OfferJob {
  readonly layout: Layout;
  readonly paths: RunPaths;
  readonly file: RunFile;
  readonly env: Environment;
  readonly order: PullRequestOrder;
  readonly branch: string;
}

async function offer(job: OfferJob): Promise<PullRequestReport> {
  const { layout, paths, file, env, order, branch } = job;
  const stateDirs = toStateDirs(file.settings);
  const base = order.base ?? file.base?.branch ?? null;
  const found = await tryTo(job, () =>
    openOffer({ cwd: layout.root, env, stateDirs, programs: file.gitPrograms, branch, base, remote: order.remote }),
  );
  if (found.commits === 0 && !order.isDry) throw toFailed(job, `${branch} has nothing that ${found.base} has not`);
  const way = await findDraftWay(found.top, [found.url, found.ownUrl], env);
  const report: PullRequestReport = {
    runId: paths.runId,
    branch,
    base: found.base,
    commits: found.commits,
    remote: found.remote,
    pushUrl: found.url,
    way: way.kind,
    why: way.kind === 'files' ? way.why : '',
    url: null,
    isOld: false,
    bodyFile: null,
    patchFile: null,
  };
  return order.isDry ? report : tryTo(job, () => perform(job, found, way, report));
}

async function perform(
  { paths, order, env, branch }: OfferJob,
  found: BranchOffer,
  way: DraftWay,
  report: PullRequestReport,
): Promise<PullRequestReport> {
  const bodyFile = join(paths.folder, 'pr', 'body.md');
  mkdirSync(dirname(bodyFile), { recursive: true, mode: 0o700 });
  writeFileSync(bodyFile, order.body);
  if (way.kind === 'files') {
    const patchFile = join(paths.folder, 'pr', 'changes.patch');
    await found.writePatch(patchFile);
    return { ...report, bodyFile, patchFile };
  }
  await found.push(selectLogins(env));
  try {
    const draft = await openDraft(way, { title: order.title, body: order.body, bodyFile, branch, base: found.base, cwd: found.top, env });
    return { ...report, ...draft, bodyFile };
  } catch (error) {
    throw new Error(`${toErrorMessage(error)} (${branch} is pushed; the text is in ${bodyFile})`);
  }
}

/** What a person's own helper may need for a push; git's other commands never get it. */
function selectLogins(env: Environment): Readonly<Record<string, string>> {
  const names = [
    'GH_TOKEN',
    'GITHUB_TOKEN',
    'GH_ENTERPRISE_TOKEN',
    'GITHUB_ENTERPRISE_TOKEN',
    'GIT_ASKPASS',
    'SSH_ASKPASS',
    'SSH_AUTH_SOCK',
  ];
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

async function tryTo<T>(job: OfferJob, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw toFailed(job, withoutLogins(toErrorMessage(error), job.env), error instanceof GitProblem ? error.fix : null);
  }
}

function toFailed({ paths }: Pick<OfferJob, 'paths'>, problem: string, fix: string | null = null): RalphError {
  const isRefused = fix !== null || /answered 40[13]/.test(problem);
  return new RalphError({
    code: 'pr-failed',
    what: `No pull request was opened for run ${paths.runId}: ${problem}.`,
    fix: isRefused
      ? `${fix ?? 'Set GH_TOKEN to a token that may open pull requests there.'}\nThen again: ralph pr ${paths.runId}`
      : `See what would be done: ralph pr ${paths.runId} --dry-run\nAnother branch or remote: --base BRANCH, --remote NAME`,
  });
}
