import type { CliCommand } from './cli-command.ts';
import type { CommandName } from './command-table.ts';

/** The commands that editors and scripts call again and again. They are bundled once more by themselves, see `run-lean.ts`. */
const LOADERS: Readonly<Partial<Record<CommandName, () => Promise<CliCommand>>>> = {
  explain: async () => (await import('./commands/explain-command.ts')).explainCommand,
  validate: async () => (await import('./commands/validate-command.ts')).validateCommand,
};

/** The code of a lean command; `main` asks for no other. */
export function loadLeanCommand(name: CommandName): Promise<CliCommand> {
  const load = LOADERS[name];
  return load === undefined ? Promise.reject(new Error(`${name} is no lean command`)) : load();
}
