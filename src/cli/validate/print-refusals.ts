import type { CliContext } from '../cli-context.ts';
import { describeError } from '../describe-error.ts';
import type { CheckedTarget } from './check-files.ts';

/** Says on standard error which configurations could not be looked at. */
export function printRefusals({ terminal }: CliContext, targets: readonly CheckedTarget[]): void {
  for (const { refusal } of targets) {
    if (refusal !== null) terminal.err(describeError(refusal, { style: terminal.errStyle, debug: false }).text);
  }
}
