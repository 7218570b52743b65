import { addFleetOption } from '../args/fleet-options.ts';
import { addExamples } from '../args/help.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { CliCommand } from '../cli-command.ts';
import { type ReadWish, readInFolder } from '../runs/read-in-folder.ts';
import { serveRuns } from '../web/serve-runs.ts';
import { toWebPlace, USUAL_PORT } from '../web/web-place.ts';

export const webCommand: CliCommand = {
  declare: (command) => {
    command
      .argument('[run]', 'with --fleet: only this run; default: those of the fleet that have not ended, and the newest others')
      .option('--port <n>', `the port; default: ${USUAL_PORT}, or any that is free`)
      .option('--open', 'open the page in the browser')
      .option('--read-only', 'show runs, and let nobody steer them')
      .option('--listen <address>', 'an address of this machine that others can reach; needs --token-file, and is read-only')
      .option('--token-file <file>', 'a file with the token, which you alone can read; default: a new token each time')
      .option('--steer', 'with --listen: let anyone with the token steer runs');
    addFleetOption(command);
    addExamples(command, [
      ['ralph web', 'print the address of the page; Ctrl+C ends it, the runs continue'],
      ['ralph web --open', 'open it in the browser too'],
      ['ssh -t -L 4700:127.0.0.1:4700 host ralph web --port 4700', 'the runs of another machine, in the browser of this one'],
      ['ralph web --fleet nats://10.0.0.5:4222', 'the runs of that fleet, on whatever machines they are'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const place = toWebPlace(options);
    const [run] = args;
    if (run !== undefined && options['fleet'] === undefined)
      throw createUsageError(
        'ralph web shows the runs of all folders, and takes no run.',
        'Choose it on the page; with --fleet say which run.',
      );
    const wish: ReadWish = { fleet: options['fleet'], run, files: 'later', isWhole: run === undefined, catchesSignals: true };
    return readInFolder(context, wish, async (where, id, copy) => {
      const copied = copy === null ? {} : { steeringOf: copy.steeringOf, onFirstLook: async () => id ?? null };
      await serveRuns(where, { place, opensBrowser: options['open'] === true, ...copied });
      return 0;
    });
  },
};
