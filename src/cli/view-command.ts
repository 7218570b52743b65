import { openWatchedRun } from '../app/watched-run.ts';
import { openRunReader } from '../runs/read-run.ts';
import type { CommandBundle } from './command-bundle.ts';
import { runBundled } from './command-line.ts';
import { watchCommand } from './commands/watch-command.ts';
import { createContext } from './create-context.ts';

/** A bundle like `whole-command.ts` for `ralph watch` alone: a person waits for its first frame, half of which would be the loading of what starts runs. */
export const runCommandLine: CommandBundle['runCommandLine'] = (args, env) => {
  const loadApp = (): Promise<never> => Promise.reject(new Error('the view asked for the composition root'));
  const loadWatch = async () => ({ openRunReader, openWatchedRun });
  return runBundled(args, () => createContext(env, { loadApp, loadWatch, loadCommand: async () => watchCommand }));
};

export { COMMAND_NAMES } from './args/command-table.ts';
