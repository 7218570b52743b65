import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

type MainLean = typeof import('./lean-main.ts').mainLean;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs one of the lean commands from their own bundle. What the engine made of its code is kept in `$XDG_CACHE_HOME/ralph/code` (or under
 * `~/.cache`), so that the next call need not compile it: that is half of its time. Without a cache everything works, only slower.
 *
 * @param bundle the file of the bundle
 * @returns the exit code, or `null` where the bundle cannot be loaded
 */
export async function runLean(args: readonly string[], env: Environment, bundle: URL): Promise<number | null> {
  const lean = loadLean(env, fileURLToPath(bundle));
  if (lean === null) return null;
  const exitCode = await lean.main(args, env);
  lean.keep();
  return exitCode;
}

interface LeanCode {
  readonly main: MainLean;
  /** Writes the cache where there is none that fits. */
  readonly keep: () => void;
}

function loadLean(env: Environment, file: string): LeanCode | null {
  try {
    // The build writes nothing but ASCII into the bundle.
    const source = readFileSync(file, 'latin1');
    // Of the bundle that was built together with this file. The engine itself only compares the length of the source and its own version.
    const key = `${RALPH_VERSION} ${process.version} ${RALPH_LEAN_HASH}\n`;
    const cache = toCacheFile(env);
    const cachedData = cache === null ? undefined : readCache(cache, key);
    const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
      filename: file,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(cachedData === undefined ? {} : { cachedData }),
    });
    const module: { exports: { readonly mainLean?: MainLean } } = { exports: {} };
    script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
    const { mainLean } = module.exports;
    if (mainLean === undefined) return null;
    const isFresh = cachedData !== undefined && script.cachedDataRejected !== true;
    return { main: mainLean, keep: () => (cache === null || isFresh ? undefined : writeCache(cache, key, script)) };
  } catch {
    return null;
  }
}

function toCacheFile(env: Environment): string | null {
  const folder = env['XDG_CACHE_HOME'] || (env['HOME'] && join(env['HOME'], '.cache'));
  return folder && isAbsolute(folder) ? join(folder, 'ralph', 'code', `lean-${process.version}.bin`) : null;
}

/** Only what the user's own account wrote, whole, is run: the engine falls over compiled code that was damaged. */
function readCache(file: string, key: string): Buffer | undefined {
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > MAX_CACHE_BYTES || stats.uid !== process.getuid?.() || (stats.mode & 0o022) !== 0) return undefined;
    const bytes = readFileSync(file);
    const head = Buffer.from(key);
    const data = bytes.subarray(head.length + HASH_BYTES);
    if (!bytes.subarray(0, head.length).equals(head)) return undefined;
    return bytes.subarray(head.length, head.length + HASH_BYTES).toString('latin1') === toHash(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

const MAX_CACHE_BYTES = 16_000_000;
const HASH_BYTES = 16;

/** Not against attackers, who may not write the file: against disks that were full and power that went. Of the same length always. */
function toHash(bytes: Buffer): string {
  return `${crc32(bytes).toString(16)} ${bytes.length.toString(16)}`.padEnd(HASH_BYTES);
}

function writeCache(file: string, key: string, script: Script): void {
  try {
    const data = script.createCachedData();
    const fresh = `${file}.${process.pid}`;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(fresh, Buffer.concat([Buffer.from(key), Buffer.from(toHash(data), 'latin1'), data]), { mode: 0o600, flag: 'wx' });
    renameSync(fresh, file);
  } catch {
    // A cache that cannot be kept is made again at the next call.
  }
}
