import { join } from 'node:path';
import { ABSENT, type Repository, type RepositorySettings } from '../../git/contract.ts';
import { GitProblem } from '../../git/git.ts';
import { findOngoingOperation } from '../../git/git-activity.ts';
import { countCommits, isAncestor } from '../../git/refs.ts';
import { findRepository } from '../../git/repository.ts';
import type { Baseline } from '../snapshot/baseline-record.ts';
import { performUndo, readUndoProgress } from './perform-undo.ts';
import { findHindrances, planUndo, type UndoPlan, type UndoRemark } from './plan-undo.ts';
import { findUndoNumber, prepareAgain, prepareUndo } from './prepare-undo.ts';
import { readRawVersion, toUndoFolders, type UndoRecord, type UndoStep } from './undo-record.ts';

/** Whose work is undone, and where. */
export interface UndoSettings extends RepositorySettings {
  readonly runId: string;
  /** Absolute path of the run's own folder. */
  readonly runFolder: string;
  readonly turns: readonly string[];
  readonly baseline: Baseline | null;
  /** The last undo of this run; null: none. */
  readonly record: UndoRecord | null;
  /** The iteration behind which the files shall be, 0: before the first; null: take back the last undo, and without one go before the first. */
  readonly toTurn: number | null;
  /** The commit that the run began at; null: there was none, or nobody knows. */
  readonly baseCommit: string | null;
  /** The commit that the run ended at; null: nobody knows. */
  readonly endCommit: string | null;
}

/** `finish`: an undo was killed over its work. */
export type UndoAction = 'undo' | 'redo' | 'finish';

export interface UndoProposal extends Omit<UndoPlan, 'tree'> {
  readonly action: UndoAction;
  readonly toTurn: number;
  /** Commits since the run began, on what is checked out; they stay. Null: it is not known. */
  readonly commits: number | null;
  /** The commit that the run ended at, if what is checked out has it. Null: it is not known. */
  readonly endCommit: string | null;
  /** Those of the commits that were made after that. Null: it is not known. */
  readonly laterCommits: number | null;
  readonly branch: string | null;
  /** Does it. `save` is given what is being done before anything is changed, and again when it is done. */
  readonly perform: (save: (record: UndoRecord) => void, now: number) => Promise<void>;
}

/**
 * What the next undo of a run would do. Changes nothing.
 *
 * @throws GitProblem with a reason for which it cannot be told
 */
export async function proposeUndo(settings: UndoSettings): Promise<UndoProposal> {
  const search = await findRepository(settings);
  if (!search.ok) throw new GitProblem(search.refused);
  const repository = search.value;
  const operation = findOngoingOperation(repository.gitDir);
  if (operation !== undefined) throw new GitProblem(`${operation} is under way there; end it first`);
  const head = await readHead(repository, settings);
  const { record, toTurn } = settings;
  if (record?.state === 'doing') return { ...head, ...proposeFinish(settings, repository, record) };
  const isUndone = record?.kind === 'undo' && record.lastTurn === settings.turns.at(-1);
  if (isUndone && toTurn !== null) throw new GitProblem('it is undone already; bring its work back first: ralph undo --yes');
  return { ...head, ...(isUndone ? proposeRedo(settings, repository, record) : await propose(settings, repository)) };
}

type History = Pick<UndoProposal, 'commits' | 'endCommit' | 'laterCommits' | 'branch'>;
type Proposed = Omit<UndoProposal, keyof History>;

async function readHead({ git }: Repository, { baseCommit: base, endCommit: end }: UndoSettings): Promise<History> {
  const branch = await git(['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const count = (from: string): Promise<number | null> => countCommits(git, from, 'HEAD').catch(() => null);
  const commits = base !== null && (await isAncestor(git, base, 'HEAD')) ? await count(base) : null;
  const isKnown = base !== null && end !== null && (await isAncestor(git, base, end)) && (await isAncestor(git, end, 'HEAD'));
  return {
    branch: branch.ok ? branch.stdout.trim() : null,
    commits,
    endCommit: isKnown ? end : null,
    laterCommits: isKnown ? await count(end) : null,
  };
}

async function propose(settings: UndoSettings, repository: Repository): Promise<Proposed> {
  const { runId, turns, baseline, runFolder } = settings;
  const toTurn = settings.toTurn ?? 0;
  const plan = await planUndo({ repository, runId, turns, toTurn, baseline, scratchDir: join(runFolder, 'undo') });
  if (plan === null) throw new GitProblem('the snapshots that it takes were not kept');
  const { tree, ...rest } = plan;
  const perform = toPerform(settings, repository, { kind: 'undo', toTurn, index: plan.index, files: plan.files, from: { tree } });
  return { ...rest, action: 'undo', toTurn, perform };
}

const NOTHING = { changedSince: [], hindrances: [], leftAlone: [], changedBetween: [], turns: [], lostTurns: [] } as const;

function proposeRedo(settings: UndoSettings, repository: Repository, record: UndoRecord): Proposed {
  const steps = record.files.map((step) => ({ ...step, now: readRawVersion(repository.top, step.path, toSample(step)) }));
  const open = steps.filter(({ now, was }) => now !== was);
  const files = open.map(({ path, now, was }) => ({ path, was: now, will: was }));
  const index = record.index.map(({ path, was, will }) => ({ path, was: will, will: was }));
  const changedSince = open.filter(({ now, will }) => now !== will).map(({ path }) => ({ path, why: 'it was changed after the undo' }));
  const from = { files: record.files, folder: toUndoFolders(settings.runFolder, record.number).before };
  const { toTurn } = record;
  const perform = toPerform(settings, repository, { kind: 'redo', toTurn, index, files, from });
  return { ...NOTHING, action: 'redo', toTurn, files, index, changedSince, hindrances: findHindrances(repository.top, files), perform };
}

function toSample({ was, will }: UndoStep): string {
  return was === ABSENT ? will : was;
}

/** Goes on with what was begun. What somebody changed meanwhile is kept first, under a number of its own, so that nothing that was kept is lost. */
function proposeFinish(settings: UndoSettings, repository: Repository, record: UndoRecord): Proposed {
  const { open, foreign } = readUndoProgress(repository, record);
  const files = record.files.filter(({ path }) => open.includes(path) || foreign.includes(path));
  const changedSince: readonly UndoRemark[] = foreign.map((path) => ({ path, why: 'it was changed since the undo was interrupted' }));
  return {
    ...NOTHING,
    action: 'finish',
    toTurn: record.toTurn,
    files,
    index: record.index,
    changedSince,
    hindrances: findHindrances(repository.top, files),
    async perform(save) {
      const whole = foreign.length === 0 ? record : await keepForeign(settings, repository, record, foreign);
      if (whole !== record) save(whole);
      await performUndo(repository, whole, settings.runFolder);
      save({ ...whole, state: 'done' });
    },
  };
}

async function keepForeign(
  { env, runId, runFolder }: UndoSettings,
  repository: Repository,
  record: UndoRecord,
  foreign: readonly string[],
): Promise<UndoRecord> {
  const number = await findUndoNumber(repository, runId, runFolder, record.number);
  return { ...record, number, files: await prepareAgain({ repository, env, runId, runFolder, number }, record, new Set(foreign)) };
}

interface UndoJob extends Pick<UndoRecord, 'kind' | 'toTurn' | 'index' | 'files'> {
  readonly from: Parameters<typeof prepareUndo>[0]['from'];
}

function toPerform(
  { env, runId, runFolder, record: last, turns }: UndoSettings,
  repository: Repository,
  job: UndoJob,
): UndoProposal['perform'] {
  return async (save, now) => {
    const number = await findUndoNumber(repository, runId, runFolder, last?.number ?? 0);
    const paths = job.files.map(({ path }) => path);
    const files = await prepareUndo({ repository, env, runId, runFolder, number, paths, from: job.from });
    const { kind, toTurn, index } = job;
    const lastTurn = turns.at(-1) ?? '';
    const record: UndoRecord = { version: 1, number, kind, state: 'doing', at: now, toTurn, lastTurn, files, index };
    save(record);
    await performUndo(repository, record, runFolder);
    save({ ...record, state: 'done' });
  };
}
