import { addFlags, flag, hasFlag } from '../flags.ts';
import type { Invocation, InvocationOrder } from '../invocation.ts';
import { toFilePrompt } from '../prompt-place.ts';

/** `cline --json PROMPT`. It takes no prompt by standard input: a long one is a file that it is told to read. It approves by itself. */
export function planCline({ spec, prompt, promptFile, place }: InvocationOrder): Invocation {
  const user = spec.args;
  const isText = spec.outputFormat === 'text' && !hasFlag(user, '--json');
  const ours = addFlags(user, flag(['-m', '--model'], spec.model), isText ? [] : flag(['--json']));
  return {
    command: spec.command ?? 'cline',
    args: [...user, ...ours, place === 'arg' ? prompt : toFilePrompt(promptFile)],
    stdin: 'none',
    env: {},
    format: isText ? 'text' : 'cline',
    warnings: spec.agent === undefined ? [] : ['cline has no agents: `agent` is ignored'],
  };
}
