import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { quote } from '../findings/diagnostics.ts';
import type { Diagnostic } from '../findings/located.ts';
import { EVENT_LOOP_KEYS } from '../keys/event-loop-keys.ts';
import { isFile } from '../layers/read-text-file.ts';
import type { ConfigFlags } from '../settings.ts';
import { findingAt, type RuleInput, withoutDot } from './rule.ts';

/** Where a prompt may come from, besides the configuration. */
export interface PromptSources {
  /** The folder of the run, absolute: `prompt_file` counts from it. */
  readonly cwd: string;
  readonly flags: ConfigFlags;
}

/**
 * The prompt file that the configuration names is there. The default one may be missing, also where its name is written out: the command
 * line may name the prompt, and a run without one is refused anyway.
 */
export function checkPromptFile(input: RuleInput, { cwd, flags }: PromptSources): readonly Diagnostic[] {
  const { prompt, prompt_file: file } = input.declared.event_loop ?? {};
  const isElsewhere = flags.prompt !== undefined || flags.promptFile !== undefined || (prompt ?? '').trim() !== '';
  if (file === undefined || isElsewhere || isDefault(file) || isFile(resolve(cwd, file))) return [];
  return [
    findingAt(input, ['event_loop', 'prompt_file'], {
      code: 'prompt-file-missing',
      severity: 'error',
      message: `The prompt file ${quote(file)} ${existsSync(resolve(cwd, file)) ? 'is no regular file' : 'is not there'}.`,
      why: 'It says what is to be done; without it no agent could begin.',
      fix: 'Correct the path (it counts from the folder of the run), write the file, or write the words themselves:\n\nevent_loop:\n  prompt: What is to be done.',
    }),
  ];
}

function isDefault(file: string): boolean {
  return withoutDot(file) === EVENT_LOOP_KEYS.prompt_file.default;
}
