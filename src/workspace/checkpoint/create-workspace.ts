import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { RunStat } from '../../core/run/run-stat.ts';
import type { CommitLine, WorkState } from '../../core/run/work-state.ts';
import { toErrorMessage } from '../../core/values/errors.ts';
import { tryOr } from '../../core/values/result.ts';
import {
  ABSENT,
  type GitStatus,
  type ProgramFindings,
  type Repository,
  type RepositorySearch,
  type RepositorySettings,
} from '../../git/contract.ts';
import { toLook } from '../../git/file-names.ts';
import { GitProblem } from '../../git/git.ts';
import { findRepository, readHead } from '../../git/repository.ts';
import { readStatus } from '../../git/status.ts';
import type { WorktreePlace } from '../../git/worktree-place.ts';
import type { CheckpointResult, Workspace } from '../../ports/workspace.ts';
import { listUntouched } from '../snapshot/baseline.ts';
import type { Baseline } from '../snapshot/baseline-record.ts';
import { describeFolder, toFingerprint } from '../snapshot/fingerprint.ts';
import { diffRun, diffTurn, statRun, statTurn } from '../snapshot/run-diff.ts';
import { createSnapshotKeeper, type SnapshotKeeper, selectEntries } from '../snapshot/snapshots.ts';
import { createStatusReader } from '../snapshot/status-reader.ts';
import { dropSnapshots, listChangedFiles, type SnapshotMoment } from '../snapshot/tree-names.ts';
import { commitWorktree, makeCheckpoint } from './checkpoint.ts';

export interface WorkspaceSettings extends RepositorySettings {
  readonly runId: string;
  /** Absolute path of a folder of the run, for index files of ours. It is made when needed. */
  readonly scratchDir: string;
  /** From `captureBaseline` at the run's start; null: checkpoints are off. */
  readonly baseline: Baseline | null;
  /** A branch name; null: the current branch. */
  readonly checkpointBranch: string | null;
  /** The branch of the worktree that a run works in: where no other is named, checkpoints go to it alone. Absent: to whichever is the current one. */
  readonly ownBranch?: string | null;
  /** Default true. Without them `diff` knows nothing of this run, and a turn costs some milliseconds less. */
  readonly keepsSnapshots?: boolean;
  /** Whether a snapshot tells which files differ from the commit. Default false. */
  readonly keepsLooks?: boolean;
}

/** What the working tree was like at one moment. */
export interface Snapshot {
  /** See `Workspace`. */
  readonly fingerprint: string | null;
  /** Object id of the tree; null outside git, and where it could not be stored. */
  readonly tree: string | null;
  /** Absent where nobody asked for it, outside git, and where too many files differ. */
  readonly looks?: WorkLooks;
  /** Why nothing could be seen; absent where it could, and outside git. */
  readonly unseen?: string;
}

/** Which files of a working tree differ from its commit. */
export interface WorkLooks {
  readonly head: string | null;
  /** `null`: none. */
  readonly branch: string | null;
  /** By path from the top, those that a snapshot stores. One that is gone is among them. */
  readonly files: ReadonlyMap<string, { readonly look: string | null; readonly isNew: boolean }>;
}

/** The folder the agents work in, with what git can tell about it. Nothing here throws or rejects. */
export interface GitWorkspace extends Pick<Workspace, 'exists' | 'checkpoint'> {
  /** The fingerprint and the tree in one go, kept under the turn's name (`7.1`) for `diff`. */
  readonly snapshot: (turn: string, moment: SnapshotMoment) => Promise<Snapshot>;
  /** The same between the moments of turns, under no name. */
  readonly look: () => Promise<Snapshot>;
  /** Commits what a run left uncommitted in its worktree, on the worktree's branch. */
  readonly commitRest: (place: WorktreePlace, subject: string) => Promise<CheckpointResult>;
  /** What a turn changed, as a patch; null where that is not known. */
  readonly diff: (turn: string) => Promise<string | null>;
  /** The same file by file. */
  readonly stat: (turn: string) => Promise<RunStat | null>;
  /** What these turns changed, which are all of the run's, from before the first to after the last; null where that is not known. */
  readonly diffRun: (turns: readonly string[]) => Promise<string | null>;
  /** The same file by file. */
  readonly statRun: (turns: readonly string[]) => Promise<RunStat | null>;
  /** The files that these turns changed, sorted; null where that is not known. */
  readonly changedFiles: (turns: readonly string[]) => Promise<readonly string[] | null>;
  /** Where the repository stands, and the commits since one (an object id; `null`: all); null outside of git. */
  readonly state: (base: string | null) => Promise<WorkState | null>;
  /** Keys of git's configuration that name other programs than at the start of the run (see `RepositorySettings.programs`), each with what it says now; `null`: it is gone. */
  readonly findNewPrograms: () => Promise<ProgramFindings['now']>;
  /** Forgets the snapshots of this run; how many there were. */
  readonly dropSnapshots: () => Promise<number>;
  /** Waits for what is still being written. */
  readonly settle: () => Promise<void>;
}

/** A workspace. Git is looked for at the first use; a repository that appears later is not noticed. */
export function createWorkspace(settings: WorkspaceSettings): GitWorkspace {
  const inTurn = createQueue();
  let search: Promise<RepositorySearch> | undefined;
  let keeper: SnapshotKeeper | undefined;
  let read: (() => Promise<GitStatus>) | undefined;
  const find = (): Promise<RepositorySearch> => (search ??= findRepository(settings));

  async function look(name: { readonly turn: string; readonly moment: SnapshotMoment } | null): Promise<Snapshot> {
    const found = await find();
    if (!found.ok) return { fingerprint: await describeFolder(settings.cwd, settings.stateDirs), tree: null };
    const repository = found.value;
    read ??= createStatusReader(repository);
    const status = await read();
    const fingerprint = await toFingerprint(status, repository, settings.stateDirs);
    const looks = settings.keepsLooks === true ? toLooks(status, repository.top) : {};
    if (settings.keepsSnapshots === false) return { fingerprint, tree: null, ...looks };
    keeper ??= createSnapshotKeeper(repository, settings);
    const kept = name === null ? keeper.store(status, fingerprint) : keeper.keep(name.turn, name.moment, status, fingerprint);
    return { fingerprint, tree: await kept.catch(() => null), ...looks };
  }

  /** What the snapshots tell, once all of them are written. */
  async function ask<T>(question: (repository: Repository) => Promise<T | null>): Promise<T | null> {
    const found = await find();
    await keeper?.settle();
    return found.ok ? question(found.value).catch(() => null) : null;
  }

  const toUnseen = (error: unknown): Snapshot => ({ fingerprint: null, tree: null, unseen: toErrorMessage(error) });
  return {
    exists: () => tryOr(() => statSync(settings.cwd).isDirectory(), false),
    snapshot: (turn, moment) => inTurn(() => look({ turn, moment })).catch(toUnseen),
    look: () => inTurn(() => look(null)).catch(toUnseen),
    checkpoint: (iteration) =>
      inTurn(async () => checkpoint(settings, await find(), iteration)).catch((error: unknown) => toNote(toErrorMessage(error))),
    diff: (turn) => ask((repository) => diffTurn(repository, settings.runId, turn)),
    stat: (turn) => ask((repository) => statTurn(repository, settings.runId, turn)),
    diffRun: (turns) => ask((repository) => diffRun(repository, settings.runId, turns)),
    statRun: (turns) => ask((repository) => statRun(repository, settings.runId, turns)),
    changedFiles: (turns) => ask((repository) => listChangedFiles(repository, settings.runId, turns)),
    // In the folder itself what is the person's own is not committed either; in a worktree there are only copies of it.
    state: (base) => ask((repository) => readWorkState(repository, base, settings.ownBranch == null ? null : settings.baseline)),
    commitRest: (place, subject) =>
      inTurn(() => commitRest(settings, place, subject)).catch((error: unknown) => toNote(toErrorMessage(error))),
    async findNewPrograms() {
      const found = await find();
      return (found.ok && (await found.value.findPrograms?.())?.now) || {};
    },
    async dropSnapshots() {
      const found = await find();
      await keeper?.settle();
      return found.ok ? dropSnapshots(found.value, settings.runId).catch(() => 0) : 0;
    },
    settle: () => inTurn(async () => keeper?.settle()),
  };
}

async function checkpoint(settings: WorkspaceSettings, found: RepositorySearch, iteration: number): Promise<CheckpointResult> {
  const { baseline, runId, scratchDir, checkpointBranch: branch, ownBranch = null } = settings;
  if (!found.ok) return toNote(found.refused);
  if (baseline === null || baseline.noRepository !== '') return toNote(toBaselineNote(baseline));
  const subject = `ralph: checkpoint after iteration ${iteration}`;
  return makeCheckpoint({ repository: found.value, baseline, runId, subject, branch, ownBranch, scratchDir });
}

function toLooks(status: GitStatus, top: string): Pick<Snapshot, 'looks'> {
  const { head, branch } = status;
  try {
    const entries = selectEntries(status, top);
    const files = new Map<string, { readonly look: string | null; readonly isNew: boolean }>();
    for (const { path, kind, head: was } of entries) {
      // A file in conflict was there, and one that was taken out of the index has two entries.
      const isNew = kind !== 'unmerged' && was === ABSENT && files.get(path)?.isNew !== false;
      files.set(path, { look: toLook(join(top, path)), isNew });
    }
    return { looks: { head, branch, files } };
  } catch (error) {
    if (error instanceof GitProblem) return {};
    throw error;
  }
}

async function commitRest(settings: WorkspaceSettings, place: WorktreePlace, subject: string): Promise<CheckpointResult> {
  const { baseline, runId, scratchDir } = settings;
  // Looked for anew: an agent may have put another repository in the place of the one that was there.
  const found = await findRepository(settings);
  if (!found.ok) return toNote(found.refused);
  if (baseline === null || baseline.noRepository !== '') return toNote(toBaselineNote(baseline));
  return commitWorktree({ repository: found.value, baseline, runId, scratchDir, place, subject });
}

/** Runs tasks one after the other, in the order of the calls. */
function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let tail: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = tail.then(task);
    tail = result.catch(() => undefined);
    return result;
  };
}

function toNote(note: string): CheckpointResult {
  return { commit: null, leftOut: [], note };
}

function toBaselineNote(baseline: Baseline | null): string {
  if (baseline === null) return 'it is not known which files were there before the run';
  return `git could not be used when the run began: ${baseline.noRepository}`;
}

const MAX_PATHS = 50;
const MAX_COMMITS = 50;
const MAX_SUBJECT = 200;
const OBJECT_ID = /^[0-9a-f]{40,64}$/;

/**
 * Where a repository stands.
 *
 * @param base object id of the commit since which commits are listed; `null`: all of them
 * @param baseline of a run in a worktree: copies of what is the user's own count as committed; `null`: none
 * @throws GitProblem
 */
async function readWorkState(repository: Repository, base: string | null, baseline: Baseline | null): Promise<WorkState> {
  const [head, status] = await Promise.all([readHead(repository.git), readStatus(repository)]);
  const untouched = listUntouched(status, repository.top, baseline);
  const paths = [...new Set(status.entries.map(({ path }) => path))].filter((path) => !untouched.has(path));
  return {
    head: head.commit,
    branch: head.branch,
    uncommitted: { count: paths.length, first: paths.slice(0, MAX_PATHS) },
    commits: head.commit === null ? { count: 0, newest: [] } : await readCommits(repository, head.commit, base),
  };
}

async function readCommits({ git }: Repository, head: string, base: string | null): Promise<WorkState['commits']> {
  if (base !== null && !OBJECT_ID.test(base)) return null;
  const range = base === null ? [head] : [head, `^${base}`];
  const [count, log] = await Promise.all([
    git(['rev-list', '--count', ...range]),
    git(['log', '--no-show-signature', '--no-color', '-z', `--max-count=${MAX_COMMITS}`, '--format=%H %s', ...range]),
  ]);
  return count.ok && log.ok ? { count: Number(count.stdout), newest: log.stdout.split('\0').flatMap(toCommit) } : null;
}

function toCommit(line: string): readonly CommitLine[] {
  const end = line.indexOf(' ');
  return end < 0 ? [] : [{ commit: line.slice(0, end), subject: line.slice(end + 1).slice(0, MAX_SUBJECT) }];
}
