import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import type { PlacedPath } from './plan-mounts.ts';

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

/** The real paths of this machine that are hidden. */
export function findHidden(): readonly string[] {
  return [...new Set(HIDDEN.flatMap((path) => toPlaced(path)).map(({ real }) => real))];
}

/** The real folders of this machine in which homes lie. */
export function findHomes(): readonly string[] {
  return HOMES.flatMap((path) => toPlaced(path)).map(({ real }) => real);
}

/** What a program needs to run at all. */
export interface NeededOrder {
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
export function findNeeded(order: NeededOrder): readonly PlacedPath[] {
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
export function toPlaced(path: string): readonly PlacedPath[] {
  try {
    return [{ path, real: realpathSync(path) }];
  } catch {
    return [];
  }
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
