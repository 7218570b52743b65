import { addFlags, findFlagValue, flag, hasFlag, withoutSwitch } from '../flags.ts';
import type { Invocation, InvocationOrder } from '../invocation.ts';

/** `claude … -p [PROMPT]`. `-p` takes no value: standing last it also ends a list-valued flag of the user's. */
export function planClaude({ spec, prompt, place, isRoot, env }: InvocationOrder): Invocation {
  const user = withoutSwitch(spec.args, '-p', '--print');
  const isBypass = spec.permissions === 'bypass' && !hasFlag(user, '--permission-mode', '--permission-prompt-tool');
  const format = findFlagValue(user, '--output-format') ?? 'stream-json';
  const stream = format === 'stream-json' ? [flag(['--verbose']), flag(['--include-partial-messages'])] : [];
  const ours = addFlags(
    user,
    flag(['--model'], spec.model),
    flag(['--agent'], spec.agent),
    flag(['--output-format'], 'stream-json'),
    ...stream,
    // Nobody watches an unattended turn: the person's own hooks and plugins are not meant for it.
    spec.userSettings === true ? [] : flag(['--setting-sources'], 'project,local'),
    isBypass ? flag(['--dangerously-skip-permissions']) : [],
  );
  const skips = isBypass || hasFlag(user, '--dangerously-skip-permissions');
  const needsSandboxMark = skips && isRoot && env['IS_SANDBOX'] === undefined;
  return {
    command: spec.command ?? 'claude',
    args: [...user, ...ours, '-p', ...(place === 'arg' ? [prompt] : [])],
    stdin: place === 'arg' ? 'none' : 'prompt',
    env: needsSandboxMark ? { IS_SANDBOX: '1' } : {},
    format: format === 'stream-json' ? 'claude' : 'text',
    warnings: [],
  };
}
