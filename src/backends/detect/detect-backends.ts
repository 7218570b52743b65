import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AGENT_CLIS, type BackendType } from '../../core/backends/backend-spec.ts';
import type { Environment } from '../../core/values/environment.ts';
import { isJsonObject, parseJson } from '../../core/values/json.ts';
import { tryOr } from '../../core/values/result.ts';
import { runToEnd } from '../../process/start-process.ts';
import type { CliDescription } from '../describe/description.ts';
import { numberAt, objectAt, textAt } from '../stream/read-fields.ts';
import { findCommand } from './find-command.ts';

/** What was found out about one agent CLI. */
export interface BackendReport {
  readonly type: BackendType;
  readonly title: string;
  /** The program's name. */
  readonly command: string;
  /** Absolute path, or `null` where it is not in PATH. */
  readonly path: string | null;
  /** `null` where it is not there or did not tell within the time. */
  readonly version: string | null;
  /** Whether a key or a credentials file is there; nothing is read, so it is only a hint. `null`: a login may be where it cannot be seen. */
  readonly looksSignedIn: boolean | null;
  /** False for those that were built from documentation. */
  readonly verified: boolean;
  /** What to do or to know, in whole sentences. */
  readonly advice: readonly string[];
}

export interface DetectOptions {
  readonly env: Environment;
  /** What the configuration gives an agent beside `env`. Default: nothing. */
  readonly envOf?: (type: BackendType) => Environment;
  /** Which to look for, in this order. Default: all. */
  readonly priority?: readonly BackendType[];
  /** Where versions are remembered; `null`: nowhere. Default: `$XDG_CACHE_HOME/ralph/backends.json`. */
  readonly cacheFile?: string | null;
  /** How long one may take to tell its version. Default 15 s. */
  readonly timeoutMs?: number;
  /** Default: whether this process runs as root. */
  readonly isRoot?: boolean;
}

const DEFAULT_TIMEOUT_MS = 15_000;

export async function detectClis(clis: readonly CliDescription[], options: DetectOptions): Promise<readonly BackendReport[]> {
  const { cacheFile = toCacheFile(options.env) } = options;
  const cache = openVersionCache(cacheFile ?? undefined);
  const reports = await Promise.all(clis.map((cli) => detect(cli, options, cache)));
  cache.save();
  return reports;
}

async function detect(cli: CliDescription, options: DetectOptions, cache: VersionCache): Promise<BackendReport> {
  const { type, title, command, tried } = cli;
  const found = findCommand(command, tmpdir(), options.env['PATH']);
  const path = found.ok ? found.value : null;
  const version = path === null ? null : await readVersion(path, options, cache);
  const looksSignedIn = findTraces(cli, { ...options.env, ...options.envOf?.(type) });
  const isRoot = options.isRoot ?? process.getuid?.() === 0;
  const advice = toAdvice(cli, { path, version, looksSignedIn, isRoot });
  return { type, title, command, path, version, looksSignedIn, verified: tried !== null, advice };
}

async function readVersion(
  path: string,
  { env, timeoutMs = DEFAULT_TIMEOUT_MS }: DetectOptions,
  cache: VersionCache,
): Promise<string | null> {
  const stamp = toStamp(path);
  const known = stamp && cache.find(path, stamp);
  if (known !== undefined) return known;
  const result = await runToEnd({
    command: path,
    args: ['--version'],
    cwd: tmpdir(),
    env,
    timeoutMs,
    stopGraceMs: 500,
    captureBytes: 4096,
  });
  const version = /\d+\.\d+(?:\.\d+)?(?:[-+][\w.]+)?/.exec(`${result.stdout}\n${result.stderr}`)?.[0];
  if (version === undefined || result.status !== 'exited' || result.exitCode !== 0) return null;
  if (stamp !== undefined) cache.note(path, stamp, version);
  return version;
}

function toStamp(path: string): { mtimeMs: number; sizeBytes: number } | undefined {
  return tryOr(() => {
    const stats = statSync(path);
    return { mtimeMs: stats.mtimeMs, sizeBytes: stats.size };
  }, undefined);
}

function findTraces({ signIn }: CliDescription, env: Environment): boolean | null {
  if (signIn.envKeys.some((key) => (env[key] ?? '') !== '')) return true;
  const moved = signIn.folderKey === undefined ? undefined : env[signIn.folderKey];
  const folder = moved || join(env['HOME'] || '/', signIn.folder);
  const isThere = (file: string): boolean => existsSync(join(folder, file));
  if (signIn.files.some(isThere)) return true;
  return signIn.hasKeychain === true || signIn.settings?.some(isThere) === true ? null : false;
}

function toAdvice(
  { type, title, install, tried, advise }: CliDescription,
  facts: Pick<BackendReport, 'path' | 'version' | 'looksSignedIn'> & { isRoot: boolean },
): readonly string[] {
  if (facts.path === null) return [`Not installed: ${install}.`];
  const advice: string[] = [];
  if (facts.version === null) advice.push(`\`${facts.path} --version\` gave no answer: is it whole?`);
  if (facts.looksSignedIn === false) advice.push(`No sign of a login: ${AGENT_CLIS[type].login}.`);
  if (tried === null) advice.push(`${title} is built from its documentation and was never tried: tell us how it goes.`);
  return [...advice, ...(advise?.(facts) ?? [])];
}

/** What a program file looked like when its version was asked. */
interface FileStamp {
  readonly mtimeMs: number;
  readonly sizeBytes: number;
}

/** Remembers versions of programs by their path, as long as the file does not change. */
interface VersionCache {
  find(path: string, stamp: FileStamp): string | undefined;
  note(path: string, stamp: FileStamp, version: string): void;
  /** Writes what is new. A cache that cannot be written is no error: the next time just takes longer. */
  save(): void;
}

/** `$XDG_CACHE_HOME/ralph/backends.json`, else under `~/.cache`; `undefined` where neither is known. */
function toCacheFile(env: Environment): string | undefined {
  const folder = env['XDG_CACHE_HOME'] || (env['HOME'] && join(env['HOME'], '.cache'));
  return folder ? join(folder, 'ralph', 'backends.json') : undefined;
}

/** Reads the cache; a missing or damaged file is an empty one. Without a file nothing is kept. */
function openVersionCache(file: string | undefined): VersionCache {
  const entries = new Map(file === undefined ? [] : readEntries(file));
  let isChanged = false;
  return {
    find(path, stamp) {
      const entry = entries.get(path);
      return entry?.mtimeMs === stamp.mtimeMs && entry.sizeBytes === stamp.sizeBytes ? entry.version : undefined;
    },
    note(path, stamp, version) {
      entries.set(path, { ...stamp, version });
      isChanged = true;
    },
    save() {
      if (file !== undefined && isChanged) writeEntries(file, entries);
    },
  };
}

interface CachedVersion extends FileStamp {
  readonly version: string;
}

function readEntries(file: string): [string, CachedVersion][] {
  const text = tryOr(() => readFileSync(file, 'utf8'), null);
  if (text === null) return [];
  const programs = objectAt(parseJson(text), 'programs');
  return Object.entries(programs).flatMap(([path, entry]): [string, CachedVersion][] => {
    const [mtimeMs, sizeBytes, version] = [numberAt(entry, 'mtimeMs'), numberAt(entry, 'sizeBytes'), textAt(entry, 'version')];
    return isJsonObject(entry) && mtimeMs !== null && sizeBytes !== null && version !== '' ? [[path, { mtimeMs, sizeBytes, version }]] : [];
  });
}

function writeEntries(file: string, entries: ReadonlyMap<string, CachedVersion>): void {
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(draft, `${JSON.stringify({ programs: Object.fromEntries(entries) })}\n`);
    // Renamed into place: two of us at once leave one whole file.
    renameSync(draft, file);
  } catch {
    // Versions are asked again next time; a draft that could not be renamed is overwritten by the next of the same id.
  }
}
