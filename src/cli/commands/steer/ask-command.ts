import { parseDurationMs } from '../../../config/keys/setting-values.ts';
import { isDeadline } from '../../../core/run/question-limits.ts';
import { addExamples, addNote } from '../../args/help.ts';
import { createUsageError } from '../../args/usage-error.ts';
import type { CliCommand } from '../../cli-command.ts';

/** `ralph ask`, what agents call. */
export const askCommand: CliCommand = {
  declare: (command) => {
    command
      .argument('<text>', 'the question')
      .option('--choices <list>', 'the possible answers, separated by commas', 'yes,no')
      .option('--default <choice>', 'what counts if nobody answers; default: the last choice')
      .option('--deadline <duration>', 'how long to wait for an answer: 10m, 2h; default: human.deadline of the configuration');
    addNote(command, NOTE);
    addExamples(command, [
      ['ralph ask "Drop the old table?" --choices yes,no --default no', 'prints yes or no'],
      ['ralph ask "Which port?" --choices 8080,9090 --default 8080 --deadline 10m', 'waits for ten minutes at most'],
    ]);
  },
  perform: async ({ env, terminal }, { args, options }) => {
    const [text = ''] = args;
    const { default: fallback, deadline } = options;
    const deadlineMs = typeof deadline === 'string' ? parseDurationMs(deadline) : undefined;
    if (deadlineMs === null || (deadlineMs !== undefined && deadlineMs <= 0))
      throw createUsageError(
        `--deadline ${JSON.stringify(String(deadline).slice(0, 40))} cannot be read.`,
        'It must be a duration, such as 10m (a number is seconds).',
      );
    if (deadlineMs !== undefined && !isDeadline(deadlineMs))
      throw createUsageError('--deadline is too long.', 'It must be at most 24h: --deadline 2h');
    const { askPeople } = await import('../../../emit/index.ts');
    const { choice, by } = await askPeople(
      {
        text,
        choices: String(options['choices'])
          .split(',')
          .map((choice) => choice.trim()),
        ...(typeof fallback === 'string' && { default: fallback }),
        ...(deadlineMs === undefined ? {} : { deadlineMs }),
      },
      env,
    );
    if (by !== 'person') terminal.err('Nobody answered: this is the default.\n');
    terminal.out(`${choice}\n`);
    return 0;
  },
};

const NOTE =
  'It waits, and prints only the choice on standard output. People see the question in `ralph asks` and answer with `ralph answer`.';
