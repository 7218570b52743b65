import { addFlags, flag } from '../flags.ts';
import type { Invocation, InvocationOrder } from '../invocation.ts';
import { toFilePrompt } from '../prompt-place.ts';

/** `cline --json PROMPT`. It takes no prompt by standard input: a long one is a file that it is told to read. It approves by itself. */
export function planCline({ spec, prompt, promptFile, place }: InvocationOrder): Invocation {
  const user = spec.args;
  const ours = addFlags(user, flag(['-m', '--model'], spec.model), flag(['--json']));
  return {
    command: spec.command ?? 'cline',
    args: [...user, ...ours, place === 'arg' ? prompt : toFilePrompt(promptFile)],
    stdin: 'none',
    env: {},
    format: 'cline',
    warnings: spec.agent === undefined ? [] : ['cline has no agents: `agent` is ignored'],
  };
}
