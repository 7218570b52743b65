import { Option } from 'commander';
import type { Heard } from '../../../runs/run-api.ts';
import { toReceiptText } from '../../../views/report/people-rows.ts';
import { addFleetOption } from '../../args/fleet-options.ts';
import { addExamples, addNote } from '../../args/help.ts';
import { RUN_OPTION } from '../../args/options.ts';
import { createUsageError } from '../../args/usage-error.ts';
import type { CliCommand } from '../../cli-command.ts';
import { sayToRun, toKeptLine, toKeptRecord } from '../../runs/find-steered.ts';
import { printJson } from '../../terminal/terminal.ts';

/** How long a person waits by default until an agent was given what they told. */
const GIVEN_MS = 2000;

/** `ralph tell`. */
export const tellCommand: CliCommand = {
  declare: (command) => {
    command
      .argument('<words...>', '[run] "text": what the agents should know; default run: the one under way, else the newest')
      .option(...RUN_OPTION)
      .option('--to <hat>', 'only this hat; if several of its turns run (parallel), the one that has been at work longest')
      .option('--now', 'between two steps of the running turn, if its agent can be told; else with the next prompt (the default)')
      .option('--next', 'with the next prompt, not in the middle of a turn')
      .option('--interrupt', 'end the running turn and start its hat again with this, whatever its agent')
      .addOption(new Option('--format <format>', 'text for people, json for programs').choices(['text', 'json']).default('text'));
    addFleetOption(command);
    addNote(command, NOTE);
    addExamples(command, [
      ['ralph tell "use the old API"', 'the agent at work, as soon as it can be told'],
      ['ralph tell "skip the slow tests" --to builder', 'a particular hat: now, or when its turn comes'],
      ['ralph tell "stop, that is the wrong file" --interrupt', 'at once, for an agent that cannot be told while it works'],
      [
        'ralph tell 20261121-22 "do not touch the schema" --next',
        'a particular run, with its next prompt; --run 20261121-22 says it as well',
      ],
      ['ralph tell "use the old API" --fleet nats://10.0.0.5:4222', 'a run on another machine of that fleet'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const { cwd, env, terminal, loadApp } = context;
    const words = args.flat();
    const named = typeof options['run'] === 'string' ? options['run'] : undefined;
    if (words.length > (named === undefined ? 2 : 1))
      throw createUsageError('Too many words.', 'Put the text in quotes, and name the run once: ralph tell "use the old API"');
    const given = (['now', 'next', 'interrupt'] as const).filter((when) => options[when] === true);
    if (given.length > 1) throw createUsageError(`--${given.join(' and --')} exclude each other.`, 'Give one.');
    const when = given[0] ?? 'now';
    const run = named ?? (words.length === 2 ? words[0] : undefined);
    const to = options['to'];
    const app = await loadApp();
    const told = { text: words.at(-1) ?? '', when, ...(typeof to === 'string' && { to }) };
    const givenMs = when === 'next' ? 0 : GIVEN_MS;
    const heard = await sayToRun(
      context,
      { typed: options['fleet'], run },
      () => app.tellRun(cwd, told, env, run, givenMs),
      (order, said) => app.tellFleetRun(order, { ...told, ...said }, givenMs),
    );
    if (options['format'] === 'json')
      printJson(terminal, { v: 1, run: heard.runId, id: heard.id, alive: heard.isRunAlive, tell: heard.tell, ...toKeptRecord(heard) });
    else terminal.out(`${toReceiptLine(heard)}\n`);
    return 0;
  },
};

const NOTE =
  'A completion does not count while a person’s message waits. `ralph status` shows what became of it. Which agents can be told in the middle of a turn: docs/guide/steering.md.';

/** What became of what a person told, as far as it has come: written, in the journal, given to an agent. */
function toReceiptLine({ runId, isRunAlive, tell, kept: onFleet }: Heard): string {
  if (onFleet !== undefined) return toKeptLine(runId, onFleet);
  if (tell === null)
    return isRunAlive
      ? `Written for ${runId}, whose journal does not have it yet. See: ralph status`
      : `Written for ${runId}, which is not under way: it is told when it is resumed.`;
  const kept = `Told ${runId}: in the journal (#${tell.seq})`;
  if (tell.given === null) {
    const who = tell.to ?? 'whoever works';
    if (tell.when === 'next') return `${kept}; ${who} gets it with the next prompt.`;
    return `${kept}; ${who} gets it as soon as it can be told, at the latest with the next prompt. Not to wait for that: ralph tell --interrupt`;
  }
  return `${kept}, ${toReceiptText(tell)}.`;
}
