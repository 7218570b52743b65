import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import type { Repository } from '../../git/contract.ts';
import { encodeNames, isOddName } from '../../git/file-names.ts';
import { demandGit } from '../../git/git.ts';
import { readTree, toPathList, writeTree } from '../../git/trees.ts';
import { listParents, readStanding, removeEmptyFolders } from '../snapshot/present-tree.ts';

/** How git names what a file is: one that is plain, one that can be run, a link. */
export const FILE_MODES = ['100644', '100755', '120000'] as const;
export type FileMode = (typeof FILE_MODES)[number];

/** A file as it is to be, byte by byte; of a link the bytes are what it says. */
export interface FileState {
  readonly mode: FileMode;
  readonly bytes: Uint8Array;
}

/** What became of a file; `null`: it is gone. Paths are relative to the folder, with `/`. */
export type FileChanges = ReadonlyMap<string, FileState | null>;

/** Whether a path names a file below a folder, in one way only, and nothing of git's own. */
export function isWorkPath(path: string): boolean {
  if (path === '' || path.length > 4096 || path.includes('\0') || posix.isAbsolute(path) || posix.normalize(path) !== path) return false;
  return !path.endsWith('/') && path.split('/').every((part) => part !== '..' && part !== '.' && !/^\.git$/i.test(part));
}

/** What stands at a path, links not followed; `null` for no file. Throws the system error where it cannot be read. */
export function readFileState(top: string, path: string): FileState | null {
  if (readStanding(top, path) !== 'file') return null;
  const place = encodeNames(join(top, path));
  const stats = lstatSync(place);
  if (stats.isSymbolicLink()) return { mode: '120000', bytes: readlinkSync(place, 'buffer') };
  return { mode: (stats.mode & 0o100) === 0 ? '100644' : '100755', bytes: readFileSync(place) };
}

/** As large as a plain file is that stands at a path, links not followed; 0 for a link, and for no file. Throws the system error where it cannot be read. */
export function readStateSize(top: string, path: string): number {
  if (readStanding(top, path) !== 'file') return 0;
  const stats = lstatSync(encodeNames(join(top, path)));
  return stats.isFile() ? stats.size : 0;
}

/**
 * Writes changes into a folder of ours. Nothing is written through a link, and no folder is taken away that holds something.
 *
 * @throws the system error; Error where something stands in the way. A part may be written then
 */
export function writeChanges(top: string, changes: FileChanges): void {
  // First what goes: a folder may come in the place of a file.
  for (const path of changes.keys()) {
    if (!isWorkPath(path)) throw new Error(`that is no path of a file: ${JSON.stringify(path.slice(0, 200))}`);
    if (readStanding(top, path) === 'file') rmSync(encodeNames(join(top, path)));
  }
  removeEmptyFolders(
    { top, prefix: '' },
    [...changes.keys()].map((path) => ({ path })),
  );
  for (const [path, state] of changes) {
    if (state === null) continue;
    const standing = readStanding(top, path);
    if (standing !== 'nothing') throw new Error(`something stands where a file is to be: ${JSON.stringify(path)}`);
    const place = encodeNames(join(top, path));
    mkdirSync(encodeNames(dirname(join(top, path))), { recursive: true });
    if (state.mode === '120000') symlinkSync(Buffer.from(state.bytes), place);
    else {
      writeFileSync(place, state.bytes, { flag: 'wx', mode: state.mode === '100755' ? 0o777 : 0o666 });
    }
  }
}

/**
 * Writes files into a folder in which nobody changed them, each at once: at any moment there is the old one or the new one. Only the plain case is done: regular files that are new, or in the place of
 * regular ones, and through no link.
 *
 * @param isNew whether no such file is to be there
 * @param notes where it is noted what a process that is killed meanwhile leaves
 * @returns false where it is not the plain case; then nothing is written
 * @throws the system error, before the first one stands in its place where the disk is full
 */
export function replaceFiles(top: string, changes: FileChanges, isNew: (path: string) => boolean, notes?: DraftNotes): boolean {
  const plain = [...changes].flatMap(([path, state]) => {
    const isPlain = state !== null && state.mode !== '120000' && isWorkPath(path) && !isOddName(path);
    return isPlain && isReplaceable(top, path, isNew(path)) ? [{ path, ...state }] : [];
  });
  const isBelowAnother = [...changes.keys()].some((path) => listParents(path).some((folder) => changes.has(folder)));
  if (plain.length < changes.size || isBelowAnother) return false;
  const drafts: { readonly draft: string; readonly place: string }[] = [];
  notes?.note(plain.map(({ path }) => toDraftPath(path)));
  try {
    for (const { path, mode, bytes } of plain) {
      const place = join(top, path);
      const draft = join(top, toDraftPath(path));
      const rights = lstatSync(place, { throwIfNoEntry: false })?.mode;
      mkdirSync(dirname(place), { recursive: true });
      rmSync(draft, { force: true });
      drafts.push({ draft, place });
      writeFileSync(draft, bytes, { flag: 'wx', mode: mode === '100755' ? 0o777 : 0o666 });
      // Of one that was there all but the right to run it stays.
      if (rights !== undefined) chmodSync(draft, mode === '100755' ? rights | 0o111 : rights & 0o666);
    }
    for (const { draft, place } of drafts) renameSync(draft, place);
  } catch (error) {
    for (const { draft } of drafts) rmSync(draft, { force: true });
    throw error;
  }
  notes?.clear();
  return true;
}

/** The same each time: one that a crash left is replaced. */
function toDraftPath(path: string): string {
  return posix.join(posix.dirname(path), `.ralph-${createHash('sha256').update(path).digest('hex').slice(0, 16)}.tmp`);
}

/** Remembers which files are written before they take their places: whoever is killed meanwhile leaves them. Paths are relative to the working tree. */
export interface DraftNotes {
  /** Before the first of them is there. */
  readonly note: (drafts: readonly string[]) => void;
  /** None of them is there any more. */
  readonly clear: () => void;
}

function isReplaceable(top: string, path: string, isNew: boolean): boolean {
  const standing = readStanding(top, path);
  return isNew ? standing === 'nothing' : standing === 'file' && lstatSync(join(top, path)).isFile();
}

/**
 * Stores a tree in which these files are as they are said to be, byte by byte, and all others as in `base`, which is a tree or a commit; its object id.
 *
 * @param scratch absolute path of a folder of ours that is not there yet
 * @throws GitProblem, the system error
 */
export async function storeChanges({ git }: Pick<Repository, 'git'>, base: string, changes: FileChanges, scratch: string): Promise<string> {
  const index = { indexFile: join(scratch, 'index') };
  const written = [...changes].flatMap(([path, state]) => (state === null ? [] : [{ path, ...state }]));
  // What a process before this one left in it.
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  try {
    await readTree(git, index, base);
    for (const [number, { bytes }] of written.entries()) writeFileSync(join(scratch, String(number)), bytes);
    const input = written.map((_, number) => `${join(scratch, String(number))}\n`).join('');
    const stored = written.length === 0 ? '' : await demandGit(git, ['hash-object', '-w', '--no-filters', '--stdin-paths'], { input });
    const ids = stored.split('\n');
    await demandGit(git, ['update-index', '--force-remove', '-z', '--stdin'], { ...index, input: toPathList([...changes.keys()]) });
    const lines = written.map(({ path, mode }, number) => `${mode} ${ids[number] ?? ''}\t${path}`);
    await demandGit(git, ['update-index', '-z', '--index-info'], { ...index, input: toPathList(lines) });
    return await writeTree(git, index);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const STEPS = 'refs/ralph-fleet/steps';

/**
 * Stores trees, each as a change of the one before, byte by byte, in few processes of git however many they are.
 *
 * @param base the tree, or the commit, from which the first one begins
 * @param scratch absolute path of a folder of ours that is not there yet
 * @throws GitProblem, the system error
 */
export async function storeSteps(
  { git }: Pick<Repository, 'git'>,
  base: string,
  steps: readonly FileChanges[],
  scratch: string,
): Promise<void> {
  const written = steps.flatMap((changes) => [...changes.values()].filter((state) => state !== null));
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  try {
    for (const [number, { bytes }] of written.entries()) writeFileSync(join(scratch, String(number)), bytes);
    const input = written.map((_, number) => `${join(scratch, String(number))}\n`).join('');
    const stored = written.length === 0 ? '' : await demandGit(git, ['hash-object', '-w', '--no-filters', '--stdin-paths'], { input });
    const ids = stored.split('\n').values();
    const tree = (await demandGit(git, ['rev-parse', '--verify', `${base}^{tree}`])).trim();
    const commits = steps.map((changes, number) => toCommitCommands(number === 0 ? tree : null, changes, () => ids.next().value ?? ''));
    await demandGit(git, ['fast-import', '--quiet', '--force', '--done'], { input: `${commits.join('')}done\n` });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    await git(['update-ref', '-d', STEPS]);
  }
}

/** In the words of `git fast-import`: commits hold the trees for a while. */
function toCommitCommands(tree: string | null, changes: FileChanges, takeId: () => string): string {
  const lines = [...changes].map(([path, state]) => ({ path: toQuoted(path), line: state === null ? '' : `M ${state.mode} ${takeId()}` }));
  return [
    `commit ${STEPS}\ncommitter Ralph <> 0 +0000\ndata 0\n`,
    ...(tree === null ? [] : [`M 040000 ${tree} ""\n`]),
    // First what goes: a folder may come in the place of a file.
    ...lines.map(({ path }) => `D ${path}\n`),
    ...lines.flatMap(({ path, line }) => (line === '' ? [] : [`${line} ${path}\n`])),
    '\n',
  ].join('');
}

function toQuoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
