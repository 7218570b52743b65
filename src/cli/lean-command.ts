import type { CommandName } from './args/command-table.ts';
import type { CliCommand } from './cli-command.ts';
import type { CommandBundle } from './command-bundle.ts';
import { runBundled } from './command-line.ts';
import { createContext } from './create-context.ts';
import { openPlainOutput } from './terminal/plain-output.ts';

/** The commands that editors and scripts call again and again (`main.ts`). */
const LOADERS: Readonly<Partial<Record<CommandName, () => Promise<CliCommand>>>> = {
  explain: async () => (await import('./commands/explain-command.ts')).explainCommand,
  validate: async () => (await import('./commands/validate-command.ts')).validateCommand,
};

/**
 * A bundle like `whole-command.ts`, of two fifths of its size, for commands that end after a few lines.
 */
export const runCommandLine: CommandBundle['runCommandLine'] = (args, env) => {
  const loadApp = (): Promise<never> => Promise.reject(new Error('a lean command asked for the composition root'));
  const loadCommand = (name: CommandName): Promise<CliCommand> =>
    LOADERS[name]?.() ?? Promise.reject(new Error(`${name} is no lean command`));
  const outputs = { stdout: openPlainOutput(1, () => process.stdout), stderr: openPlainOutput(2, () => process.stderr) };
  return runBundled(args, () => createContext(env, { loadApp, loadWorker: loadApp, loadWatch: loadApp, loadCommand }, outputs));
};

export { COMMAND_NAMES } from './args/command-table.ts';
