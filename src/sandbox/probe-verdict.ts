import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../core/values/environment.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../core/values/json.ts';
import { tryOr } from '../core/values/result.ts';
import { PROBE_ATTEMPTS, type ProbeAttempt } from '../mock-model/probe-script.ts';

/** What was seen of one probe, on the disk and in what the model was told. */
export interface ProbeFacts {
  /** Files that are there and were not, or have changed; relative to the workspace. */
  readonly changed: readonly string[];
  /** How many steps of the script the model got to. */
  readonly steps: number;
  /** How many there are. */
  readonly allSteps: number;
  /** Whether the output of the allowed command reached the model. */
  readonly ranTests: boolean;
  /** Whether the event arrived. */
  readonly published: boolean;
  /** Why the turn failed; `null` where it ended well. */
  readonly failure: string | null;
}

export interface ProbeResult {
  /** `unclear`: not everything could be tried, and what was tried left nothing behind. */
  readonly outcome: 'held' | 'broken' | 'unclear';
  /** What came through. */
  readonly through: readonly ProbeAttempt['id'][];
  /** Changes that belong to none of the attempts. */
  readonly others: readonly string[];
  readonly ranTests: boolean;
  readonly published: boolean;
  /** What a person should know, in a few words; empty where there is nothing. */
  readonly note: string;
}

export interface ProbeVerdict {
  /** Raised when more is tried: verdicts of fewer attempts do not count. */
  readonly v: 2;
  readonly cli: string;
  /** In the CLI's own words. */
  readonly version: string;
  readonly profile: 'critic';
  /** ISO 8601. */
  readonly at: string;
  /** Of Ralph: other versions may use other flags. */
  readonly ralph: string;
  /** The flags of the CLI alone. */
  readonly flags: ProbeResult;
  /** Flags and the sandbox of the operating system; `null` where there was none. */
  readonly os: ProbeResult | null;
}

/** Judges what was seen. Pure. */
export function judgeProbe({ changed, steps, allSteps, ranTests, published, failure }: ProbeFacts): ProbeResult {
  const through = PROBE_ATTEMPTS.filter(({ file }) => changed.includes(file)).map(({ id }) => id);
  const others = changed.filter((path) => !PROBE_ATTEMPTS.some(({ file }) => file === path));
  const isWhole = steps >= allSteps && failure === null;
  const isBroken = through.length > 0 || others.length > 0;
  const note = failure ?? (steps < allSteps ? `${steps} of ${allSteps} steps were tried` : '');
  return { outcome: isBroken ? 'broken' : isWhole ? 'held' : 'unclear', through, others, ranTests, published, note };
}

/** `$XDG_CACHE_HOME/ralph/probes`, else under `~/.cache`; `null` where neither is known. */
function toProbeFolder(env: Environment): string | null {
  const folder = env['XDG_CACHE_HOME'] || (env['HOME'] && join(env['HOME'], '.cache'));
  return folder && isAbsolute(folder) ? join(folder, 'ralph', 'probes') : null;
}

/** Whether any version of this CLI was ever probed. Never throws. */
export function hasVerdicts(cli: string, env: Environment): boolean {
  const folder = toProbeFolder(env);
  return tryOr(() => folder !== null && readdirSync(folder).some((name) => name.startsWith(`${cli}-`)), false);
}

/** Keeps a verdict. One that cannot be kept is no error: the CLI counts as not probed. */
export function writeVerdict(verdict: ProbeVerdict, env: Environment): boolean {
  const folder = toProbeFolder(env);
  if (folder === null) return false;
  const file = join(folder, toFileName(verdict.cli, verdict.version));
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(verdict, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
    return true;
  } catch {
    return false;
  }
}

/** The verdict about this version of a CLI by this version of Ralph; `null` where it was not probed. Never throws. */
export function readVerdict(cli: string, version: string, ralph: string, env: Environment): ProbeVerdict | null {
  const folder = toProbeFolder(env);
  if (folder === null) return null;
  const text = tryOr(() => readFileSync(join(folder, toFileName(cli, version)), 'utf8'), null);
  if (text === null) return null;
  const value = parseJson(text);
  if (!isJsonObject(value) || value['v'] !== 2 || value['cli'] !== cli || value['version'] !== version || value['ralph'] !== ralph)
    return null;
  const flags = toResult(value['flags']);
  const os = value['os'] === null ? null : toResult(value['os']);
  const at = value['at'];
  if (flags === undefined || os === undefined || typeof at !== 'string') return null;
  return { v: 2, cli, version, profile: 'critic', at, ralph, flags, os };
}

/** Versions are what programs say of themselves: only tame characters become a file name. */
function toFileName(cli: string, version: string): string {
  return `${cli}-${version.replace(/[^A-Za-z0-9.+-]+/g, '_').slice(0, 80)}.json`;
}

function toResult(value: Json | undefined): ProbeResult | undefined {
  if (!isJsonObject(value)) return undefined;
  const outcome = (['held', 'broken', 'unclear'] as const).find((known) => known === value['outcome']);
  if (outcome === undefined) return undefined;
  const through = PROBE_ATTEMPTS.map(({ id }) => id).filter((id) => listTexts(value, 'through').includes(id));
  const note = value['note'];
  return {
    outcome,
    through,
    others: listTexts(value, 'others'),
    ranTests: value['ranTests'] === true,
    published: value['published'] === true,
    note: typeof note === 'string' ? note : '',
  };
}

function listTexts(value: JsonObject, key: string): readonly string[] {
  const list = value[key];
  return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
}
