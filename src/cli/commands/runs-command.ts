import { toUsdText } from '../../core/index.ts';
import { toFirstLine } from '../../views/index.ts';
import { addExamples, type CliCommand } from '../cli-command.ts';
import type { AppApi } from '../cli-context.ts';
import { addFormatOption } from '../format-option.ts';
import { toLocalTime } from '../local-time.ts';
import { printTable } from '../print-table.ts';
import { printJson } from '../terminal.ts';

type RunSummary = ReturnType<AppApi['summariseRuns']>[number];

/** `ralph runs`. */
export const runsCommand: CliCommand = {
  declare: (command) => {
    addFormatOption(command, ['table', 'json'], 'table for people, json for programs: one object a line');
    addExamples(command, [
      ['ralph runs', 'the runs of this folder, the newest first'],
      ['ralph runs --format json | jq .runId', 'for programs'],
    ]);
  },
  perform: async ({ cwd, env, terminal, loadApp }, { options }) => {
    const app = await loadApp();
    const runs = app.summariseRuns(cwd, env);
    if (options['format'] === 'json') {
      for (const run of runs) printJson(terminal, { v: 1, ...run });
      return 0;
    }
    if (runs.length === 0) terminal.err('There is no run in this folder yet. Start one: ralph run -p "what is to be done"\n');
    else printTable(terminal, ['run', 'started', 'status', 'turns', 'cost', 'asked'], runs.map(toCells));
    return 0;
  },
};

function toCells({ runId, startedAt, status, reason, iterations, costUsd, objective }: RunSummary): readonly string[] {
  const state = status === 'ended' ? (reason ?? 'ended') : status;
  return [runId, startedAt === 0 ? '-' : toLocalTime(startedAt), state, String(iterations), toUsdText(costUsd), toFirstLine(objective, 80)];
}
