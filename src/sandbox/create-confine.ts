import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { mayChangeTree } from '../core/tools/tool-profiles.ts';
import { tryOr } from '../core/values/result.ts';
import { findRepositoryFolders } from '../git/git-places.ts';
import type { Program } from '../ports/program.ts';
import { narrowRepository } from './narrow-repository.ts';
import {
  type Confinement,
  type MountFacts,
  type PlacedPath,
  planBubblewrap,
  planMounts,
  planSeatbelt,
  toInnerUser,
} from './plan-confinement.ts';
import type { HomePlan, OpenedHome } from './turn-home.ts';
import type { ScratchFolders, TurnSandboxOrder, TurnSandboxSettings } from './turn-sandbox.ts';

export interface ConfineOrder {
  readonly settings: TurnSandboxSettings;
  readonly order: TurnSandboxOrder;
  /** The turn's private folder. */
  readonly folder: string;
  readonly scratch: ScratchFolders;
  readonly home: { readonly from: string; readonly path: string };
  readonly plan: HomePlan;
  readonly opened: OpenedHome;
}

/** Where programs put temporary files inside: not `/tmp` itself, because a home may lie there. */
const INNER_TEMP = '/tmp/ralph';
/** Ways to daemons of the user that would do what the sandbox forbids. */
const BACK_DOORS = [
  'DBUS_SESSION_BUS_ADDRESS',
  'DISPLAY',
  'DOCKER_HOST',
  'SSH_AUTH_SOCK',
  'XDG_RUNTIME_DIR',
  'SSH_AGENT_PID',
  'WAYLAND_DISPLAY',
];

/** Caches elsewhere could not be written, and programs fail on that: without these they use the turn's own home. */
const CACHES = ['XDG_CACHE_HOME', 'XDG_STATE_HOME', 'GOCACHE', 'UV_CACHE_DIR', 'npm_config_cache'];

/**
 * Creates what puts the sandbox of the operating system around a program. The returned function throws when a path cannot be looked at.
 *
 * @param view the folder that is shown in the place of the workspace, to be written; absent: the workspace, as far as the hat may write
 */
export function createConfine(made: ConfineOrder, view?: string): (program: Program) => Program {
  return (program) => {
    const { found } = made.settings.os;
    if (found === null) return program;
    const confinement = toConfinement(made, program, view);
    const env = toInnerEnvironment(made, program.env, found.kind === 'seatbelt');
    const inner = [program.path, ...program.args];
    const words = found.kind === 'bubblewrap' ? planBubblewrap(confinement) : ['-p', planSeatbelt(confinement)];
    return { path: found.path, args: [...words, ...inner], env };
  };
}

function toConfinement(made: ConfineOrder, program: Program, view: string | undefined): Confinement {
  const { settings, order } = made;
  const facts = toFacts(made, program);
  const mounts = planMounts(view === undefined ? facts : { ...facts, view, writable: [] });
  return { mounts, cwd: program.cwd ?? order.cwd, hasNetwork: settings.sandbox.hasNetwork, ...toInnerUser() };
}

function toFacts({ settings, order, folder, scratch, home, opened }: ConfineOrder, program: Program): MountFacts {
  const { workspace, apartFrom = [], stateDir } = settings;
  const outer = order.env['HOME'] ?? '/nonexistent';
  const more = [...settings.more, ...order.more, ...listPrivate(folder)];
  const repository = findRepository(settings);
  return {
    hidden: [...findHidden(), ...apartFrom.flatMap((path) => toPlaced(path)).map(({ real }) => real)],
    homes: HOMES.flatMap((path) => toPlaced(path)).map(({ real }) => real),
    needed: findNeeded({ program: program.path, home: outer, searchPath: program.env['PATH'], more, repository: repository.folders }),
    repository,
    home: { from: home.from, path: toReal(home.path) },
    temp: { from: join(folder, 'tmp'), path: toReal('/tmp') },
    homeFolders: opened.mounts,
    workspace: realpathSync(workspace),
    isWritable: mayChangeTree(order.may),
    stateDir: toReal(stateDir),
    writable: [...settings.agentDirs, ...scratch.folders.filter(isWritten)]
      .map((path) => join(realpathSync(workspace), path))
      .filter(isPlainFolder),
    extraReadable: settings.sandbox.readable.map((path) => path.replace(/^~(?=\/)/, outer)).flatMap((path) => toPlaced(path)),
  };
}

/** A copy of a folder belongs to no repository, although it may lie in one. */
function findRepository({
  workspace,
  apartFrom,
  isSafe,
}: TurnSandboxSettings): MountFacts['repository'] & { readonly folders: readonly string[] } {
  if (apartFrom !== undefined) return { folders: [], written: [], root: null, kept: [] };
  const found = findRepositoryFolders(realpathSync(workspace));
  return isSafe === true ? narrowRepository(found) : { ...found, kept: [] };
}

/** Python is told not to write its compiled code: what lay there others would run. */
function isWritten(path: string): boolean {
  return basename(path) !== '__pycache__';
}

/** The turn's own files, but not its home and its temporary folder: these have other names inside. */
function listPrivate(folder: string): readonly string[] {
  return ['gemini-policy.toml', 'pi-guard.mjs', 'emit'].map((name) => join(folder, name)).filter((path) => existsSync(path));
}

function toReal(path: string): string {
  return toPlaced(path)[0]?.real ?? path;
}

/** A folder of the agents' that somebody made a link of could lead anywhere: it stays closed. */
function isPlainFolder(path: string): boolean {
  return tryOr(() => lstatSync(path).isDirectory() && realpathSync(path) === path, false);
}

function toInnerEnvironment(
  { home, plan, folder }: ConfineOrder,
  env: Program['env'],
  isInPlace: boolean,
): Readonly<Record<string, string>> {
  const root = isInPlace ? home.from : home.path;
  const temp = isInPlace ? join(folder, 'tmp', 'ralph') : INNER_TEMP;
  const inner: Record<string, string> = { ...env, HOME: root, TMPDIR: temp, TMP: temp, TEMP: temp };
  for (const name of [...BACK_DOORS, ...CACHES]) delete inner[name];
  for (const [name, path] of Object.entries(plan.variables)) {
    if (path === null) delete inner[name];
    else inner[name] = join(root, path);
  }
  // A read-only tree: git need not try to write its index, nor Python beside its sources.
  return { ...inner, GIT_OPTIONAL_LOCKS: '0', PYTHONDONTWRITEBYTECODE: '1' };
}

/** Where people keep what they did not build: homes, and the sockets through which daemons take orders. */
const HIDDEN = ['/root', '/home', '/Users', '/run', '/var/tmp', '/var/run'];
/** Folders whose every folder is somebody's home. */
const HOMES = ['/home', '/Users'];
/** What programs look for in `/run`: how names are looked up, and on some systems the programs themselves. */
const RUN_PARTS = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager/resolv.conf', '/run/current-system', '/run/wrappers'];
/** Toolchains that live in a home: without them tests cannot run. Folders of code only: some tools keep keys of registries beside it. */
const TOOLCHAINS = [
  '.asdf',
  '.bun',
  '.cargo/bin',
  '.cargo/git',
  '.cargo/registry',
  '.deno/bin',
  '.dotnet/dotnet',
  '.dotnet/host',
  '.dotnet/packs',
  '.dotnet/sdk',
  '.dotnet/sdk-manifests',
  '.dotnet/shared',
  '.dotnet/tools',
  '.gem/ruby',
  '.local/bin',
  '.local/lib',
  '.local/share/claude',
  '.local/share/fnm',
  '.local/share/mise',
  '.local/share/pnpm',
  '.local/share/uv/python',
  '.local/share/uv/tools',
  '.m2/repository',
  '.nvm',
  '.pyenv',
  '.rbenv',
  '.rustup',
  '.sdkman',
  '.volta',
  'go/bin',
  'go/pkg',
];

function findHidden(): readonly string[] {
  return [...new Set(HIDDEN.flatMap((path) => toPlaced(path)).map(({ real }) => real))];
}

interface NeededOrder {
  /** The agent's program, or what a tool of it starts: an absolute path, or a name that is looked up in the PATH. */
  readonly program: string;
  readonly home: string;
  /** The PATH that the agent gets. */
  readonly searchPath: string | undefined;
  /** Absolute paths of more: Ralph's own files. */
  readonly more: readonly string[];
  /** Folders of the workspace's repository: absolute. */
  readonly repository: readonly string[];
}

/** Everything that has to be seen besides what is open anyway; only what is there. */
function findNeeded(order: NeededOrder): readonly PlacedPath[] {
  const { program, home, searchPath = '', more, repository } = order;
  const paths = [
    ...RUN_PARTS,
    ...(isAbsolute(program) ? toProgramPaths(program) : []),
    ...toProgramPaths(process.execPath),
    ...toNodeInstallation(process.execPath),
    ...searchPath.split(delimiter).filter((folder) => folder.startsWith('/')),
    ...TOOLCHAINS.map((folder) => join(home, folder)),
    ...repository,
    ...more,
  ];
  return [...new Set(paths)].flatMap((path) => toPlaced(path));
}

/** The path and where it really is; nothing where there is nothing. */
function toPlaced(path: string): readonly PlacedPath[] {
  return tryOr(() => [{ path, real: realpathSync(path) }], []);
}

/** A program, and the packages beside it: the topmost `node_modules` of its real path, else its folder. */
function toProgramPaths(program: string): readonly string[] {
  const real = toPlaced(program)[0]?.real ?? program;
  const start = real.indexOf('/node_modules/');
  const packages = start === -1 ? dirname(real) : real.slice(0, start + '/node_modules'.length);
  return [program, real, dirname(program), packages];
}

/** `npm` and global packages stand beside the node that a version manager put into a home. */
function toNodeInstallation(node: string): readonly string[] {
  const prefix = dirname(dirname(node));
  return [join(prefix, 'lib', 'node_modules'), join(prefix, 'include')].filter((path) => existsSync(path));
}
