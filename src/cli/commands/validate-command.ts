import type { Command } from 'commander';
import { isValid } from '../../validation/config-report.ts';
import { addExamples, addNote } from '../args/help.ts';
import { addConfigOptions, addFormatOption } from '../args/options.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { CliCommand } from '../cli-command.ts';
import type { CliContext, CommandCall } from '../cli-context.ts';
import { type CheckedTarget, checkTarget, listTargets, type ValidateFlags } from '../validate/check-files.ts';
import { printRefusals, printReport } from '../validate/print-report.ts';

export const validateCommand: CliCommand = { declare, perform };

function declare(command: Command): void {
  command.argument('[files...]', 'configurations, each checked on its own; - for standard input; default: what `ralph run` would load');
  addConfigOptions(command);
  addFormatOption(command, ['human', 'json', 'sarif', 'github'], 'for people, programs, code scanning, or a GitHub workflow');
  command
    .option('--strict', 'fail on warnings too')
    .option('--fix', 'fix what has only one possible meaning; in a terminal, ask about the rest')
    .option('--fix-all', 'like --fix, and apply the first fix for everything else without asking')
    .option('--watch', 'check again whenever a file is saved, until Ctrl+C')
    .option('--stdin-name <name>', 'the name of the file that standard input stands for');
  addNote(command, EXITS);
  addExamples(command, [
    ['ralph validate', 'the configuration of this folder'],
    ['ralph validate presets/*.yml --strict', 'several, each on its own'],
    ['ralph validate --fix', 'fix typos; comments and layout stay'],
    ['ralph validate --watch', 'check while you edit'],
    ['ralph validate --format sarif > ralph.sarif', 'for code scanning'],
    ['ralph validate - --stdin-name ralph.yml < draft.yml', 'for editors'],
  ]);
}

const EXITS = 'Exit code 0: valid. 1: errors (with --strict also warnings). 2: a file is missing, or wrong usage.';

async function perform(context: CliContext, call: CommandCall): Promise<number> {
  const flags = call.options as unknown as ValidateFlags;
  const files = call.args.flat().filter((file): file is string => file !== undefined);
  checkUsage(files, flags);
  const isFix = flags.fix === true || flags.fixAll === true;
  if (flags.watch === true) {
    const { watchTargets } = await import('../validate/watch-targets.ts');
    return watchTargets(context, () => listTargets(context, files, flags), flags);
  }
  const targets = await listTargets(context, files, flags);
  const checked = isFix
    ? await (await import('../validate/fix-targets.ts')).fixTargets(context, targets, flags)
    : targets.map((target) => checkTarget(target));
  printRefusals(context, checked);
  await printReport(context, checked, flags);
  return toExitCode(checked, flags.strict === true);
}

function checkUsage(files: readonly string[], flags: ValidateFlags): void {
  const isFix = flags.fix === true || flags.fixAll === true;
  const isStdin = files.includes('-');
  if (files.filter((file) => file === '-').length > 1) throw createUsageError('Standard input was named twice.', 'Name it once.');
  if (isStdin && isFix) throw createUsageError('Standard input cannot be repaired.', 'Name the file itself.');
  if (isStdin && flags.watch === true) throw createUsageError('Standard input cannot be watched.', 'Name the file itself.');
  if (isFix && flags.watch === true) throw createUsageError('--watch does not change files.', 'Leave out one of --watch and --fix.');
  if (flags.stdinName !== undefined && !isStdin)
    throw createUsageError('--stdin-name is for standard input.', 'Name - as a file: ralph validate - --stdin-name ralph.yml');
}

function toExitCode(targets: readonly CheckedTarget[], strict: boolean): number {
  if (targets.some(({ refusal }) => refusal !== null)) return 2;
  return targets.every(({ checked }) => isValid(checked.diagnostics, strict)) ? 0 : 1;
}
