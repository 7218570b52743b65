import { toRunStatus, toStatusRecord } from '../../views/report/index.ts';
import { addExamples } from '../args/help.ts';
import { addFormatOption, RUN_ARGUMENT } from '../args/options.ts';
import type { CliCommand } from '../cli-context.ts';
import { toReportLines } from '../runs/print-report.ts';
import { readEndFacts, readView } from '../runs/read-run.ts';
import { printJson, printLine } from '../terminal/terminal.ts';

/** `ralph status`. */
export const statusCommand: CliCommand = {
  declare: (command) => {
    command.argument(...RUN_ARGUMENT);
    addFormatOption(command, ['text', 'json'], 'text for people, json for programs');
    addExamples(command, [
      ['ralph status', 'the newest run on one screen'],
      ['ralph status 20261121-22', 'a certain run'],
      ['ralph status --format json | jq .totals', 'for programs'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const { terminal, now } = context;
    const run = await readView(context, args[0]);
    const { reader, view, isNewest } = run;
    const { isAlive, isUnseen, signalPid } = reader;
    if (options['format'] === 'json') {
      printJson(terminal, toStatusRecord(view, { isAlive, isUnseen, now: now(), live: reader.live() }));
      return 0;
    }
    const facts = await readEndFacts(run);
    const status = toRunStatus(view, {
      isAlive,
      isUnseen,
      signalPid,
      now: now(),
      isNewest,
      facts,
      live: reader.live(),
      left: reader.left(),
      damage: reader.damage(),
    });
    for (const line of toReportLines(status, terminal)) printLine(terminal, line);
    return 0;
  },
};
