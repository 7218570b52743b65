import type { Invocation, InvocationOrder } from '../invocation.ts';

/** The user's own command, with its input kept open: the prompt goes through the protocol. */
export function planAcp({ spec }: InvocationOrder): Invocation {
  const warnings = spec.agent === undefined ? [] : ['the Agent Client Protocol knows no agents: `agent` is ignored'];
  return { command: spec.command ?? '', args: spec.args, stdin: 'open', env: {}, format: 'acp', warnings };
}
