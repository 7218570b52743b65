import { addExamples, type CliCommand } from '../cli-command.ts';

/** `ralph emit`, what agents call. */
export const emitCommand: CliCommand = {
  declare: (command) => {
    command
      .argument('<topic>', 'such as build.done')
      .argument('[payload]', 'what the receiver should know')
      .option('-j, --json', 'the payload is JSON, not text')
      .option('--target <hat>', 'the hat that gets it, whatever its triggers are');
    addExamples(command, [
      ['ralph emit build.done "tests: 14 passed"', 'hand on to whoever takes build.done'],
      ['ralph emit review.rejected "no test" --target builder', 'to a certain hat'],
      [`ralph emit build.done '{"files": 3}' --json`, 'with data'],
    ]);
  },
  perform: async ({ cwd, env, terminal, loadApp }, { args, options }) => {
    const app = await loadApp();
    const [topic = '', payload] = args;
    const target = options['target'];
    const order = { cwd, env, topic, payload, json: options['json'] === true };
    const emitted = app.emitEvent(typeof target === 'string' ? { ...order, target } : order);
    terminal.out(`Published ${emitted.topic} as ${emitted.source}.\n`);
    if (emitted.waitsForResume !== null) terminal.out(`No run is under way: ${emitted.waitsForResume} reads it when it is resumed.\n`);
    return 0;
  },
};
