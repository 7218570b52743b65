import type { CliCommand } from './cli-command.ts';

/** A command by name. Its code is loaded when it is called. */
export interface CommandEntry {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly load: () => Promise<CliCommand>;
}

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: 'run', summary: 'start a run: agents work until the task is done', load: async () => (await import('./commands/run-command.ts')).runCommand },
  { name: 'resume', summary: 'go on with a run that was stopped, killed or limited', load: async () => (await import('./commands/resume-command.ts')).resumeCommand },
  { name: 'stop', summary: 'end a run that is under way in another terminal', load: async () => (await import('./commands/stop-command.ts')).stopCommand },
  { name: 'status', summary: 'what a run does now, how far it is', load: async () => (await import('./commands/status-command.ts')).statusCommand },
  { name: 'runs', summary: 'list the runs of this folder', load: async () => (await import('./commands/runs-command.ts')).runsCommand },
  { name: 'show', summary: 'what an iteration was asked, said and changed', load: async () => (await import('./commands/show-command.ts')).showCommand },
  { name: 'events', summary: 'the events of a run, also while it goes on', load: async () => (await import('./commands/events-command.ts')).eventsCommand },
  { name: 'emit', summary: 'publish an event (what agents call)', load: async () => (await import('./commands/emit-command.ts')).emitCommand },
  { name: 'init', summary: 'write a commented ralph.yml and a PROMPT.md', load: async () => (await import('./commands/init-command.ts')).initCommand },
  { name: 'doctor', summary: 'which agent CLIs are there, and what to do', load: async () => (await import('./commands/doctor-command.ts')).doctorCommand },
  { name: 'demo', summary: 'watch a team mend a failing test; no key, no network', load: async () => (await import('./commands/demo-command.ts')).demoCommand },
  { name: 'ps', summary: 'processes that runs of this folder started', load: async () => (await import('./commands/ps-command.ts')).psCommand },
  { name: 'reap', summary: 'end what a dead run left behind', load: async () => (await import('./commands/reap-command.ts')).reapCommand },
  { name: 'clean', summary: 'remove old runs with their prompts and outputs', load: async () => (await import('./commands/clean-command.ts')).cleanCommand },
  {
    name: 'completions',
    summary: 'completions for bash, zsh or fish',
    load: async () => (await import('./commands/completions-command.ts')).completionsCommand,
  },
];

/** The names of all commands. */
export const COMMAND_NAMES: readonly string[] = COMMANDS.map((entry) => entry.name);
