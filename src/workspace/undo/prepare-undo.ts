import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { showName } from '../../core/text/file-name.ts';
import type { Environment } from '../../core/values/environment.ts';
import { ABSENT, type Repository } from '../../git/contract.ts';
import { decodeNames, encodeNames } from '../../git/file-names.ts';
import { createGit, demandGit, GitProblem } from '../../git/git.ts';
import { readTree, toPathList, writeTree } from '../../git/trees.ts';
import { removeTree } from '../../process/remove-tree.ts';
import { readStanding } from '../snapshot/present-tree.ts';
import { readTrees, toSnapshotRef } from '../snapshot/tree-names.ts';
import { copyExact, readRawVersion, toUndoFolders, type UndoFolders, type UndoRecord, type UndoStep } from './undo-record.ts';

const NUMBER = /^[1-9]\d{0,14}$/;

/** A number that no undo of the run has had, whatever is still known of them: nothing that is kept is ever overwritten. */
export async function findUndoNumber(repository: Repository, runId: string, runFolder: string, last: number): Promise<number> {
  const folder = join(runFolder, 'undo');
  const refs = [...(await readTrees(repository, runId)).keys()].flatMap((name) => (name.startsWith('undo/') ? [name.slice(5)] : []));
  const taken = [...refs, ...(existsSync(folder) ? readdirSync(folder) : [])].filter((name) => NUMBER.test(name)).map(Number);
  return 1 + taken.reduce((highest, number) => Math.max(highest, number), last);
}

/** What is to be put together before anything is changed. */
interface UndoPlace {
  readonly repository: Repository;
  readonly env: Environment;
  readonly runId: string;
  readonly runFolder: string;
  readonly number: number;
  readonly paths: readonly string[];
}

export interface UndoMaterial extends UndoPlace {
  /** The tree that the paths shall be as, or the folder of an earlier undo with what each of them was. */
  readonly from: { readonly tree: string } | { readonly files: readonly UndoStep[]; readonly folder: string };
}

/**
 * Keeps every file as it is now, twice (as a copy, and under a ref of git's, `refs/ralph/<run>/undo/<number>`), and lays ready what it shall be. Changes nothing.
 *
 * @returns the files in raw bytes
 * @throws GitProblem, or the system error
 */
export async function prepareUndo(material: UndoMaterial): Promise<readonly UndoStep[]> {
  const { repository, paths, from } = material;
  const folders = makeFolders(material);
  const sample = 'tree' in from ? from.tree : (from.files.map(({ was }) => was).find((version) => version !== ABSENT) ?? '');
  const was = paths.map((path, place) => keep(repository.top, path, join(folders.before, String(place)), sample));
  await nameKept(material, was, folders.before);
  const laid = 'tree' in from ? await layTree(material, from.tree, folders.after) : layKept(material, from, folders.after);
  const will = laid.map((path) => (path === null ? ABSENT : readRawVersion(dirname(path), basename(path), sample)));
  return paths.map((path, place) => ({ path, was: was[place] ?? ABSENT, will: will[place] ?? ABSENT }));
}

/**
 * As {@link prepareUndo}, for an undo that was interrupted: what it kept and laid ready is taken over, but of the files that somebody changed meanwhile
 * what they are now is kept. What the interrupted one kept stays too.
 */
export async function prepareAgain(
  place: Omit<UndoPlace, 'paths'>,
  record: UndoRecord,
  changed: ReadonlySet<string>,
): Promise<readonly UndoStep[]> {
  const paths = record.files.map(({ path }) => path);
  const { top } = place.repository;
  const [old, folders] = [toUndoFolders(place.runFolder, record.number), makeFolders(place)];
  const files = record.files.map(({ path, was, will }, at) => {
    takeOver(old.after, folders.after, at, { path, version: will });
    if (changed.has(path)) return { path, was: keep(top, path, join(folders.before, String(at)), was === ABSENT ? will : was), will };
    takeOver(old.before, folders.before, at, { path, version: was });
    return { path, was, will };
  });
  const versions = files.map(({ was }) => was);
  await nameKept({ ...place, paths }, versions, folders.before);
  return files;
}

function takeOver(from: string, to: string, place: number, { path, version }: { readonly path: string; readonly version: string }): void {
  if (version === ABSENT) return;
  requireSame(from, String(place), version, path);
  copyExact(join(from, String(place)), join(to, String(place)));
}

function requireSame(folder: string, kept: string, version: string, path: string): void {
  if (readRawVersion(folder, kept, version) !== version) throw new GitProblem(`the kept copy of ${showName(path)} was changed`);
}

/** Throws the system error, also where they are there already. */
function makeFolders({ runFolder, number }: Pick<UndoPlace, 'runFolder' | 'number'>): UndoFolders {
  const folders = toUndoFolders(runFolder, number);
  const folder = dirname(folders.before);
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  for (const made of [folder, folders.before, folders.after]) mkdirSync(made, { mode: 0o700 });
  return folders;
}

/** Copies a file or a link with its mode; the version of the copy. */
function keep(top: string, path: string, to: string, sample: string): string {
  if (readStanding(top, path) !== 'file') return ABSENT;
  copyExact(join(top, path), to);
  const version = readRawVersion(dirname(to), basename(to), sample);
  if (!/^\d{6} /.test(version)) throw new GitProblem(`${showName(path)} cannot be read`);
  return version;
}

async function nameKept(
  { repository, env, runId, runFolder, number, paths }: UndoPlace,
  versions: readonly string[],
  folder: string,
): Promise<void> {
  const { git, gitDir } = repository;
  const here = createGit({ cwd: folder, env });
  const files = versions.flatMap((version, place) => (version.startsWith('100') ? [`${place}\n`] : []));
  await demandGit(here, ['hash-object', '-w', '--no-filters', '--stdin-paths'], { input: files.join(''), env: { GIT_DIR: gitDir } });
  for (const [place, version] of versions.entries()) {
    if (!version.startsWith('120000')) continue;
    const bytes = readlinkSync(join(folder, String(place)), 'buffer');
    await demandGit(git, ['hash-object', '-w', '--stdin'], { input: decodeNames(bytes) });
  }
  const index = { indexFile: join(runFolder, 'undo', 'kept.index') };
  const lines = versions.flatMap((version, place) => (version === ABSENT ? [] : [`${version}\t${paths[place]}\0`]));
  await readTree(git, index, null);
  await demandGit(git, ['update-index', '-z', '--index-info'], { ...index, input: lines.join('') });
  const tree = await writeTree(git, index);
  removeTree(index.indexFile);
  const ref = toSnapshotRef(runId, 'undo');
  if (ref !== undefined) await demandGit(git, ['update-ref', `${ref}/${number}`, tree, '']);
}

/** Lays the files of a tree ready as git would check them out; the path of each, or null for one that is not in it. */
async function layTree({ repository, runFolder, paths }: UndoMaterial, tree: string, folder: string): Promise<readonly (string | null)[]> {
  const { git } = repository;
  const index = { indexFile: join(runFolder, 'undo', 'target.index') };
  const checkout = `${folder}.tree`;
  await readTree(git, index, tree);
  const known = new Set((await demandGit(git, ['ls-files', '-z'], index)).split('\0'));
  const input = toPathList(paths.filter((path) => known.has(path)));
  await demandGit(git, ['checkout-index', `--prefix=${checkout}/`, '-z', '--stdin'], { ...index, input });
  removeTree(index.indexFile);
  const laid = paths.map((path, place) => {
    if (!known.has(path)) return null;
    const to = join(folder, String(place));
    renameSync(encodeNames(join(checkout, path)), to);
    return to;
  });
  removeTree(checkout);
  return laid;
}

/** Lays the files ready that an earlier undo took. */
function layKept(
  { paths }: UndoMaterial,
  from: { readonly files: readonly UndoStep[]; readonly folder: string },
  folder: string,
): readonly (string | null)[] {
  const places = new Map(from.files.map(({ path }, place) => [path, place]));
  return paths.map((path, place) => {
    const at = places.get(path);
    const was = at === undefined ? ABSENT : (from.files[at]?.was ?? ABSENT);
    if (was === ABSENT) return null;
    const kept = String(at);
    requireSame(from.folder, kept, was, path);
    copyExact(join(from.folder, kept), join(folder, String(place)));
    return join(folder, String(place));
  });
}
