import type { Command } from 'commander';
import { addExamples } from '../args/help.ts';
import { addShowOptions, RUN_ARGUMENT } from '../args/options.ts';
import type { CliCommand } from '../cli-command.ts';
import { type ResumeFlags, resumeAndWatch } from '../live/resume-run.ts';

export const resumeCommand: CliCommand = {
  declare,
  perform: (context, { args, options }) => resumeAndWatch(context, args[0], options as unknown as ResumeFlags),
};

function declare(command: Command): void {
  command
    .argument(...RUN_ARGUMENT)
    .option('--max-iterations <n>', '+10: ten more turns; 30: thirty in all')
    .option('--max-cost <usd>', 'US dollars in all')
    .option('--max-runtime <duration>', '+1h: an hour more; 6h: six hours in all')
    .option('--accept-changes', 'accept a configuration or prompt that has changed, without asking')
    .option('--fleet [url]', 'a run of this fleet, in an empty folder: it is fetched here first');
  addShowOptions(command);
  addExamples(command, [
    ['ralph resume', 'continue the newest run'],
    ['ralph resume 20261121-22', 'continue a particular run'],
    ['ralph resume --max-iterations +10', 'ten more turns after the limit was reached'],
    ['ralph resume --max-cost 20', 'a higher cost limit'],
    ['ralph resume --accept-changes', 'with a changed ralph.yml or PROMPT.md'],
    ['ralph resume 20261121-221500-ab12c --fleet nats://10.0.0.5:4222', 'continue here a run that was started on another machine'],
  ]);
}
