import { createHash, type Hash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, posix, resolve } from 'node:path';
import type { Environment } from '../../core/values/environment.ts';
import { tryOr } from '../../core/values/result.ts';
import type { Repository, RepositorySearch, RepositorySettings, StatusEntry } from '../../git/contract.ts';
import { isOddName } from '../../git/file-names.ts';
import { demandGit } from '../../git/git.ts';
import { readGitPlaces } from '../../git/git-places.ts';
import { findRepository } from '../../git/repository.ts';
import { readStatus } from '../../git/status.ts';
import type { TreeReader, TreeState } from '../../ports/tree-reader.ts';
import { isSettled, lookAt, toVersion } from './file-version.ts';
import { FOREIGN_FOLDERS } from './fingerprint.ts';

/** More than this is not read: what is gained would not be worth the time. */
const MAX_FILES = 200_000;
/** Content that is read in one look; what is known from an earlier one costs nothing. */
const MAX_READ_BYTES = 4 * 2 ** 30;
/** Larger files are told apart by size and times. */
const MAX_HASHED_BYTES = 64 << 20;
/** A larger file of rules is told by its size and times. */
const MAX_RULES_BYTES = 1 << 20;
/** So many files in a row before something else may happen in the process. */
const SLICE = 2000;
/** Stands in a text for bytes that are no UTF-8. */
const REPLACED = '\uFFFD';

/**
 * A reader of the files of a workspace. A file is read when it is new or its size, its times (also that of its last change of any kind, which
 * nobody can put back), or its inode differ from those of the last look. The first look therefore reads everything.
 */
export function createTreeReader(settings: RepositorySettings): TreeReader {
  const known = new Map<string, KnownFile>();
  const index = createIndexList();
  let search: Promise<RepositorySearch> | undefined;
  let running: Promise<unknown> = Promise.resolve();
  const read = async (): Promise<TreeState | null> => {
    search ??= findRepository(settings);
    const found = await search;
    const look: TreeReading = {
      top: found.ok ? found.value.top : settings.cwd,
      toShownPath: toShown(found),
      known,
      files: new Map(),
      bytes: MAX_READ_BYTES,
    };
    if (found.ok) return readRepository(look, found.value, { index, env: settings.env });
    const paths = await walk(settings.cwd, settings.stateDirs);
    return paths === null || !(await addFiles(look, paths)) ? null : toState(look);
  };
  return {
    read: () => {
      const look = running.then(read).catch(() => null);
      running = look;
      return look;
    },
  };
}

/** What else is needed to look at a repository. */
interface RepositoryLook {
  readonly index: IndexList;
  readonly env: RepositorySettings['env'];
}

/**
 * What the repository tracks, whether or not it is told to look at it, and what it does not know; a repository inside it as its folder. While git
 * looks for the latter, the former is looked at here.
 */
async function readRepository(look: TreeReading, repository: Repository, { index, env }: RepositoryLook): Promise<TreeState | null> {
  const asked = Promise.all([listUntracked(repository), readIgnoreSettings(repository)]);
  // Told where it is awaited; the files may make an end before that.
  asked.catch(() => undefined);
  const tracked = await index.read(repository);
  if (tracked.length > MAX_FILES || !(await addFiles(look, tracked))) return null;
  const [{ untracked, ruleFiles }, ignoreSettings] = await asked;
  if (untracked.length > MAX_FILES || !(await addFiles(look, untracked))) return null;
  return withRules(toState(look), readIgnoreRules(repository, { settings: ignoreSettings, ruleFiles, env }));
}

/** A file that is hidden is not among the files: the rule that hides it makes the difference. */
function withRules({ hash, files }: TreeState, rules: string): TreeState {
  return { hash: toDigest(createHash('sha256').update(`${hash}\0${rules}`)), files, rules };
}

interface KnownFile {
  readonly version: string;
  readonly hash: string;
}

/** Paths from the top of the repository as they are seen from the workspace. */
function toShown(found: RepositorySearch): (path: string) => string {
  if (!found.ok || found.value.prefix === '') return (path) => path;
  const { prefix } = found.value;
  return (path) => (path.startsWith(prefix) ? path.slice(prefix.length) : posix.relative(prefix, path));
}

async function walk(root: string, passOver: readonly string[]): Promise<readonly string[] | null> {
  const own = new Set(passOver);
  const paths: string[] = [];
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => null);
    if (entries === null && folder === '') return null;
    for (const entry of entries ?? []) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (FOREIGN_FOLDERS.includes(entry.name) || own.has(path)) continue;
      if (entry.isDirectory()) waiting.push(path);
      else paths.push(path);
    }
    if (paths.length + waiting.length > MAX_FILES) return null;
  }
  return paths;
}

/** Looks at files; false when they are too many. */
async function addFiles(look: TreeReading, paths: readonly string[]): Promise<boolean> {
  for (const [index, path] of paths.entries()) {
    if (index % SLICE === SLICE - 1) await new Promise((resolve) => setImmediate(resolve));
    if (!addFile(look, path)) await addFolder(look, path);
    if (look.bytes < 0 || look.files.size > MAX_FILES) return false;
  }
  return true;
}

function toState({ files, known, toShownPath }: TreeReading): TreeState {
  if (known.size > files.size) for (const path of known.keys()) if (!files.has(toShownPath(path))) known.delete(path);
  const sorted = [...files].sort(([left], [right]) => (left < right ? -1 : 1));
  const whole = createHash('sha256').update(sorted.map(([path, hash]) => `${path}\0${hash}\0`).join(''));
  return { hash: toDigest(whole), files };
}

/** One look at the files, under way. */
interface TreeReading {
  readonly top: string;
  readonly toShownPath: (path: string) => string;
  readonly known: Map<string, KnownFile>;
  readonly files: Map<string, string>;
  /** How much may still be read. */
  bytes: number;
}

/**
 * False for a folder: git tells a repository inside the other as one. A path at which nothing is adds nothing.
 *
 * @throws Error for a name that is no UTF-8: what is there cannot be told
 */
function addFile(look: TreeReading, path: string): boolean {
  const absolute = `${look.top}/${path}`;
  const stats = lookAt(absolute);
  if (stats === undefined && (path.includes(REPLACED) || isOddName(path))) throw new Error(`a name that cannot be read: ${path}`);
  if (stats?.isDirectory() === true) return false;
  if (stats !== undefined) look.files.set(look.toShownPath(path), hashFile(look, path, absolute, stats));
  return true;
}

async function addFolder(look: TreeReading, folder: string): Promise<void> {
  const inside = await walk(join(look.top, folder), []);
  for (const name of inside ?? []) addFile(look, `${folder}/${name}`);
}

function hashFile(look: TreeReading, path: string, absolute: string, stats: Stats): string {
  const { known } = look;
  const version = toVersion(stats);
  const before = known.get(path);
  if (before?.version === version) return before.hash;
  const hash = hashContent(absolute, stats);
  if (stats.isFile() && stats.size <= MAX_HASHED_BYTES) look.bytes -= stats.size;
  if (isSettled(stats)) known.set(path, { version, hash });
  else known.delete(path);
  return hash;
}

/** What a reader says of one file; `null` where nothing is, or a folder. */
export function hashFileAt(absolute: string): string | null {
  const stats = lookAt(absolute);
  return stats === undefined || stats.isDirectory() ? null : hashContent(absolute, stats);
}

function hashContent(absolute: string, stats: Stats): string {
  const hash = createHash('sha256');
  try {
    if (stats.isSymbolicLink()) return toDigest(hash.update(`link\0${readlinkSync(absolute)}`));
    if (!stats.isFile() || stats.size > MAX_HASHED_BYTES) return toDigest(hash.update(`look\0${toVersion(stats)}`));
    const kind = (stats.mode & 0o111) === 0 ? 'file' : 'program';
    return toDigest(hash.update(`${kind}\0`).update(readFileSync(absolute)));
  } catch {
    return toDigest(hash.update(`unreadable\0${toVersion(stats)}`));
  }
}

function toDigest(hash: Hash): string {
  return hash.digest('hex').slice(0, 40);
}

/** What a repository tracks. Git is asked again only when its index is another one. */
interface IndexList {
  /**
   * Paths from the top, without the state of Ralph's own; a repository inside it as its folder.
   *
   * @throws GitProblem
   */
  readonly read: (repository: Repository) => Promise<readonly string[]>;
}

/** A list of which nothing is known yet. */
function createIndexList(): IndexList {
  let last: { readonly version: string; readonly paths: readonly string[] } | null = null;
  return {
    read: async ({ git, top, gitDir, isOwnState }) => {
      const version = readIndexVersion(join(readGitPlaces(top, gitDir).gitDir, 'index'));
      if (last !== null && last.version === version) return last.paths;
      const text = await demandGit(git, ['ls-files', '-z', '--cached']);
      const paths = [...new Set(text.split('\0'))].filter((path) => path !== '' && !isOwnState(path));
      last = version === null ? null : { version, paths };
      return paths;
    },
  };
}

/** How the index looks from outside; `null` where that does not tell it from another one. Git never writes into it: a new one takes its place. */
function readIndexVersion(path: string): string | null {
  return tryOr(() => {
    const stats = lstatSync(path);
    return isSettled(stats) ? `${path} ${stats.dev} ${toVersion(stats)}` : null;
  }, null);
}

/** What lies in a working tree and is not tracked, by paths from its top. */
interface UntrackedFiles {
  /** What git does not know, without the state of Ralph's own; a repository inside the other as its folder. */
  readonly untracked: readonly string[];
  /** Files of rules that git ignores. In a folder that is ignored as a whole it does not look for them, and neither does anybody here. */
  readonly ruleFiles: readonly string[];
}

/** What git remembers of folders depends on their times, which can be put back. */
const WITHOUT_CACHE = ['core.untrackedCache=false'];

/**
 * Asks git once for both.
 *
 * @throws GitProblem
 */
async function listUntracked(repository: Repository): Promise<UntrackedFiles> {
  const { entries } = await readStatus(repository, { withIgnored: true, submodules: 'passed-over', config: WITHOUT_CACHE });
  const listPaths = (wanted: StatusEntry['kind']): readonly string[] =>
    entries.filter(({ kind }) => kind === wanted).map(({ path }) => path);
  return {
    untracked: listPaths('untracked').map((path) => path.replace(/\/$/, '')),
    ruleFiles: listPaths('ignored').filter((path) => path === '.gitignore' || path.endsWith('/.gitignore')),
  };
}

/** Settings of git on which it depends which files it lists. */
const LISTING_SETTINGS = '^core\\.(excludesfile|ignorecase|precomposeunicode|worktree|sparsecheckout|sparsecheckoutcone|untrackedcache)$';

/** The settings on which it depends which files git lists. Never rejects. */
async function readIgnoreSettings({ git }: Pick<Repository, 'git'>): Promise<string> {
  const settings = await git(['config', '--null', '--type=path', '--get-regexp', LISTING_SETTINGS]);
  return `${settings.exitCode}\0${settings.stdout}`;
}

interface RuleSources {
  /** What {@link readIgnoreSettings} told. */
  readonly settings: string;
  /** Paths from the top of files of rules that are not among the files of the work. */
  readonly ruleFiles: readonly string[];
  readonly env: Environment;
}

/**
 * A hash of what git passes over by other rules than those in files that it lists itself: `info/exclude`, `core.excludesFile`, and every `.gitignore`
 * that hides itself. With it a file that somebody hides is noticed by the rule that hides it.
 */
function readIgnoreRules({ top, gitDir }: Pick<Repository, 'top' | 'gitDir'>, { settings, ruleFiles, env }: RuleSources): string {
  const files = [
    join(readGitPlaces(top, gitDir).commonDir, 'info/exclude'),
    ...listDefaults(env),
    ...listExcludeFiles(settings).map((path) => resolve(top, path)),
    ...ruleFiles.map((path) => join(top, path)),
  ];
  const hash = createHash('sha256').update(`${settings}\0`);
  for (const path of [...new Set(files)].sort()) {
    const rules = readRules(path);
    if (rules !== null) hash.update(`${path}\0${rules}\0`);
  }
  return toDigest(hash);
}

/** Where git looks when no other file is named. */
function listDefaults({ XDG_CONFIG_HOME: config = '', HOME: home = '' }: Environment): readonly string[] {
  return [...(config === '' ? [] : [join(config, 'git/ignore')]), ...(home === '' ? [] : [join(home, '.config/git/ignore')])];
}

/** The values of `core.excludesFile` among entries of the form `key LF value NUL`. */
function listExcludeFiles(text: string): readonly string[] {
  return text.split('\0').flatMap((entry) => /^core\.excludesfile\n(.+)$/is.exec(entry)?.[1] ?? []);
}

/** `null` for no file. */
function readRules(path: string): string | null {
  return tryOr(() => {
    const stats = lstatSync(path);
    // What a link leads to may be a pipe, which would hold the process for ever.
    const isRead = stats.size <= MAX_RULES_BYTES && statSync(path).isFile();
    return isRead ? `text ${readFileSync(path, 'latin1')}` : `look ${stats.mode} ${stats.size} ${stats.mtimeMs}`;
  }, null);
}
