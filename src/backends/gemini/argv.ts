import { addFlags, findFlagValue, flag, hasFlag } from '../flags.ts';
import type { Invocation, InvocationOrder } from '../invocation.ts';

/** `gemini … -p PROMPT`; without `-p` the prompt comes by standard input. Without `--skip-trust` it refuses folders it does not know. */
export function planGemini({ spec, prompt, place }: InvocationOrder): Invocation {
  const user = spec.args;
  const isBypass = spec.permissions === 'bypass' && !hasFlag(user, '--approval-mode', '-y');
  const format = findFlagValue(user, '-o', '--output-format') ?? 'stream-json';
  const ours = addFlags(
    user,
    flag(['-m', '--model'], spec.model),
    isBypass ? flag(['--yolo']) : [],
    flag(['--skip-trust']),
    flag(['-o', '--output-format'], 'stream-json'),
  );
  return {
    command: spec.command ?? 'gemini',
    args: [...user, ...ours, ...(place === 'arg' ? ['-p', prompt] : [])],
    stdin: place === 'arg' ? 'none' : 'prompt',
    env: {},
    format: format === 'stream-json' ? 'gemini' : 'text',
    warnings: spec.agent === undefined ? [] : ['gemini has no agents: `agent` is ignored'],
  };
}
