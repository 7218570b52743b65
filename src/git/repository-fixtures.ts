import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RepositorySettings } from './contract.ts';

/** Where git is on Linux and macOS. */
const PROGRAM_FOLDERS = '/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin';

const folders: string[] = [];

/** A temporary folder; all of them go with {@link removeTestFolders}. */
export function createTestFolder(name = 'work space'): string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-workspace-')));
  folders.push(base);
  const path = join(base, name);
  mkdirSync(path);
  return path;
}

export function removeTestFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A folder for tests, with what people and agents do in it. */
export interface TestFolder {
  readonly path: string;
  /** Its person's HOME. */
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly settings: RepositorySettings;
  /** Runs git as the user would; its standard output. */
  git(...args: readonly string[]): string;
  write(path: string, text: string): void;
  read(path: string): string;
  remove(path: string): void;
  link(path: string, target: string): void;
  makeExecutable(path: string): void;
  /** The lines of `git status --porcelain`. */
  status(): string[];
  /** The files that a commit touched, with a letter. */
  changes(commit: string): string[];
}

export interface TestFolderOptions {
  readonly path?: string;
  /** Git was never told who the user is. */
  readonly isNameless?: boolean;
}

const identity = '[user]\nname = Uma User\nemail = uma@example.org\n';
/** The rest is for speed. */
const otherSettings =
  '[init]\ndefaultBranch = main\ntemplateDir = ""\n[core]\nexcludesFile = ""\nfsync = none\n[maintenance]\nauto = false\n';

/** A folder without git, with a home of its own, so that the machine's git configuration does not matter. */
export function createPlainFolder(options: TestFolderOptions = {}): TestFolder {
  const path = options.path ?? createTestFolder();
  const home = createTestFolder('home');
  const env = { PATH: PROGRAM_FOLDERS, HOME: home, GIT_CONFIG_NOSYSTEM: '1', GIT_CEILING_DIRECTORIES: dirname(path) };
  const settings: RepositorySettings = { cwd: path, env, stateDirs: ['.ralph', '.agent'] };
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: path, env, encoding: 'utf8', stdio: 'pipe' });
  const inside = (name: string): string => join(path, name);
  writeFileSync(join(home, '.gitconfig'), `${otherSettings}${options.isNameless ? '' : identity}`);
  return {
    path,
    home,
    env,
    settings,
    git,
    write(name, text) {
      mkdirSync(dirname(inside(name)), { recursive: true });
      writeFileSync(inside(name), text);
    },
    read: (name) => readFileSync(inside(name), 'utf8'),
    remove: (name) => rmSync(inside(name), { recursive: true }),
    link: (name, target) => symlinkSync(target, inside(name)),
    makeExecutable: (name) => chmodSync(inside(name), 0o755),
    status: () => git('status', '--porcelain', '-z', '-uall', '--no-renames').split('\0').filter(Boolean),
    changes: (commit) =>
      git('show', '--format=', '--name-status', '--no-renames', '-z', commit).split('\0').filter(Boolean).reduce(joinPairs, []),
  };
}

/** `M`, `a`, `D`, `b` -> `M a`, `D b`. */
function joinPairs(pairs: readonly string[], word: string, index: number): string[] {
  return index % 2 === 0 ? [...pairs, word] : [...pairs.slice(0, -1), `${pairs.at(-1)} ${word}`];
}

/** A repository with one commit of these files. */
export function createTestRepository(
  files: Readonly<Record<string, string>> = { 'kept.txt': 'kept\n' },
  options: TestFolderOptions = {},
): TestFolder {
  const folder = createPlainFolder(options);
  folder.git('init', '--quiet');
  for (const [name, text] of Object.entries(files)) folder.write(name, text);
  folder.git('add', '--all');
  folder.git('-c', 'user.name=Uma', '-c', 'user.email=uma@example.org', 'commit', '--quiet', '--message', 'first');
  return folder;
}
