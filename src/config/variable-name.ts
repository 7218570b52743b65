import type { Finding } from '../core/index.ts';
import { RESERVED_VARIABLES } from './environment.ts';
import { quote } from './value-finding.ts';

/** What is wrong with the name of an environment variable; `null` where nothing is. */
export function toVariableNameFinding(name: string): Finding | null {
  if (RESERVED_VARIABLES.includes(name)) {
    return {
      code: 'env-reserved',
      severity: 'error',
      message: `The variable \`${name}\` is set by the loop itself.`,
      why: 'Agents find the run, their turn and their events file by it.',
      fix: 'Remove it.',
    };
  }
  if (/^[^=\0]+$/.test(name)) return null;
  return {
    code: 'env-invalid',
    severity: 'error',
    message: `${quote(name)} cannot be the name of an environment variable.`,
    why: 'No process could be started with it.',
    fix: 'Use letters, digits and `_`.',
  };
}
