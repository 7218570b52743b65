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
  const lean = loadLean(env, process.getBuiltinModule('node:url').fileURLToPath(bundle));
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

/** Built-in modules are asked for, not imported: what an import makes of `node:fs` loads all the streams. */
function loadLean(env: Environment, file: string): LeanCode | null {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const { constants, Script } = process.getBuiltinModule('node:vm');
  const { createRequire } = process.getBuiltinModule('node:module');
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
    script.runInThisContext()(module.exports, createRequire(file), module, file, process.getBuiltinModule('node:path').dirname(file));
    const { mainLean } = module.exports;
    if (mainLean === undefined) return null;
    const isFresh = cachedData !== undefined && script.cachedDataRejected !== true;
    return { main: mainLean, keep: () => (cache === null || isFresh ? undefined : writeCache(cache, key, script)) };
  } catch {
    return null;
  }
}

function toCacheFile(env: Environment): string | null {
  const { isAbsolute, join } = process.getBuiltinModule('node:path');
  const folder = env['XDG_CACHE_HOME'] || (env['HOME'] && join(env['HOME'], '.cache'));
  return folder && isAbsolute(folder) ? join(folder, 'ralph', 'code', `lean-${process.version}.bin`) : null;
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

function writeCache(file: string, key: string, script: InstanceType<typeof import('node:vm').Script>): void {
  const { mkdirSync, renameSync, writeFileSync } = process.getBuiltinModule('node:fs');
  try {
    const data = script.createCachedData();
    const fresh = `${file}.${process.pid}`;
    mkdirSync(process.getBuiltinModule('node:path').dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(fresh, Buffer.concat([Buffer.from(key), data, data]), { mode: 0o600, flag: 'wx' });
    renameSync(fresh, file);
  } catch {
    // A cache that cannot be kept is made again at the next call.
  }
}
