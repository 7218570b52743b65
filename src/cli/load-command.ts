import type { CliCommand } from './cli-command.ts';
import type { CommandName } from './command-table.ts';

/** The code of each command is loaded when the command is called. */
const LOADERS: Readonly<Record<CommandName, () => Promise<CliCommand>>> = {
  run: async () => (await import('./commands/run-command.ts')).runCommand,
  resume: async () => (await import('./commands/resume-command.ts')).resumeCommand,
  stop: async () => (await import('./commands/stop-command.ts')).stopCommand,
  status: async () => (await import('./commands/status-command.ts')).statusCommand,
  runs: async () => (await import('./commands/runs-command.ts')).runsCommand,
  show: async () => (await import('./commands/show-command.ts')).showCommand,
  events: async () => (await import('./commands/events-command.ts')).eventsCommand,
  emit: async () => (await import('./commands/emit-command.ts')).emitCommand,
  init: async () => (await import('./commands/init-command.ts')).initCommand,
  doctor: async () => (await import('./commands/doctor-command.ts')).doctorCommand,
  demo: async () => (await import('./commands/demo-command.ts')).demoCommand,
  ps: async () => (await import('./commands/ps-command.ts')).psCommand,
  reap: async () => (await import('./commands/reap-command.ts')).reapCommand,
  clean: async () => (await import('./commands/clean-command.ts')).cleanCommand,
  completions: async () => (await import('./commands/completions-command.ts')).completionsCommand,
};

/** The code of a command. */
export function loadCommand(name: CommandName): Promise<CliCommand> {
  return LOADERS[name]();
}
