import type { BackendSpec } from '../../core/backends/backend-spec.ts';
import { type CliBackendParts, fitsArgument, type Invocation, type InvocationOrder, type PromptPlace } from '../describe/invocation.ts';
import type { Translator } from '../stream/translator.ts';

/** The user's own program. The spec alone says how the prompt is handed over, so nothing is decided before its plan. */
export function createCustomParts(spec: BackendSpec, createTranslator: (format: string, prompt: string) => Translator): CliBackendParts {
  return {
    place: () => ({ place: toMode(spec), warnings: spec.promptMode === 'stream' ? [NO_STREAM] : [] }),
    plan: planCustom,
    createTranslator: (invocation, request) => createTranslator(invocation.format, request.prompt),
    shouldLeave: true,
  };
}

const NO_STREAM = 'prompt_mode: stream is for claude; this program is given its prompt by standard input';

function toMode({ promptMode = 'arg' }: BackendSpec): Exclude<PromptPlace, 'stream'> {
  return promptMode === 'stream' ? 'stdin' : promptMode;
}

/** A flag that names a file: what cannot be an argument may go there. */
const FILE_FLAG = /file|path/i;

/**
 * The user's own command: `args`, then the prompt (`arg`), or nothing and the prompt on standard input (`stdin`), or the path of the
 * prompt file (`file`); with `prompt_flag` before it. A prompt that is too long for an argument is never cut: it goes by file where
 * the flag says that it takes one, else by standard input, with a warning.
 */
export function planCustom({ spec, prompt, promptFile }: InvocationOrder): Invocation {
  const flagName = spec.promptFlag;
  const mode = toMode(spec);
  const isTooLong = mode === 'arg' && !fitsArgument(prompt);
  const place = isTooLong ? (flagName !== undefined && FILE_FLAG.test(flagName) ? 'file' : 'stdin') : mode;
  const value = place === 'file' ? promptFile : prompt;
  return {
    command: spec.command ?? '',
    args: place === 'stdin' ? spec.args : [...spec.args, ...joinFlag(flagName, value)],
    stdin: place === 'stdin' ? 'prompt' : 'none',
    env: {},
    format: spec.outputFormat ?? 'text',
    warnings: isTooLong ? [toWarning(place)] : [],
  };
}

function joinFlag(flagName: string | undefined, value: string): readonly string[] {
  if (flagName === undefined || flagName === '') return [value];
  return flagName.endsWith('=') ? [`${flagName}${value}`] : [flagName, value];
}

function toWarning(place: PromptPlace): string {
  const way = place === 'file' ? 'as the path of a file' : 'by standard input';
  return `the prompt is too long for an argument (or holds a zero byte): this time it is given ${way}; set prompt_mode to stdin or file`;
}
