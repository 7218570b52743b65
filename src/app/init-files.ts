import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createJsonSchema, findConfigFile } from '../config/index.ts';
import { RalphError, toErrorCode } from '../core/index.ts';
import { ensureStateFolders, nodeFileSystem } from '../journal/index.ts';
import { SCHEMA_FILE } from './fit-config.ts';

/** What is to be written, and whether what is there gives way. */
export interface InitFiles {
  readonly config: string;
  readonly prompt: string;
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
export function writeInitFiles(cwd: string, { config, prompt, force }: InitFiles): readonly string[] {
  ensureStateFolders(nodeFileSystem, [join(cwd, '.ralph')]);
  try {
    if (force) for (const name of [findConfigFile(cwd), PROMPT]) if (name !== null) putAside(join(cwd, name));
    writeFileSync(join(cwd, CONFIG), config, { flag: 'wx' });
    const isPromptThere = existsSync(join(cwd, PROMPT));
    if (!isPromptThere) writeFileSync(join(cwd, PROMPT), prompt, { flag: 'wx' });
    writeFileSync(join(cwd, SCHEMA_FILE), `${JSON.stringify(createJsonSchema())}\n`);
    return [CONFIG, ...(isPromptThere ? [] : [PROMPT]), SCHEMA_FILE];
  } catch (error) {
    throw toUnwritable(error);
  }
}

/** Renames a file to the first free one of `x.old`, `x.old2`, … */
function putAside(path: string): void {
  if (!existsSync(path)) return;
  let kept = `${path}.old`;
  for (let number = 2; existsSync(kept); number += 1) kept = `${path}.old${number}`;
  renameSync(path, kept);
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
