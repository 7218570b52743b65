import type { Settings } from '../config/index.ts';
import { isJsonObject, type Json, RalphError } from '../core/index.ts';
import { nodeFileSystem, readSettings, writeSettings } from '../journal/index.ts';
import { type Baseline, parseBaseline } from '../workspace/index.ts';

/**
 * What a run keeps beside its journal: everything that has local paths or secrets, so that it can be resumed as it was started.
 * `settings.json` in the run's folder, readable by its owner alone.
 */
export interface RunFile {
  readonly version: 1;
  /** Of Ralph, when the run was started. */
  readonly ralphVersion: string;
  /** Absolute path of the folder that the agents work in. */
  readonly workspace: string;
  /** Name of the worktree; `null` in the main checkout. */
  readonly worktree: string | null;
  /** What was typed in, when the prompt came from standard input. */
  readonly stdinPrompt: string | null;
  readonly settings: Settings;
  /** What was the user's own before the run began. */
  readonly baseline: Baseline | null;
}

/** Writes it, at any moment the old or the new one. Throws the system error. */
export function writeRunFile(path: string, file: RunFile): void {
  writeSettings(nodeFileSystem, path, file as unknown as Json);
}

/** Reads it. Throws a `RalphError` when it is missing, damaged or from a newer version. */
export function readRunFile(path: string): RunFile {
  const value = readSettings(nodeFileSystem, path);
  if (isJsonObject(value) && value['version'] === 1 && isJsonObject(value['settings'])) {
    // A baseline that cannot be read switches checkpoints off: a guess could commit what is the user's own.
    return { ...(value as unknown as RunFile), baseline: parseBaseline(value['baseline'] ?? null) ?? null };
  }
  throw new RalphError({
    code: 'run-settings-newer',
    what: `The settings of this run were not written by this version: ${path}`,
    fix: 'Use the version of Ralph that started the run, or start a new one: ralph run',
  });
}
