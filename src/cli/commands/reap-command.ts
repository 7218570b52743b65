import { toPlainLine } from '../../views/text/plain-text.ts';
import { addExamples } from '../args/help.ts';
import type { CliCommand } from '../cli-command.ts';

export const reapCommand: CliCommand = {
  declare: (command) => {
    addExamples(command, [['ralph reap', 'end the processes of dead runs; those of living runs stay']]);
  },
  perform: async ({ cwd, terminal, loadApp }) => {
    const app = await loadApp();
    const ended = await app.reapProcesses(cwd);
    for (const { pid, runId, turn, command } of ended)
      terminal.out(`ended ${pid} (run ${runId}, turn ${turn}): ${toPlainLine(command, 120)}\n`);
    if (ended.length === 0) terminal.err('Nothing was left behind.\n');
    return 0;
  },
};
