import { toCount } from '../../views/text/plain-text.ts';
import { addExamples } from '../args/help.ts';
import { parseCount } from '../args/parse-values.ts';
import type { CliCommand } from '../cli-command.ts';
import { describeError } from '../terminal/describe-error.ts';

const DEFAULT_KEEP = '10';

export const cleanCommand: CliCommand = {
  declare: (command) => {
    command
      .option('--keep <n>', 'keep this many of the newest runs', DEFAULT_KEEP)
      .option('--dry-run', 'show what would be removed; remove nothing');
    addExamples(command, [
      ['ralph clean', 'keep the ten newest runs, and those that are under way'],
      ['ralph clean --keep 0 --dry-run', 'what would be removed if none were kept'],
    ]);
  },
  perform: async ({ cwd, env, terminal, loadApp }, { options }) => {
    const keep = parseCount(String(options['keep']), '--keep', 0);
    const dryRun = options['dryRun'] === true;
    const app = await loadApp();
    const { removed, kept, failed } = await app.cleanRuns(cwd, { keep, dryRun }, env);
    for (const runId of removed) terminal.out(`${runId}\n`);
    for (const text of kept) terminal.err(`${text}\n`);
    for (const error of failed) terminal.err(describeError(error, { style: terminal.errStyle, debug: false }).text);
    terminal.err(`${toCount(removed.length, 'run')} ${dryRun ? 'would be removed' : 'removed'}.\n`);
    return failed.length === 0 ? 0 : 1;
  },
};
