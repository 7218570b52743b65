import type { CommandName } from './args/command-table.ts';
import type { CliCommand } from './cli-command.ts';
import type { CommandBundle } from './command-bundle.ts';
import { runBundled } from './command-line.ts';
import { createContext } from './create-context.ts';

/**
 * The bundle that holds all commands. A module is loaded together with what it imports, so what only some commands need is imported dynamically.
 */
export const runCommandLine: CommandBundle['runCommandLine'] = (args, env) => {
  const loadApp = async () => {
    const { passSignalsOn } = await import('../process/running-child.ts');
    passSignalsOn();
    return import('../app/index.ts');
  };
  return runBundled(args, () =>
    createContext(env, { loadApp, loadWorker: () => import('../worker/index.ts'), loadWatch: loadApp, loadCommand }),
  );
};

export { COMMAND_NAMES } from './args/command-table.ts';

/** The code of each command is loaded when the command is called. */
const LOADERS: Readonly<Record<CommandName, () => Promise<CliCommand>>> = {
  run: async () => (await import('./commands/run-command.ts')).runCommand,
  resume: async () => (await import('./commands/resume-command.ts')).resumeCommand,
  queue: async () => (await import('./commands/queue-command.ts')).queueCommand,
  stop: async () => (await import('./commands/steer/stop-command.ts')).stopCommand,
  status: async () => (await import('./commands/status-command.ts')).statusCommand,
  watch: async () => (await import('./commands/watch-command.ts')).watchCommand,
  runs: async () => (await import('./commands/runs-command.ts')).runsCommand,
  web: async () => (await import('./commands/web-command.ts')).webCommand,
  worker: async () => (await import('./commands/worker-command.ts')).workerCommand,
  fleet: async () => (await import('./commands/fleet-command.ts')).fleetCommand,
  worktrees: async () => (await import('./commands/worktrees-command.ts')).worktreesCommand,
  land: async () => (await import('./commands/land-command.ts')).landCommand,
  pr: async () => (await import('./commands/pr-command.ts')).prCommand,
  undo: async () => (await import('./commands/undo-command.ts')).undoCommand,
  show: async () => (await import('./commands/show-command.ts')).showCommand,
  review: async () => (await import('./commands/review-command.ts')).reviewCommand,
  report: async () => (await import('./commands/report-command.ts')).reportCommand,
  panel: async () => (await import('./commands/panel-command.ts')).panelCommand,
  events: async () => (await import('./commands/events-command.ts')).eventsCommand,
  emit: async () => (await import('./commands/steer/emit-command.ts')).emitCommand,
  tell: async () => (await import('./commands/steer/tell-command.ts')).tellCommand,
  asks: async () => (await import('./commands/steer/asks-command.ts')).asksCommand,
  answer: async () => (await import('./commands/steer/answer-command.ts')).answerCommand,
  ask: async () => (await import('./commands/steer/ask-command.ts')).askCommand,
  token: async () => (await import('./commands/steer/token-command.ts')).tokenCommand,
  notify: async () => (await import('./commands/steer/notify-command.ts')).notifyCommand,
  mcp: async () => (await import('./commands/mcp-command.ts')).mcpCommand,
  simulate: async () => (await import('./commands/simulate-command.ts')).simulateCommand,
  gates: async () => (await import('./commands/gates-command.ts')).gatesCommand,
  init: async () => (await import('./commands/init-command.ts')).initCommand,
  presets: async () => (await import('./commands/presets-command.ts')).presetsCommand,
  migrate: async () => (await import('./commands/migrate-command.ts')).migrateCommand,
  validate: async () => (await import('./commands/validate-command.ts')).validateCommand,
  config: async () => (await import('./commands/config-command.ts')).configCommand,
  explain: async () => (await import('./commands/explain-command.ts')).explainCommand,
  graph: async () => (await import('./commands/graph-command.ts')).graphCommand,
  hats: async () => (await import('./commands/hats-command.ts')).hatsCommand,
  tools: async () => (await import('./commands/tools-command.ts')).toolsCommand,
  hooks: async () => (await import('./commands/hooks-command.ts')).hooksCommand,
  trace: async () => (await import('./commands/trace-command.ts')).traceCommand,
  doctor: async () => (await import('./commands/doctor-command.ts')).doctorCommand,
  demo: async () => (await import('./commands/demo-command.ts')).demoCommand,
  ps: async () => (await import('./commands/ps-command.ts')).psCommand,
  reap: async () => (await import('./commands/reap-command.ts')).reapCommand,
  clean: async () => (await import('./commands/clean-command.ts')).cleanCommand,
  completions: async () => (await import('./commands/completions-command.ts')).completionsCommand,
};

export function loadCommand(name: CommandName): Promise<CliCommand> {
  return LOADERS[name]();
}
