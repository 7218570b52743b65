import { RalphError } from '../core/index.ts';

/** A command line that cannot be understood: exit code 2. */
export function createUsageError(what: string, fix: string): RalphError {
  return new RalphError({ code: 'usage', what, fix, exitCode: 2 });
}
