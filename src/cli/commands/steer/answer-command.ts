import { Option } from 'commander';
import { toPlainLine } from '../../../views/text/plain-text.ts';
import { addFleetOption } from '../../args/fleet-options.ts';
import { addExamples } from '../../args/help.ts';
import { createUsageError } from '../../args/usage-error.ts';
import type { CliCommand } from '../../cli-command.ts';
import { sayToRun, toKeptLine, toKeptRecord } from '../../runs/find-steered.ts';
import { printJson } from '../../terminal/terminal.ts';

export const answerCommand: CliCommand = {
  declare: (command) => {
    command
      .argument('<words...>', '[run] [question] choice; default question: the only open one; with a run, name the question too')
      .option('--run <run>', 'a run, by its id or the beginning of it; default: the one under way, else the newest')
      .addOption(new Option('--format <format>', 'text for people, json for programs').choices(['text', 'json']).default('text'));
    addFleetOption(command);
    addExamples(command, [
      ['ralph answer yes', 'the only open question'],
      ['ralph answer q3 no', 'a particular one; ralph asks lists them'],
      ['ralph answer q4 once', 'allow a tool call this once; the other choices are run, always and deny'],
      ['ralph answer 20261121-22 q3 no', 'of a particular run; the same: ralph answer q3 no --run 20261121-22'],
      ['ralph answer q3 no --fleet nats://10.0.0.5:4222', 'of a run on another machine of that fleet'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const { cwd, env, terminal, loadApp } = context;
    const words = args.flat();
    const named = typeof options['run'] === 'string' ? options['run'] : undefined;
    // Before a question and a choice.
    const typed = named === undefined && words.length === 3 && isRunLike(words[0] ?? '') ? words.shift() : undefined;
    if (words.length > 2)
      throw createUsageError('Too many words.', 'A choice with spaces goes into quotes: ralph answer q1 "the second one"');
    const run = named ?? typed;
    const question = words.length === 2 ? words[0] : undefined;
    const app = await loadApp();
    const answer = { choice: words.at(-1) ?? '', ...(question !== undefined && { question }) };
    const heard = await sayToRun(
      context,
      { typed: options['fleet'], run },
      () => app.answerRun(cwd, answer, env, run),
      (order, said) => app.answerFleetRun(order, { ...answer, ...said }),
    );
    if (options['format'] === 'json')
      printJson(terminal, {
        v: 1,
        run: heard.runId,
        id: heard.id,
        alive: heard.isRunAlive,
        question: heard.question,
        ...toKeptRecord(heard),
      });
    else terminal.out(`${toAnswerLine(heard)}\n`);
    return 0;
  },
};

/** Whether a word is the id of a run, or the beginning of one, and not the name of a question or a word of an answer. */
function isRunLike(word: string): boolean {
  return word === 'last' || /^\d{6}/.test(word);
}

function toAnswerLine({
  runId,
  isRunAlive,
  question,
  kept,
}: Awaited<ReturnType<Awaited<ReturnType<Parameters<CliCommand['perform']>[0]['loadApp']>>['answerRun']>>): string {
  if (kept !== undefined) return toKeptLine(runId, kept);
  const given = question?.answer ?? null;
  if (given !== null) return `Answered ${question?.id} of ${runId}: ${toPlainLine(given.choice, 200)}.`;
  return isRunAlive
    ? `Written for ${runId}, whose journal does not have it yet. See: ralph asks`
    : `Written for ${runId}, which is not under way: it counts when the run is resumed.`;
}
