import type { BackendSpec } from '../../core/index.ts';
import type { CliBackendParts } from '../cli-backend.ts';
import { createTranslator } from '../stream-formats.ts';
import { planCustom } from './argv.ts';

/** The user's own program. How the prompt is handed over is the spec's word alone, so nothing is decided before its plan. */
export function createCustomParts(spec: BackendSpec): CliBackendParts {
  return {
    place: () => ({ place: spec.promptMode ?? 'arg', warnings: [] }),
    plan: planCustom,
    createTranslator: (invocation, request) => createTranslator(invocation.format, request.prompt),
    shouldLeave: true,
  };
}
