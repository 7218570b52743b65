import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ABSENT, type Git, type Repository } from '../../git/contract.ts';
import { encodeNames } from '../../git/file-names.ts';
import { demandGit, GitProblem } from '../../git/git.ts';
import { findOngoingOperation } from '../../git/git-activity.ts';
import { demandPlainBranch, isAncestor, toRef } from '../../git/refs.ts';
import { readHead } from '../../git/repository.ts';
import { commitTree, isSubmodule, listDifferences, listIndex, readTree, toPathList, whileUnlocked } from '../../git/trees.ts';
import { readStanding, storePresent } from '../snapshot/present-tree.ts';

export interface SentWork {
  /** A commit, or a tree: what git tracks, and what it does not know. */
  readonly commit: string;
  /** What was checked out. */
  readonly head: string;
  /** The branch; `null`: none. */
  readonly branch: string | null;
}

export interface PackOrder {
  readonly runId: string;
  /** The tree of the work. */
  readonly tree: string;
  readonly head: string;
  /** The other side has this commit, and all before it; `null`: it has nothing. */
  readonly known: string | null;
  /** Absolute path for a while, in a folder of ours. */
  readonly file: string;
}

const OUT = 'refs/ralph-fleet/out';
const OBJECT_ID = /^[0-9a-f]{40,64}$/;
const PACK_MS = 5 * 60_000;

/**
 * Packs a working tree with the commits that lead to it.
 *
 * @throws GitProblem, the system error
 */
export async function packWork({ git }: Repository, order: PackOrder): Promise<{ readonly commit: string; readonly bundle: Uint8Array }> {
  const { runId, tree, head, known, file } = order;
  const commit = await commitTree(git, { tree, parent: head, subject: 'The working tree of a turn', runId });
  const bundle = await createBundle(git, { commit, known, file, maxBytes: Number.POSITIVE_INFINITY });
  if (typeof bundle === 'string') throw new GitProblem(bundle);
  return { commit, bundle };
}

/**
 * A bundle of a commit, with all that leads to it from one that the other side knows.
 *
 * @throws GitProblem, the system error
 */
async function createBundle(
  git: Git,
  { commit, known, file, maxBytes }: Pick<PackOrder, 'known' | 'file'> & { readonly commit: string; readonly maxBytes: number },
): Promise<Uint8Array | string> {
  mkdirSync(dirname(file), { recursive: true });
  await demandGit(git, ['update-ref', OUT, commit]);
  try {
    await demandGit(git, ['bundle', 'create', '-q', file, OUT, ...(known === null ? [] : [`^${known}`])], { timeoutMs: PACK_MS });
    const { size } = statSync(file);
    return size > maxBytes ? `they are ${size >> 20} MB` : readFileSync(file);
  } finally {
    await git(['update-ref', '-d', OUT]);
    rmSync(file, { force: true });
  }
}

/**
 * Takes a bundle in under a name of the run, so that git's own clean-up leaves it. Each object is checked.
 *
 * @param commit what it must bring
 * @throws GitProblem where it brings anything else; the system error
 */
export async function fetchBundle(
  { git }: Pick<Repository, 'git'>,
  { bundle, file, ref, commit }: { readonly bundle: Uint8Array; readonly file: string; readonly ref: string; readonly commit: string },
): Promise<void> {
  requireId(commit);
  mkdirSync(dirname(file), { recursive: true });
  try {
    writeFileSync(file, bundle);
    const settings = { config: ['fetch.fsckObjects=true', 'fetch.writeCommitGraph=false'], timeoutMs: PACK_MS };
    await demandGit(
      git,
      [
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-write-fetch-head',
        '--no-auto-maintenance',
        '--no-recurse-submodules',
        file,
        `+${OUT}:${ref}`,
      ],
      settings,
    );
  } finally {
    rmSync(file, { force: true });
  }
  const found = (await demandGit(git, ['rev-parse', '--verify', `${ref}^{commit}`])).trim();
  if (found !== commit) throw new GitProblem('the bundle holds another commit than was said');
}

/** Whether a text is the name of an object. */
export function isObjectId(id: string): boolean {
  return OBJECT_ID.test(id);
}

function requireId(id: string): void {
  if (!isObjectId(id)) throw new GitProblem('that is no name of a commit');
}

/**
 * Makes a folder show a working tree: the branch and its commit are checked out, the rest is not committed, as it was where it comes from. What git ignores there stays.
 *
 * @throws GitProblem
 */
export async function checkOutWork({ git }: Pick<Repository, 'git'>, { commit, head, branch }: SentWork): Promise<void> {
  for (const id of [commit, head]) requireId(id);
  if (branch === null) await demandGit(git, ['update-ref', '--no-deref', 'HEAD', head]);
  else {
    await demandGit(git, ['check-ref-format', '--branch', branch]);
    await demandGit(git, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
    await demandGit(git, ['update-ref', `refs/heads/${branch}`, head]);
  }
  await demandGit(git, ['read-tree', '--reset', '-u', commit], { timeoutMs: PACK_MS });
  await demandGit(git, ['clean', '-ffdq', '--exclude=.ralph']);
  await demandGit(git, ['read-tree', head]);
  await git(['update-index', '-q', '--refresh']);
}

/** What a turn changed, and where it is to be written. */
interface WriteWorkOrder {
  /** Trees or commits. */
  readonly before: string;
  readonly after: string;
  /** A folder of ours that is as `before`. */
  readonly to: string;
  /** Absolute path of an index of ours. */
  readonly indexFile: string;
}

/**
 * Writes the difference of two trees into a folder. Nothing of Ralph's own is touched, no repository within, and nothing behind a link.
 *
 * @throws GitProblem, the system error
 */
async function writeWork({ git, isOwnState }: Repository, { before, after, to, indexFile }: WriteWorkOrder): Promise<void> {
  for (const id of [before, after]) requireId(id);
  const changes = (await listDifferences(git, before, after)).filter(
    ({ path, left, right }) => !isOwnState(path) && !isSubmodule(left) && !isSubmodule(right),
  );
  // First what goes: a folder may come in the place of a file.
  for (const { path } of changes) if (readStanding(to, path) === 'file') rmSync(join(to, path));
  const written = changes.filter(({ right }) => right !== ABSENT).map(({ path }) => path);
  if (written.length === 0) return;
  mkdirSync(dirname(indexFile), { recursive: true });
  try {
    await readTree(git, { indexFile }, after);
    await demandGit(git, ['checkout-index', '--force', `--prefix=${to}/`, '-z', '--stdin'], { indexFile, input: toPathList(written) });
  } finally {
    rmSync(indexFile, { force: true });
  }
}

/** What a run changed elsewhere, and is to be written into its folder. */
export interface BringOrder {
  /** Commits or trees: what the folder was like when the run left it, and what it is to be like. */
  readonly before: string;
  readonly after: string;
  /** Absolute path of an index of ours. */
  readonly indexFile: string;
  /** Somebody began to write the same and was cut off: a file that is missing may be one that was being written. */
  readonly isCutOff?: boolean;
  /** Commits in between: a file that is as in one of them is the run's own. */
  readonly between?: readonly string[];
}

/**
 * Writes the difference of two trees into the repository's own folder, unless a file was changed there as well, or something else stands in its place.
 *
 * @param onWrite called right before the first file is written
 * @returns the files that were; then nothing has been written
 * @throws GitProblem, the system error
 */
export async function bringWork(
  repository: Repository,
  { before, after, indexFile, isCutOff = false, between = [] }: BringOrder,
  onWrite: () => void = () => undefined,
): Promise<readonly string[]> {
  const { git, top } = repository;
  for (const id of [before, after]) requireId(id);
  const wanted = await listDifferences(git, before, after);
  const paths = wanted.map(({ path }) => path);
  const present = await storePresent(repository, before, paths, { indexFile });
  // One that is already as it is to be was brought before.
  const missing = new Set((await listDifferences(git, present, after)).map(({ path }) => path));
  const touched = (await listDifferences(git, before, present)).filter(
    ({ path, right }) => missing.has(path) && !(isCutOff && right === ABSENT && readStanding(top, path) === 'nothing'),
  );
  const own = new Set(touched.map(({ path }) => path));
  for (const commit of own.size === 0 ? [] : between) {
    requireId(commit);
    const differing = new Set((await listDifferences(git, present, commit)).map(({ path }) => path));
    for (const path of [...own]) if (!differing.has(path)) own.delete(path);
  }
  // A folder in the place of a file may hold anything; git would take it away.
  for (const { path, right } of wanted) if (right !== ABSENT && isInTheWay(top, path, paths)) own.add(path);
  if (own.size > 0) return [...own].sort();
  onWrite();
  await writeWork(repository, { before: present, after, to: top, indexFile });
  return [];
}

/** Whether something stands in the place of a file that does not go with the same change. */
function isInTheWay(top: string, path: string, changed: readonly string[]): boolean {
  const standing = readStanding(top, path);
  if (standing === 'special' || standing === 'behind') return !changed.some((other) => path.startsWith(`${other}/`));
  if (standing !== 'folder') return false;
  const going = new Set(changed);
  return readdirSync(join(top, path), { withFileTypes: true, recursive: true }).some(
    (item) => !item.isDirectory() && !going.has(relative(top, join(item.parentPath ?? item.path, item.name))),
  );
}

export interface MadeCommits {
  /** The commit on which they build, and the last of them. */
  readonly from: string;
  readonly commit: string;
  /** The branch on which they are; `null`: none. */
  readonly branch: string | null;
}

/**
 * Packs the commits between two.
 *
 * @param place `file`: absolute path for a while, in a folder of ours
 * @returns why that cannot be, as half a sentence: the later one does not build on the earlier one, or they are larger than `maxBytes`
 * @throws GitProblem, the system error
 */
export async function packCommits(
  { git }: Pick<Repository, 'git'>,
  { from, commit }: MadeCommits,
  { file, maxBytes }: { readonly file: string; readonly maxBytes: number },
): Promise<Uint8Array | string> {
  if (!(await isAncestor(git, from, commit))) return 'its agent went back behind the commit that it was given';
  return createBundle(git, { commit, known: from, file, maxBytes });
}

/** Commits that are to come into a repository. */
export interface CommitsOrder {
  readonly made: MadeCommits;
  /** `null`: they are in the repository already. */
  readonly bundle: Uint8Array | null;
  /** Absolute path for a while, in a folder of ours. */
  readonly file: string;
  /** Whether a file may come. */
  readonly isTaken: (path: string) => boolean;
  /** What the log of the branch says of it. */
  readonly reason: string;
}

/**
 * Moves the branch that is checked out on to commits whose files are in the working tree already. What somebody has staged of files that they touch goes with it, as with a commit that is made here; all else that is staged stays so. Nothing is done where HEAD is not what it was for whoever
 * made them.
 *
 * @returns why they did not come, as half a sentence; `null`: they did, or had before
 */
export async function bringCommits(repository: Repository, order: CommitsOrder): Promise<string | null> {
  const { from, commit, branch } = order.made;
  const { git, gitDir } = repository;
  const ref = `refs/ralph-fleet/commits-${commit}`;
  try {
    if (![from, commit].every(isObjectId)) return 'what the worker said of them is no commit';
    const head = await readHead(git);
    if (head.branch === branch && head.commit === commit) return null;
    const moved = findMove(head, order.made);
    if (moved !== null) return moved;
    const operation = findOngoingOperation(gitDir);
    if (operation !== undefined) return `${operation} is under way`;
    if (branch !== null) await demandPlainBranch(repository, branch);
    if (order.bundle !== null) await fetchBundle(repository, { bundle: order.bundle, file: order.file, commit, ref });
    if (!(await isAncestor(git, from, commit))) return 'they do not build on the commit that was sent';
    const kept = (await listTouchedBy(git, from, commit)).find((path) => !order.isTaken(path));
    if (kept !== undefined) return `${JSON.stringify(kept)} does not travel`;
    return await moveOn(repository, order);
  } catch (error) {
    if (error instanceof GitProblem) return error.message;
    throw error;
  } finally {
    // What does not come is not to stay where others see it.
    if (isObjectId(commit)) await git(['update-ref', '-d', ref]);
  }
}

/** Why commits cannot come any more; `null`: HEAD is what it was. */
function findMove(head: Awaited<ReturnType<typeof readHead>>, { from, branch }: MadeCommits): string | null {
  if (head.branch !== branch) return 'another branch is checked out by now';
  return head.commit === from ? null : 'somebody has committed meanwhile';
}

/** What any commit in between touches: what one adds and the next one removes is in them. */
async function listTouchedBy(git: Git, from: string, commit: string): Promise<readonly string[]> {
  const format = ['-z', '-m', '--format=', '--name-only', '--no-renames', '--no-show-signature'];
  const names = (await demandGit(git, ['log', ...format, `${from}..${commit}`])).split('\0');
  return names.map((name) => name.replace(/^\n/, '')).filter((name) => name !== '');
}

async function moveOn({ git, top }: Repository, { made, reason }: CommitsOrder): Promise<string | null> {
  const { from, commit, branch } = made;
  const changed = await listDifferences(git, from, commit);
  if (changed.some(({ left, right }) => isSubmodule(left) || isSubmodule(right))) return 'they change a submodule';
  const link = changed.find(({ path, right }) => right.startsWith(LINK) && !isLink(top, path));
  if (link !== undefined) return `the link ${JSON.stringify(link.path)} does not travel`;
  const before = await listIndexLines(
    git,
    changed.map(({ path }) => path),
  );
  // It may have become another one while they were fetched.
  const moved = findMove(await readHead(git), made);
  if (moved !== null) return moved;
  // What goes comes first: a folder may come in the place of a file.
  const going = changed.filter(({ right }) => right === ABSENT).map(({ path }) => toGone(path, from));
  const coming = changed.filter(({ right }) => right !== ABSENT).map(({ path, right }) => `${right}\t${path}`);
  const change = (lines: readonly string[]): Promise<void> =>
    whileUnlocked(() => demandGit(git, ['update-index', '-z', '--index-info'], { input: toPathList(lines) }));
  // The index first, as for a checkpoint: the other way round the files would show as staged for being undone.
  await change([...going, ...coming]);
  const ref = ['--no-deref', '-m', reason, branch === null ? 'HEAD' : toRef(branch)];
  const updated = await git(['update-ref', ...ref, commit, from]);
  if (!updated.ok) {
    await change([...changed.map(({ path }) => toGone(path, from)), ...before]);
    return 'somebody has committed meanwhile';
  }
  // Without it each look at the files would read them anew.
  await git(['update-index', '-q', '--refresh']);
  return null;
}

const LINK = '120000 ';

function isLink(top: string, path: string): boolean {
  return lstatSync(encodeNames(join(top, path)), { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** A line of `update-index --index-info` for a file that is not there. */
function toGone(path: string, id: string): string {
  return `0 ${'0'.repeat(id.length)}\t${path}`;
}

async function listIndexLines(git: Git, paths: readonly string[]): Promise<readonly string[]> {
  const wanted = new Set(paths);
  return (await listIndex(git))
    .filter(({ path, stage }) => wanted.has(path) && stage === '0')
    .map(({ mode, id, path }) => `${mode} ${id}\t${path}`);
}
