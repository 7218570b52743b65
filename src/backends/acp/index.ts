import type { BackendSpec } from '../../core/backends/backend-spec.ts';
import type { CliBackendParts, Invocation, InvocationOrder } from '../describe/invocation.ts';
import { createAcpTranslator } from './translate.ts';

/** Any agent that speaks the Agent Client Protocol over its standard input and output. Some of them stay until they are ended. */
export function createAcpParts(spec: BackendSpec): CliBackendParts {
  return {
    place: () => ({ place: 'arg', warnings: [] }),
    plan: planAcp,
    createTranslator: (_invocation, request) =>
      createAcpTranslator({
        prompt: request.prompt,
        cwd: request.cwd,
        model: spec.model,
        toolServers: request.scope?.toolServers,
        isBypass: spec.permissions === 'bypass',
      }),
    lingerMs: 1500,
    shouldLeave: false,
  };
}

/** The user's own command, with its input kept open: the prompt goes through the protocol. */
export function planAcp({ spec }: InvocationOrder): Invocation {
  const warnings = spec.agent === undefined ? [] : ['the Agent Client Protocol knows no agents: `agent` is ignored'];
  return { command: spec.command ?? '', args: spec.args, stdin: 'open', env: {}, format: 'acp', warnings };
}
