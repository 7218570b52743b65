import { addExamples } from '../args/help.ts';
import type { CliCommand } from '../cli-context.ts';
import { serveRuns } from '../web/serve-runs.ts';
import { toWebPlace, USUAL_PORT } from '../web/web-place.ts';

/** `ralph web`. */
export const webCommand: CliCommand = {
  declare: (command) => {
    command
      .option('--port <n>', `the port; default: ${USUAL_PORT}, or any that is free`)
      .option('--open', 'open the page in the browser')
      .option('--read-only', 'show runs, and let nobody steer them')
      .option('--listen <address>', 'an address of this machine that others reach; needs --token-file, and only shows')
      .option('--token-file <file>', 'a file with the token, which you alone can read; default: a new token each time')
      .option('--steer', 'with --listen: let who has the token steer runs');
    addExamples(command, [
      ['ralph web', 'print the address of the page; Ctrl+C ends it, runs go on'],
      ['ralph web --open', 'open it in the browser too'],
      ['ssh -t -L 4700:127.0.0.1:4700 host ralph web --port 4700', 'the runs of another machine, in the browser of this one'],
    ]);
  },
  perform: async (context, { options }) => {
    const place = toWebPlace(options);
    await serveRuns(context, { place, opensBrowser: options['open'] === true });
    return 0;
  },
};
