import { RalphError } from '../core/values/errors.ts';
import { type Json, parseJson } from '../core/values/json.ts';
import { type FileSystem, readSmallFile, writeFileAtomically } from './file-system.ts';

const MAX_BYTES = 64 << 20;
/** For its owner alone: settings may hold the environment of agents. */
const PERMISSIONS = 0o600;

/** Writes a run's `settings.json`: at any moment the old or the new one is there, whole. Throws the system error. */
export function writeSettings(fs: FileSystem, path: string, settings: Json): void {
  writeFileAtomically(fs, path, `${JSON.stringify(settings, null, 2)}\n`, PERMISSIONS);
}

/**
 * What {@link writeSettings} wrote.
 *
 * @throws the system error; RalphError `run-settings-unreadable` when the file is missing or no JSON.
 */
export function readSettings(fs: FileSystem, path: string): Json {
  const bytes = readSmallFile(fs, path, MAX_BYTES);
  const settings = bytes === null ? undefined : parseJson(bytes.toString('utf8'));
  if (settings !== undefined) return settings;
  throw new RalphError({
    code: 'run-settings-unreadable',
    what: `The settings of this run ${bytes === null ? 'are missing' : 'cannot be read'}: ${path}`,
    why: 'Without them nobody knows how its agents are started.',
    fix: 'Start a new run: ralph run',
  });
}
