import { addExamples } from '../../args/help.ts';
import { createUsageError } from '../../args/usage-error.ts';
import type { CliCommand } from '../../cli-command.ts';

/** `ralph emit`, what agents call. */
export const emitCommand: CliCommand = {
  declare: (command) => {
    command
      .argument('<topic>', 'the topic, such as build.done')
      .argument('[payload]', 'what the receiver should know')
      .option('-j, --json', 'the payload is JSON, not text')
      .option('--run <run>', 'the run, by its id or the beginning of it; default: the one under way, else the newest. Not inside a turn')
      .option('--target <hat>', 'the hat that receives the event, whatever its triggers are');
    addExamples(command, [
      ['ralph emit build.done "tests: 14 passed"', 'hand over to the hat that takes build.done'],
      ['ralph emit review.rejected "no test" --target builder', 'to a particular hat'],
      [`ralph emit build.done '{"files": 3}' --json`, 'with data'],
      ['ralph emit build.blocked "no key" --run 20261121-22', 'to a particular run, from outside its turns'],
    ]);
  },
  perform: async ({ cwd, env, terminal, loadApp, loadWatch }, { args, options }) => {
    const [topic = '', payload] = args;
    const target = options['target'];
    const words = { topic, payload, json: options['json'] === true, ...(typeof target === 'string' && { target }) };
    const { emitInto, findEventPlace, refuseInRound, toCutText } = await import('../../../emit/index.ts');
    const turn = findEventPlace(env);
    const run = typeof options['run'] === 'string' ? options['run'] : undefined;
    if (turn !== null) {
      if (run !== undefined)
        throw createUsageError('Inside a turn an event is of the run whose turn it is.', 'Leave --run out; a person names another run.');
      const cut = emitInto(words, turn);
      terminal.out(`Published ${topic} as ${turn.hat}.\n${toCutText(cut)}`);
      return 0;
    }
    refuseInRound(env);
    const away = await (await loadWatch()).findElsewhere(cwd, run, env);
    // Agents call this often: what is seldom needed is loaded then.
    const elsewhere = away === null ? null : (await import('../../runs/away-event.ts')).toDelivery(away);
    const { runId, isRunAlive, delivery, cut } = (await loadApp()).emitFromOutside(cwd, words, env, run);
    if (elsewhere !== null) {
      terminal.out(`Written for ${runId}: ${topic}. ${elsewhere}\n${toCutText(cut)}`);
      return 0;
    }
    terminal.out(`Published ${topic} to ${runId}. ${delivery}\n${toCutText(cut)}`);
    if (!isRunAlive) terminal.out('That run is not under way: it reads the event when it is resumed.\n');
    return 0;
  },
};
