import { existsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT_CLIS, type BackendType, DETECTED_BACKENDS } from '../core/index.ts';
import { runCommand } from '../process/index.ts';
import { findCli } from './clis.ts';
import type { CliDescription } from './description.ts';
import { findCommand } from './find-command.ts';

import { openVersionCache, toCacheFile, type VersionCache } from './version-cache.ts';

type Env = Readonly<Record<string, string | undefined>>;

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

/** Where and how to look. */
export interface DetectOptions {
  readonly env: Env;
  /** What the configuration gives an agent beside `env`. Default: nothing. */
  readonly envOf?: (type: BackendType) => Env;
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

/** Finds out which agent CLIs are there, all at once. Versions are asked of the programs and remembered until their file changes. */
export async function detectBackends(options: DetectOptions): Promise<readonly BackendReport[]> {
  const { cacheFile = toCacheFile(options.env), priority = DETECTED_BACKENDS } = options;
  const cache = openVersionCache(cacheFile ?? undefined);
  const wanted = priority.flatMap((type) => findCli(type) ?? []);
  const statuses = await Promise.all(wanted.map((descriptor) => detect(descriptor, options, cache)));
  cache.save();
  return statuses;
}

async function detect(descriptor: CliDescription, options: DetectOptions, cache: VersionCache): Promise<BackendReport> {
  const { type, title, command, tried } = descriptor;
  const found = findCommand(command, tmpdir(), options.env['PATH']);
  const path = 'path' in found ? found.path : null;
  const version = path === null ? null : await readVersion(path, options, cache);
  const looksSignedIn = findTraces(descriptor, { ...options.env, ...options.envOf?.(type) });
  const isRoot = options.isRoot ?? process.getuid?.() === 0;
  const advice = toAdvice(descriptor, { path, version, looksSignedIn, isRoot });
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
  const result = await runCommand({
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
  try {
    const stats = statSync(path);
    return { mtimeMs: stats.mtimeMs, sizeBytes: stats.size };
  } catch {
    return undefined;
  }
}

function findTraces({ signIn }: CliDescription, env: Env): boolean | null {
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
