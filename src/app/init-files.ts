import { lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createJsonSchema, findConfigFile } from '../config/index.ts';
import { RalphError, toErrorCode } from '../core/index.ts';
import { ensureStateFolders, nodeFileSystem } from '../journal/index.ts';
import { findOldName, isTaken } from '../validation/index.ts';
import { SCHEMA_FILE } from './fit-config.ts';

/** What is to be written, and whether what is there gives way. */
export interface InitFiles {
  readonly config: string;
  readonly prompt: string;
  /** True for a task that stays, forced or not. */
  readonly keepsPrompt: boolean;
  readonly force: boolean;
}

const CONFIG = 'ralph.yml';
const PROMPT = 'PROMPT.md';

/**
 * Writes `ralph.yml`, `PROMPT.md` and the schema that editors check the first by. A task that is there stays; forced, what is there is kept
 * under its name with `.old`.
 *
 * @returns the names of the files that were written
 * @throws RalphError `init-unwritable`, `state-folder` (exit code 1)
 */
export function writeInitFiles(cwd: string, { config, prompt, keepsPrompt, force }: InitFiles): readonly string[] {
  for (const name of [dirname(SCHEMA_FILE), SCHEMA_FILE]) refuseLink(cwd, name);
  ensureStateFolders(nodeFileSystem, [join(cwd, dirname(SCHEMA_FILE))]);
  try {
    if (force) for (const name of [findConfigFile(cwd), keepsPrompt ? null : PROMPT]) if (name !== null) putAside(join(cwd, name));
    writeFileSync(join(cwd, CONFIG), config, { flag: 'wx' });
    const isPromptThere = isTaken(join(cwd, PROMPT));
    if (!isPromptThere) writeFileSync(join(cwd, PROMPT), prompt, { flag: 'wx' });
    writeSchema(join(cwd, SCHEMA_FILE));
    return [CONFIG, ...(isPromptThere ? [] : [PROMPT]), SCHEMA_FILE];
  } catch (error) {
    throw toUnwritable(error);
  }
}

/** What is written here may not land elsewhere. */
function refuseLink(cwd: string, name: string): void {
  if (!isLink(join(cwd, name))) return;
  throw new RalphError({
    code: 'init-unwritable',
    what: `${name} is a link; nothing was written.`,
    why: 'What it leads to may be no file of Ralph, and would be written over.',
    fix: 'Move the link away.',
  });
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function writeSchema(path: string): void {
  const fresh = `${path}.${process.pid}-${Date.now()}.tmp`;
  writeFileSync(fresh, `${JSON.stringify(createJsonSchema())}\n`, { flag: 'wx' });
  try {
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** Renames a file to the first free one of `x.old`, `x.old2`, … */
function putAside(path: string): void {
  if (isTaken(path)) renameSync(path, findOldName(path));
}

function toUnwritable(error: unknown): RalphError {
  return new RalphError({
    code: 'init-unwritable',
    what: `The files cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    fix:
      toErrorCode(error) === 'EEXIST'
        ? `Move away what stands in the place of ${CONFIG} or ${PROMPT}.`
        : 'Make room, or give this folder write permission.',
    cause: error,
  });
}
