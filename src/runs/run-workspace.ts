import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { maskControls } from '../core/text/mask-controls.ts';
import { startOf } from '../core/text/shorten.ts';
import type { Environment } from '../core/values/environment.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import { withoutKeys } from '../safety/known-secrets.ts';
import { toStateDirs } from '../safety/run-isolation.ts';
import { createWorkspace, type GitWorkspace } from '../workspace/checkpoint/create-workspace.ts';
import { removePlacesApart } from '../workspace/worktree/place-apart.ts';
import { type Layout, toStateName } from './layout.ts';
import type { WorktreeEnd } from './run-api.ts';
import { keepCommitFailure } from './run-fate.ts';
import type { RunFile } from './run-file.ts';

export interface RunWorkspaceOrder {
  readonly paths: Pick<RunPaths, 'folder' | 'runId'>;
  readonly file: RunFile;
  readonly env: Environment;
  /** On a fleet: it is told which files differ. A worker keeps nothing of its own. Absent: no fleet. */
  readonly onFleet?: 'run' | 'worker';
}

/** The workspace of a run, for the loop and for `ralph show --diff`. */
export function openRunWorkspace({ paths, file, env, onFleet }: RunWorkspaceOrder): GitWorkspace {
  const { checkpointBranch } = file.settings;
  return createWorkspace({
    cwd: file.workspace,
    env: withoutKeys(file.settings, env),
    stateDirs: toStateDirs(file.settings),
    runId: paths.runId,
    scratchDir: join(paths.folder, 'git'),
    baseline: file.baseline,
    programs: file.gitPrograms,
    checkpointBranch,
    keepsSnapshots: onFleet !== 'worker',
    keepsLooks: onFleet !== undefined,
    ownBranch: file.worktree === null ? null : `ralph/${file.worktree}`,
  });
}

/** The folder that a run works in; once its worktree is gone, the main checkout, which knows its snapshots as well. */
export function openRunFolder(
  { layout, paths, env }: Omit<RunWorkspaceOrder, 'file'> & { readonly layout: Layout },
  file: RunFile,
): GitWorkspace {
  const isGone = file.worktree !== null && !existsSync(file.workspace);
  return openRunWorkspace({ paths, file: isGone ? { ...file, workspace: layout.root } : file, env });
}

/** A run whose end in its worktree is to be made. */
export interface ClosedRun {
  readonly paths: Pick<RunPaths, 'folder'>;
  readonly file: Pick<RunFile, 'worktree' | 'settings' | 'resolves'>;
  readonly layout: Pick<Layout, 'worktreesDir'>;
}

/**
 * Commits what a run left uncommitted in its worktree; why that failed is kept in its folder until it is done. `null` where it works in none, or in that of
 * a landing, which commits itself. Never rejects.
 */
export async function closeWorktree(
  { paths, file, layout }: ClosedRun,
  workspace: Pick<GitWorkspace, 'commitRest'>,
): Promise<WorktreeEnd | null> {
  const { worktree, settings, resolves } = file;
  if (worktree === null || resolves !== undefined) return null;
  const place = { path: join(layout.worktreesDir, worktree), branch: `ralph/${worktree}` };
  const { commit, note, leftOut } = await workspace.commitRest(place, toCommitSubject(settings.spec.objective));
  const failure = note === NOTHING ? '' : note;
  keepCommitFailure(paths, failure);
  return { commit, note: failure, leftOut };
}

const NOTHING = 'nothing new to commit';
/** The longest part of a name that tells of the task. */
const MAX_SLUG = 40;

/** What a run's worktree is called where nobody named it: by its id and the first words of its task. */
export function toWorktreeName(runId: string, objective: string): string {
  const slug = toSlug(objective);
  return slug === '' ? runId : `${runId}-${slug}`;
}

/** Whether a worktree bears the name that {@link toWorktreeName} gives, whatever the task. */
export function isWorktreeOf(runId: string, name: string): boolean {
  return name === runId || name.startsWith(`${runId}-`);
}

/** `[a-z0-9-]`, cut between words where there is a place for it; empty for a task without a letter that a branch can bear everywhere. */
function toSlug(objective: string): string {
  const words = objective
    .slice(0, 400)
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  let slug = (words[0] ?? '').slice(0, MAX_SLUG);
  for (const word of words.slice(1)) {
    if (slug.length + 1 + word.length > MAX_SLUG) break;
    slug = `${slug}-${word}`;
  }
  return slug;
}

/** Git shows about so much of a first line. */
const MAX_SUBJECT = 72;

/** The first line of the message of the commit that ends a run in its worktree: once it has landed, it is part of the project's own history. */
export function toCommitSubject(objective: string): string {
  const lines = objective.slice(0, 4000).split('\n');
  const task = lines
    .map((line) =>
      maskControls(line)
        .replace(/^[\s#>*-]*(?:\[[ xX]\])?\s*/, '')
        .trim(),
    )
    .find((line) => line !== '');
  const subject = `ralph: ${task ?? 'the work of a run'}`;
  return subject.length <= MAX_SUBJECT ? subject : `${startOf(subject, MAX_SUBJECT - 1).trimEnd()}…`;
}

/** Removes the worktrees in which a killed landing of a run, or gates of a killed run, were at work. The caller holds its lock. Throws the system error. */
export function clearPlacesApart(
  layout: Layout,
  { runId, file, env }: { readonly runId: string; readonly file: RunFile; readonly env: Environment },
): Promise<void> {
  return removePlacesApart({
    cwd: layout.root,
    env,
    stateDirs: toStateDirs(file.settings),
    programs: file.gitPrograms,
    stateDir: toStateName(layout),
    runId,
    links: file.settings.worktreeLinks,
  });
}
