import type { BackendSpec } from '../../core/index.ts';
import type { CliBackendParts } from '../cli-backend.ts';
import { planAcp } from './argv.ts';
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
