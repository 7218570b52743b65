import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { isSecret, type SecretValue } from '../core/text/secrets.ts';
import { RalphError, toErrorCode } from '../core/values/errors.ts';
import { isJsonObject, type Json, mapTexts } from '../core/values/json.ts';
import type { GitPrograms } from '../git/contract.ts';
import type { RunBase } from '../git/repository.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import { readSettings, writeSettings } from '../journal/run-settings.ts';
import { findKnownSecrets } from '../safety/known-secrets.ts';
import { type Baseline, parseBaseline } from '../workspace/snapshot/baseline-record.ts';

/**
 * What a run keeps beside its journal: everything that has local paths, so that it can be resumed as it was started. `settings.json` in the run's folder, readable by
 * its owner alone. Secrets are not in it but for those that were typed on the command line: what variables say is read anew by every start.
 */
export interface RunFile {
  readonly version: 1;
  /** Of Ralph, when the run was started. */
  readonly ralphVersion: string;
  /** Absolute path of the folder that the agents work in. */
  readonly workspace: string;
  /** Name of the worktree; `null` in the main checkout. */
  readonly worktree: string | null;
  /** Of one that resolves a conflict of a landing: id of the run that is landed. It works in that landing's worktree, and nothing of its own is to be landed. */
  readonly resolves?: string;
  /** Address of the fleet whose workers take the turns, without who asks. Absent: they are taken on this machine. */
  readonly fleet?: string;
  /** What was typed in, when the prompt came from standard input. */
  readonly stdinPrompt: string | null;
  /** What HEAD was when the run began; for a worktree where it branched off, and the branch checked out in the main checkout. Absent in files of older versions. */
  readonly base?: RunBase;
  readonly settings: Settings;
  /** What was the user's own before the run began. */
  readonly baseline: Baseline | null;
  /** The programs that git's configuration named then: Ralph's own git runs no others. */
  readonly gitPrograms: GitPrograms;
}

/** Writes it, at any moment the old or the new one, without secrets. Throws the system error. */
export function writeRunFile(path: string, file: RunFile): void {
  const { settings } = file;
  const known = findKnownSecrets(settings, {});
  const { variables, backends, mcpServers, news } = settings;
  const sealed = {
    ...settings,
    backends: hide(backends, known, settings),
    mcpServers: hide(mcpServers, known, settings),
    ...(news === undefined ? {} : { news: hide(news, known, settings) }),
    ...(variables === undefined ? {} : { variables: toPrints(variables, toKeyPath(path)) }),
  };
  writeSettings(nodeFileSystem, path, { ...file, settings: sealed } as unknown as Json);
}

/** The secret variables of a configuration that say something else than when the run file was written, by name. */
export function listChangedSecrets(path: string, { settings }: RunFile, now: Settings): readonly string[] {
  const prints = toPrints(now.variables ?? {}, toKeyPath(path));
  const before = settings.variables ?? {};
  return Object.keys(prints).filter((name) => before[name] !== undefined && before[name] !== prints[name]);
}

/** The reference in the place of what a variable says, a mark in the place of any other secret. */
function hide<Value>(value: Value, known: readonly SecretValue[], { variables = {} }: Settings): Value {
  const marks = known.map(
    (secret) => [secret.value, secret.name in variables ? `\${${secret.name}}` : `[redacted: ${secret.name}]`] as const,
  );
  return mapTexts(value as Json, (text) => marks.reduce((shown, [secret, mark]) => shown.replaceAll(secret, mark), text)) as Value;
}

/** What tells a later start that a secret variable has changed, and nothing else: the key is in no folder of a run. */
function toPrints(variables: Readonly<Record<string, string>>, keyPath: string): Readonly<Record<string, string>> {
  const secrets = Object.entries(variables).filter(([name, value]) => isSecret(name, value));
  if (secrets.length === 0) return {};
  const key = openKey(keyPath);
  return Object.fromEntries(
    secrets.map(([name, value]) => [name, createHmac('sha256', key).update(`${name}\0${value}`).digest('hex').slice(0, PRINT_CHARS)]),
  );
}

const PRINT_CHARS = 32;
const KEY_BYTES = 32;

/** `key` in the state folder: `.ralph/runs/<id>/settings.json` is three levels below it. */
function toKeyPath(settingsPath: string): string {
  return join(dirname(settingsPath), '..', '..', 'key');
}

/** Made when it is first needed. Whoever comes second takes the first one's. */
function openKey(path: string): Buffer {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (toErrorCode(error) !== 'EEXIST') throw error;
  }
  return readFileSync(path);
}

/** Reads it. Throws a `RalphError` when it is missing, damaged or from a newer version. */
export function readRunFile(path: string): RunFile {
  const value = readSettings(nodeFileSystem, path);
  if (isJsonObject(value) && value['version'] === 1 && isJsonObject(value['settings'])) {
    // A baseline that cannot be read switches checkpoints off: a guess could commit what is the user's own.
    const file = value as unknown as RunFile;
    const { base: _, ...rest } = file;
    return {
      ...rest,
      ...parseBase(value['base']),
      workspace: findWorkspace(path, file),
      baseline: parseBaseline(value['baseline'] ?? null) ?? null,
      gitPrograms: parsePrograms(value['gitPrograms']),
    };
  }
  throw new RalphError({
    code: 'run-settings-newer',
    what: `The settings of this run were not written by this version: ${path}`,
    fix: 'Use the version of Ralph that started the run, or start a new one: ralph run',
  });
}

/** Only what can be an object id and the name of a branch. */
function parseBase(value: Json | undefined): Pick<RunFile, 'base'> {
  if (!isJsonObject(value)) return {};
  const { commit, branch } = value;
  return {
    base: {
      commit: typeof commit === 'string' && /^[0-9a-f]{40,64}$/.test(commit) ? commit : null,
      branch: typeof branch === 'string' && branch !== '' && !branch.startsWith('-') ? branch : null,
    },
  };
}

/** What cannot be read is none: then no filter runs. */
function parsePrograms(value: Json | undefined): GitPrograms {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** The folder of a run may have been moved, with its state in it: it is where the state is now. A worktree stands where it was, and so does the folder of a run that is only copied. */
function findWorkspace(path: string, { workspace, worktree, settings }: RunFile): string {
  if (isCopy({ folder: dirname(path) })) return workspace;
  const stateDir = resolve(dirname(path), '..', '..');
  const end = `${sep}${settings.stateDir.split('/').join(sep)}`;
  return worktree === null && stateDir.endsWith(end) ? stateDir.slice(0, -end.length) : workspace;
}

/** Stands in the folder of a run that is none: it was copied from a fleet, to be looked at. */
const COPY_MARK = 'copy';

/** Marks the folder of a run as a copy of what a fleet keeps. */
export function markCopy({ folder }: Pick<RunPaths, 'folder'>): void {
  writeFileSync(join(folder, COPY_MARK), '', { mode: 0o600 });
}

/** Whether a run is only a copy, to be looked at. */
export function isCopy({ folder }: Pick<RunPaths, 'folder'>): boolean {
  return existsSync(join(folder, COPY_MARK));
}

/** Throws RalphError `run-copy` for a copy: nothing is done to it as to a run. */
export function refuseCopy(paths: Pick<RunPaths, 'runId' | 'folder'>): void {
  if (isCopy(paths)) throw toCopyRefusal(paths.runId);
}

/** Said of whatever would be done to a copy. */
export function toCopyRefusal(runId: string): RalphError {
  return new RalphError({
    code: 'run-copy',
    what: `What is here of run ${runId} is a copy to look at; nothing was done.`,
    why: 'The run itself is where its fleet has it, and the copy disappears with the command that made it.',
    fix: `Steer it over the fleet: ralph tell, ralph answer or ralph stop ${runId} --fleet\nGo on with it: ralph resume ${runId} in its own folder, or with --fleet in an empty one`,
  });
}

/**
 * Refuses what makes no sense for a copy, and for a run that resolved a conflict of another one's landing.
 *
 * @throws RalphError `run-copy`, `run-resolves`
 */
export function requireOwnWork(paths: Pick<RunPaths, 'runId' | 'folder'>, { resolves }: Pick<RunFile, 'resolves'>): void {
  refuseCopy(paths);
  const { runId } = paths;
  if (resolves === undefined) return;
  throw new RalphError({
    code: 'run-resolves',
    what: `Run ${runId} was one turn that resolved a conflict for run ${resolves}: it cannot be resumed, landed or undone.`,
    why: 'It worked in the worktree of a landing, which is gone.',
    fix: `What it did: ralph show ${runId} --diff\nLand the other one: ralph land ${resolves}`,
  });
}
