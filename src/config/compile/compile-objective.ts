import { resolve } from 'node:path';
import { RalphError } from '../../core/values/errors.ts';
import { tryOr } from '../../core/values/result.ts';
import { EVENT_LOOP_KEYS } from '../keys/event-loop-keys.ts';
import { toEffective } from '../keys/setting-values.ts';
import type { Declared } from '../keys/settings-table.ts';
import { type NamedFile, readNamedFile, toShownPath } from '../layers/read-text-file.ts';
import type { ConfigFlags, Objective, ObjectiveSource } from '../settings.ts';

export interface ObjectiveRequest {
  /** Absolute. */
  readonly cwd: string;
  readonly flags: ConfigFlags;
  /** What came by standard input, for `-P -`. */
  readonly stdinPrompt: string | undefined;
  /** `event_loop:` of the configuration. */
  readonly loop: Declared['event_loop'];
}

/** `optional` for commands that look at a configuration without running it: a missing prompt is then an empty one. */
type Need = 'required' | 'optional';

const MAX_PROMPT_BYTES = 10_000_000;
const WAYS = [
  'Say what is to be done in one of these ways:',
  '  ralph run "Add a dark mode"        the words themselves (or -p TEXT)',
  '  ralph run -P task.md               a file (- for standard input)',
  '  PROMPT.md                          a file of this name in the folder of the run',
  '  event_loop.prompt, .prompt_file    in the configuration',
].join('\n');

/**
 * Finds the objective: `-p` or the words after `run`, `-P FILE`, `-P -`, `event_loop.prompt`, `event_loop.prompt_file`.
 *
 * @throws RalphError `prompt-missing`, `prompt-unreadable`, `prompt-empty`, `prompt-twice`, `prompt-invalid` (exit code 2)
 */
export function compileObjective(request: ObjectiveRequest, need: Need): Objective {
  const objective = findObjective(request, need);
  if (objective.text.includes('\0')) throw fault('prompt-invalid', 'The prompt holds a zero byte: it is no text.');
  if (need === 'required' && objective.text.trim() === '') throw fault('prompt-empty', `The prompt${toOrigin(objective.source)} is empty.`);
  return objective;
}

function findObjective(request: ObjectiveRequest, need: Need): Objective {
  const { flags } = request;
  const { prompt, prompt_file: promptFile } = toEffective(EVENT_LOOP_KEYS, request.loop);
  if (flags.prompt !== undefined && flags.promptFile !== undefined) {
    throw fault('prompt-twice', 'The prompt is given as text and as a file.', 'Give it in one way only.');
  }
  if (flags.prompt !== undefined) return { text: flags.prompt, source: { from: 'flag', file: null } };
  if (flags.promptFile === '-') return fromStdin(request.stdinPrompt);
  if (flags.promptFile !== undefined) return fromFile(request, flags.promptFile, { kind: 'any' });
  if (prompt !== undefined && prompt.trim() !== '') return { text: prompt, source: { from: 'config', file: null } };
  const missing = `There is no prompt: none on the command line, none in the configuration, and no file ${promptFile}.`;
  return need === 'required' ? fromFile(request, promptFile, { missing }) : fromOptionalFile(request, promptFile);
}

function fromStdin(text: string | undefined): Objective {
  if (text === undefined) throw fault('prompt-missing', 'The prompt was to come by standard input, and nothing came.');
  return { text: text.replace(/^\uFEFF/, ''), source: { from: 'stdin', file: null } };
}

function fromFile({ cwd }: ObjectiveRequest, file: string, options: Pick<NamedFile, 'kind' | 'missing'> = {}): Objective {
  const path = resolve(cwd, file);
  const shown = toShownPath(cwd, path);
  const text = readNamedFile({
    path,
    shown,
    maxBytes: MAX_PROMPT_BYTES,
    code: 'prompt',
    fix: WAYS,
    ...options,
  });
  return { text, source: { from: 'file', file: shown } };
}

function fromOptionalFile(request: ObjectiveRequest, file: string): Objective {
  return tryOr(() => fromFile(request, file), { text: '', source: { from: 'none', file: null } });
}

function toOrigin({ file }: ObjectiveSource): string {
  return file === null ? '' : ` in ${file}`;
}

function fault(code: string, what: string, fix = WAYS): RalphError {
  return new RalphError({ code, what, fix, exitCode: 2 });
}
