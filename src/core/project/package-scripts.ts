import { isJsonObject, type JsonObject, parseJson, toJsonObject } from '../values/json.ts';

const PACKAGE = 'package.json';

/** Names that people give to a script, the first first. */
const SCRIPTS: Readonly<Record<QualityKind, readonly string[]>> = {
  tests: ['test'],
  lint: ['lint'],
  build: ['build'],
  typecheck: ['typecheck', 'type-check', 'check-types', 'tsc'],
};

const LOCK_FILES: readonly (readonly [lockFile: string, runner: string])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
];
const RUNNERS = ['npm', 'pnpm', 'yarn', 'bun'];

/** What `npm init` leaves, and what never ends by itself. */
const NO_CHECK = /no test specified|--watch/;

/** How the TypeScript compiler of the project is called where no script does. */
const COMPILERS: Readonly<Record<string, string>> = {
  npm: 'npx --no-install tsc --noEmit',
  pnpm: 'pnpm exec tsc --noEmit',
  yarn: 'yarn run tsc --noEmit',
  bun: 'bun run tsc --noEmit',
};

/** The check of a project that has a `package.json`: a script that is there, called by the package manager that the project is locked to. */
export function findPackageCommand(kind: QualityKind, folder: ProjectFolder): QualityCommand | null {
  const manifest = readManifest(folder);
  if (manifest === null) return null;
  const runner = findPackageRunner(manifest, folder);
  const script = SCRIPTS[kind].find((name) => isUsable(toJsonObject(manifest['scripts'])[name]));
  if (script !== undefined) return { command: toScriptCommand(runner, script), from: PACKAGE };
  const compiler = COMPILERS[runner];
  if (kind !== 'typecheck' || compiler === undefined || !hasCompiler(manifest, folder)) return null;
  return { command: compiler, from: 'tsconfig.json' };
}

interface PackageScripts {
  readonly names: readonly string[];
  /** How one is called. */
  readonly toCommand: (script: string) => string;
  /** What one says; `null` for one that there is not. */
  readonly toText: (script: string) => string | null;
}

/** The scripts of a folder's `package.json`, how one is called and what it says; `null` where there is no such file. */
export function readPackageScripts(folder: ProjectFolder): PackageScripts | null {
  const manifest = readManifest(folder);
  if (manifest === null) return null;
  const runner = findPackageRunner(manifest, folder);
  const scripts = toJsonObject(manifest['scripts']);
  const names = Object.keys(scripts).filter((name) => isUsable(scripts[name]));
  return {
    names,
    toCommand: (script) => toScriptCommand(runner, script),
    toText: (script) => (names.includes(script) ? String(scripts[script]) : null),
  };
}

function readManifest(folder: ProjectFolder): JsonObject | null {
  const text = folder.names.includes(PACKAGE) ? folder.readText(PACKAGE) : null;
  const parsed = text === null ? undefined : parseJson(text);
  return isJsonObject(parsed) ? parsed : null;
}

/** `packageManager` is what corepack obeys, so it comes before what a lock file suggests. */
function findPackageRunner(manifest: JsonObject, { names }: ProjectFolder): string {
  const named = typeof manifest['packageManager'] === 'string' ? manifest['packageManager'].split('@')[0] : undefined;
  const locked = LOCK_FILES.find(([lockFile]) => names.includes(lockFile))?.[1];
  return RUNNERS.find((runner) => runner === named) ?? locked ?? 'npm';
}

/** Bun has a test runner of its own under `bun test`: the script is meant. */
function toScriptCommand(runner: string, script: string): string {
  return script === 'test' && runner !== 'bun' ? `${runner} test` : `${runner} run ${script}`;
}

function isUsable(script: unknown): boolean {
  return typeof script === 'string' && script.trim() !== '' && !NO_CHECK.test(script);
}

function hasCompiler(manifest: JsonObject, { names }: ProjectFolder): boolean {
  const packages = { ...toJsonObject(manifest['dependencies']), ...toJsonObject(manifest['devDependencies']) };
  return names.includes('tsconfig.json') && Object.hasOwn(packages, 'typescript');
}

/** The checks that a project can have. */
export type QualityKind = 'tests' | 'lint' | 'build' | 'typecheck';

/** The folder of a project, as far as it tells how the project is checked. */
export interface ProjectFolder {
  /** Names of the files and folders in it. */
  readonly names: readonly string[];
  /** The text of a file in it; `null` where there is none, or none that can be read. */
  readonly readText: (name: string) => string | null;
  /** Names of what is in a folder of it; absent: nobody looks there. */
  readonly namesIn?: (folder: string) => readonly string[];
}

/** How a project is checked, and the file that says so. */
export interface QualityCommand {
  /** Plain words with one space between them: nothing in it means anything to a shell. */
  readonly command: string;
  /** The name of the file. */
  readonly from: string;
}
