import type { Command } from 'commander';
import { addExamples } from '../args/help.ts';
import { addShowOptions, RUN_ARGUMENT } from '../args/options.ts';
import type { CliCommand } from '../cli-context.ts';
import { type ResumeFlags, resumeAndWatch } from '../live/resume-run.ts';

/** `ralph resume`. */
export const resumeCommand: CliCommand = {
  declare,
  perform: (context, { args, options }) => resumeAndWatch(context, args[0], options as unknown as ResumeFlags),
};

function declare(command: Command): void {
  command
    .argument(...RUN_ARGUMENT)
    .option('--max-iterations <n>', '+10 for ten more, 30 for thirty in all')
    .option('--max-cost <usd>', 'US dollars in all')
    .option('--max-runtime <duration>', '+1h for an hour more, 6h for six in all')
    .option('--accept-changes', 'take a configuration or prompt that changed since, without asking');
  addShowOptions(command);
  addExamples(command, [
    ['ralph resume', 'go on with the newest run'],
    ['ralph resume 20261121-22', 'with a certain one'],
    ['ralph resume --max-iterations +10', 'after the limit was reached: ten more turns'],
    ['ralph resume --max-cost 20', 'the same for the cost'],
    ['ralph resume --accept-changes', 'under a changed ralph.yml or PROMPT.md'],
  ]);
}
