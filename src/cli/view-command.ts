import { openWatchedRun } from '../catalog/watched-run.ts';
import { findElsewhere } from '../fleet-runs/find-elsewhere.ts';
import { passSignalsOn } from '../process/running-child.ts';
import { openRunReader } from '../runs/read-run.ts';
import type { WatchApi } from './cli-context.ts';
import type { CommandBundle } from './command-bundle.ts';
import { runBundled } from './command-line.ts';
import { watchCommand } from './commands/watch-command.ts';
import { createContext } from './create-context.ts';

/** A bundle like `whole-command.ts` for `ralph watch` alone: a person waits for its first frame, half of which would be the loading of what starts runs. */
export const runCommandLine: CommandBundle['runCommandLine'] = (args, env) => {
  const loadApp = (): Promise<never> => Promise.reject(new Error('the view asked for the composition root'));
  // Few runs are on a fleet: what asks it is loaded when it is called.
  const ask: WatchApi['findElsewhere'] = (...asked) => findElsewhere(...asked);
  const loadWatch = async () => {
    passSignalsOn();
    return { openRunReader, openWatchedRun, findElsewhere: ask };
  };
  return runBundled(args, () => createContext(env, { loadApp, loadWorker: loadApp, loadWatch, loadCommand: async () => watchCommand }));
};

/** A run whose process is gone, and that a fleet keeps, may go on elsewhere: that is asked, and it is followed there. */
export const needsAll: NonNullable<CommandBundle['needsAll']> = (args, env) => {
  try {
    const reader = openRunReader(
      process.cwd(),
      args.slice(1).find((word) => !word.startsWith('-')),
      env,
    );
    return !reader.isAlive && !reader.isCopy && reader.fleet() !== null;
  } catch {
    // Whoever reads the run says what is wrong with it.
    return false;
  }
};

export { COMMAND_NAMES } from './args/command-table.ts';
