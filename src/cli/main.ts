/*
 * The command line. Its folders, each importing only those before it: terminal <- args <- runs, live, queue, team, validate, web <- commands <- the entries
 * (`whole-command.ts`, `lean-command.ts`, `view-command.ts`, this file). Of the six in the middle, `live` imports `runs`, and `queue` imports `live`. What all of
 * them share are the types of `cli-context.ts` and `cli-command.ts`. A command imports no other command.
 */
import type { Environment } from '../core/values/environment.ts';
import type { CommandBundle } from './command-bundle.ts';
import { toUnwrittenText } from './terminal/unwritten-text.ts';

/** The bundles of commands that are called often, or waited for; all others are in one. */
const BUNDLES = new Map([
  ['validate', 'lean.cjs'],
  ['explain', 'lean.cjs'],
  ['watch', 'view.cjs'],
]);

type Script = InstanceType<typeof import('node:vm').Script>;

/**
 * The eager part of the command: it answers `--version` itself and loads the rest. The time to start is measured against bare `node -e 0`, so the
 * only code imported here is a file that imports nothing itself, and built-in modules are asked for where they are used: an `import` of `node:fs`
 * would load all its streams.
 *
 * @param args the words after the command name
 * @returns the exit code
 */
export async function main(args: readonly string[], env: Environment): Promise<number> {
  if (args[0] === '--version' || args[0] === '-V') return printVersion();
  // The bundles lie beside the file that this one becomes.
  const small = BUNDLES.get(args[0] ?? '');
  const needsAll = small === undefined || args.some((word) => word === '--fleet' || word.startsWith('--fleet='));
  const whole = `${import.meta.dirname}/command.cjs`;
  return runCompiled(args, env, needsAll ? whole : `${import.meta.dirname}/${small}`, whole);
}

async function printVersion(): Promise<number> {
  const { stdout, stderr } = process;
  // The engine reports a failed write twice: to the callback and to the listeners.
  stdout.on('error', () => undefined);
  const failure = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => stdout.write(`${RALPH_VERSION}\n`, resolve));
  // A reader that went away is no error.
  if (failure == null || failure.code === 'EPIPE') return 0;
  stderr.on('error', () => undefined).write(toUnwrittenText(failure.code ?? failure.message));
  return 1;
}

/**
 * Runs a command from a bundle. The compiled code that the command used is kept in `$XDG_CACHE_HOME/ralph/code` (or under `~/.cache`), one file
 * for each command, so that the next call need not compile it: that would be half of its time. Without the cache everything works, only slower.
 *
 * @param bundle the file of the bundle
 * @param whole the one with all commands, where that is not enough
 * @returns the exit code
 */
async function runCompiled(args: readonly string[], env: Environment, bundle: string, whole: string): Promise<number> {
  const [first = ''] = args;
  // A command line without the name of a command runs an agent.
  const name = first === '' || first.startsWith('-') ? 'run' : first;
  const source = readBundle(bundle);
  if (source === null) {
    process.stderr.write(
      `ralph: the installation is incomplete (${bundle} cannot be read). Install Ralph again; in a checkout: \`npm run build\`.\n`,
    );
    return 2;
  }
  const code = loadCode(name, env, { file: bundle, source });
  if (bundle !== whole && code.needsAll?.(args, env) === true) return runCompiled(args, env, whole, whole);
  const exitCode = await code.run(args, env);
  code.keep();
  return exitCode;
}

interface Code {
  readonly run: CommandBundle['runCommandLine'];
  readonly needsAll: CommandBundle['needsAll'];
  /** Writes the cache where there is none that fits. */
  readonly keep: () => void;
}

/** `null`: it cannot be read. */
function readBundle(file: string): string | null {
  try {
    // The build writes nothing but ASCII into the bundle.
    return process.getBuiltinModule('node:fs').readFileSync(file, 'latin1');
  } catch {
    return null;
  }
}

interface Bundle {
  readonly file: string;
  readonly source: string;
}

function loadCode(name: string, env: Environment, { file, source }: Bundle): Code {
  const { Script } = process.getBuiltinModule('node:vm');
  const { createRequire } = process.getBuiltinModule('node:module');
  // Of the bundle that was built together with this file. The engine itself only compares the length of the source and its own version.
  const key = `${RALPH_VERSION} ${process.version} ${RALPH_BUNDLE_HASH}\n`;
  const cache = toCacheFile(name, env);
  const cachedData = cache === null ? undefined : readCache(cache, key);
  const script = new Script(source, {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const isKept = cache === null || (cachedData !== undefined && script.cachedDataRejected !== true);
  if (!isKept) setEngineFlag('--no-flush-bytecode');
  const module: { exports: Partial<CommandBundle> } = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, (specifier: string) => import(specifier));
  const { runCommandLine, needsAll, COMMAND_NAMES } = module.exports as CommandBundle;
  return {
    run: runCommandLine,
    needsAll,
    keep: () => (isKept || !COMMAND_NAMES.some((known) => known === name) ? undefined : writeCache(cache, key, script)),
  };
}

/** With `--flush-bytecode`, its default, the engine drops the code of what ran at the start only, in a command that lasts before it can be written. */
function setEngineFlag(flag: '--flush-bytecode' | '--no-flush-bytecode'): void {
  process.getBuiltinModule('node:v8').setFlagsFromString(flag);
}

function toCacheFile(name: string, env: Environment): string | null {
  const { isAbsolute, join } = process.getBuiltinModule('node:path');
  const folder = env['XDG_CACHE_HOME'] || (env['HOME'] && join(env['HOME'], '.cache'));
  const isName = /^[a-z]{2,12}$/.test(name);
  return isName && folder && isAbsolute(folder) ? join(folder, 'ralph', 'code', `${name}-${process.version}.bin`) : null;
}

/**
 * Only what the user's own account wrote, whole, is run: the engine falls over compiled code that was damaged. The code is kept twice, and taken
 * where both are the same: that is not against attackers, who may not write the file, but against disks that were full and power that went. Two
 * times the bytes are read and compared sooner than the module with the checksums is loaded.
 */
function readCache(file: string, key: string): Buffer | undefined {
  const { readFileSync, statSync } = process.getBuiltinModule('node:fs');
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > MAX_CACHE_BYTES || stats.uid !== process.getuid?.() || (stats.mode & 0o022) !== 0) return undefined;
    const bytes = readFileSync(file);
    const head = Buffer.from(key);
    if (!bytes.subarray(0, head.length).equals(head)) return undefined;
    const middle = head.length + (bytes.length - head.length) / 2;
    const data = bytes.subarray(head.length, middle);
    return data.length > 0 && data.equals(bytes.subarray(middle)) ? data : undefined;
  } catch {
    return undefined;
  }
}

const MAX_CACHE_BYTES = 16_000_000;

function writeCache(file: string, key: string, script: Script): void {
  const { existsSync, mkdirSync, renameSync, writeFileSync } = process.getBuiltinModule('node:fs');
  try {
    // The engine takes code only under the flags that it was made with.
    setEngineFlag('--flush-bytecode');
    const data = script.createCachedData();
    const fresh = `${file}.${process.pid}`;
    const { dirname } = process.getBuiltinModule('node:path');
    // Not `recursive`: where a folder cannot be made for want of a place for it (`/proc`), the engine tries for ever.
    for (const folder of [dirname(dirname(dirname(file))), dirname(dirname(file)), dirname(file)]) {
      if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    }
    writeFileSync(fresh, Buffer.concat([Buffer.from(key), data, data]), { mode: 0o600, flag: 'wx' });
    renameSync(fresh, file);
  } catch {
    // A cache that cannot be kept is made again at the next call.
  }
}
