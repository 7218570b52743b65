import { toPlainLine } from '../../views/text/plain-text.ts';
import { addExamples } from '../args/help.ts';
import { addFormatOption } from '../args/options.ts';
import type { CliCommand } from '../cli-command.ts';
import { printTable } from '../terminal/print.ts';
import { printJson } from '../terminal/terminal.ts';

export const psCommand: CliCommand = {
  declare: (command) => {
    addFormatOption(command, ['table', 'json'], 'table for people, json for programs: one object per line');
    addExamples(command, [
      ['ralph ps', 'the processes of runs of this folder that are still alive'],
      ['ralph ps --format json', 'for programs'],
    ]);
  },
  perform: async ({ cwd, terminal, loadApp }, { options }) => {
    const app = await loadApp();
    const left = app.listProcesses(cwd);
    if (options['format'] === 'json') {
      for (const entry of left) printJson(terminal, { v: 1, ...entry });
      return 0;
    }
    if (left.length === 0) {
      terminal.err('No process of a run is alive.\n');
      return 0;
    }
    printTable(
      terminal,
      ['pid', 'run', 'turn', 'state', 'command'],
      left.map(({ pid, runId, turn, isRunAlive, command }) => [
        String(pid),
        runId,
        turn,
        isRunAlive ? 'at work' : 'left behind',
        toPlainLine(command, 120),
      ]),
    );
    if (left.some((entry) => !entry.isRunAlive)) terminal.err('End what was left behind: ralph reap\n');
    return 0;
  },
};
