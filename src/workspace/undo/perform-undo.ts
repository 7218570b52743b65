import { chmodSync, copyFileSync, lstatSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { showName } from '../../core/text/file-name.ts';
import { toErrorCode } from '../../core/values/errors.ts';
import { ABSENT, type Repository } from '../../git/contract.ts';
import { encodeNames } from '../../git/file-names.ts';
import { demandGit, GitProblem } from '../../git/git.ts';
import { listIndex, whileUnlocked } from '../../git/trees.ts';
import { readStanding, removeEmptyFolders, removeFolders } from '../snapshot/present-tree.ts';
import { copyExact, readRawVersion, toUndoFolders, type UndoRecord, type UndoStep } from './undo-record.ts';

export interface UndoProgress {
  readonly done: readonly string[];
  readonly open: readonly string[];
  /** Neither as it was nor as it will be: somebody changed it meanwhile. One that is gone is open: a copy is kept. */
  readonly foreign: readonly string[];
}

/** Looks at the files of an undo. Changes nothing. */
export function readUndoProgress({ top }: Repository, { files }: UndoRecord): UndoProgress {
  const looked = files.map((step) => ({ path: step.path, state: readState(top, step) }));
  const select = (state: string): readonly string[] => looked.filter((file) => file.state === state).map(({ path }) => path);
  return { done: select('done'), open: select('open'), foreign: select('foreign') };
}

function readState(top: string, { path, was, will }: UndoStep): 'done' | 'open' | 'foreign' {
  const now = readRawVersion(top, path, was === ABSENT ? will : was);
  if (now === will) return 'done';
  return now === was || now === ABSENT ? 'open' : 'foreign';
}

/**
 * Does what an undo has not done yet: each file only if it still is what it was. May be called again after a kill.
 *
 * @throws GitProblem for a file that somebody changed meanwhile, or the system error
 */
export async function performUndo(repository: Repository, record: UndoRecord, runFolder: string): Promise<void> {
  const { top } = repository;
  const { after } = toUndoFolders(runFolder, record.number);
  const steps = record.files.map((step, place) => ({ ...step, source: join(after, String(place)) }));
  const [gone, come] = [steps.filter(({ will }) => will === ABSENT), steps.filter(({ will }) => will !== ABSENT)];
  for (const step of gone) if (isOpen(top, step)) unlinkSync(encodeNames(join(top, step.path)));
  for (const step of come) if (isOpen(top, step)) put(top, step, join(dirname(after), 'draft'), record.kind === 'undo');
  removeEmptyFolders(repository, gone);
  await changeEntries(repository, record.index);
}

function isOpen(top: string, step: UndoStep): boolean {
  const state = readState(top, step);
  if (state === 'foreign') throw new GitProblem(`${showName(step.path)} was changed meanwhile`);
  return state === 'open';
}

function put(top: string, { path, source }: UndoStep & { readonly source: string }, draft: string, keepsMode: boolean): void {
  if (readStanding(top, path) === 'behind') throw new GitProblem(`something stands where the folder of ${showName(path)} would be`);
  const target = encodeNames(join(top, path));
  rmSync(draft, { force: true });
  copyExact(source, draft);
  const stats = lstatSync(target, { throwIfNoEntry: false });
  // Git knows of a mode only whether a file can be run: who may read it stays as it is.
  if (keepsMode && stats?.isFile() && lstatSync(draft).isFile()) chmodSync(draft, toMode(stats.mode & 0o777, lstatSync(draft).mode));
  if (stats?.isDirectory()) removeFolders(join(top, path));
  mkdirSync(encodeNames(dirname(join(top, path))), { recursive: true });
  move(draft, target);
}

function toMode(own: number, git: number): number {
  return (git & 0o100) === 0 ? own & ~0o111 : own | ((own & 0o444) >> 2);
}

function move(draft: string, target: string | Buffer): void {
  try {
    renameSync(draft, target);
  } catch (error) {
    if (toErrorCode(error) !== 'EXDEV') throw error;
    // The state folder is on another disk.
    if (lstatSync(draft).isSymbolicLink()) {
      rmSync(target, { force: true });
      symlinkSync(readlinkSync(draft, 'buffer'), target);
    } else {
      copyFileSync(draft, target);
      chmodSync(target, lstatSync(draft).mode & 0o777);
    }
    rmSync(draft, { force: true });
  }
}

const NO_ENTRY = `0 ${'0'.repeat(40)}`;

/** Changes those entries of the person's index that still are what they were. */
async function changeEntries({ git }: Repository, steps: readonly UndoStep[]): Promise<void> {
  if (steps.length === 0) return;
  const listed = (await listIndex(git)).map(({ path, stage, mode, id }) => [path, stage === '0' ? `${mode} ${id}` : 'unmerged'] as const);
  const entries = new Map(listed);
  const open = steps.filter(({ path, was }) => (entries.get(path) ?? ABSENT) === was);
  const lines = open.toSorted(removalsFirst).map(({ path, will }) => `${will === ABSENT ? NO_ENTRY : will}\t${path}\0`);
  if (lines.length > 0) await whileUnlocked(() => demandGit(git, ['update-index', '-z', '--index-info'], { input: lines.join('') }));
}

function removalsFirst(left: UndoStep, right: UndoStep): number {
  return Number(right.will === ABSENT) - Number(left.will === ABSENT);
}
