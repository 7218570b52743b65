import { toPastFacts } from '../../views/frame/run-frame.ts';
import { createRunHistory } from '../../views/frame/run-history.ts';
import { toRunStatus, toStatusRecord } from '../../views/report/run-status.ts';
import { addFleetOption } from '../args/fleet-options.ts';
import { addExamples } from '../args/help.ts';
import { addFormatOption, RUN_ARGUMENT } from '../args/options.ts';
import { parseCount } from '../args/parse-values.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { AppContext, CliCommand } from '../cli-command.ts';
import { findRunElsewhere } from '../runs/find-steered.ts';
import { toReportLines } from '../runs/print-report.ts';
import { printStatus } from '../runs/print-status.ts';
import { type ReadWish, readInFolder } from '../runs/read-in-folder.ts';
import { isNewestRun, readView } from '../runs/read-run.ts';
import { printJson, printLine } from '../terminal/terminal.ts';

/** `ralph status`. */
export const statusCommand: CliCommand = {
  declare: (command) => {
    command.argument(...RUN_ARGUMENT);
    command.option('--at <seq>', 'as it was after this input of its journal, 1 for the first');
    addFormatOption(command, ['text', 'json'], 'text for people, json for programs');
    addFleetOption(command);
    addExamples(command, [
      ['ralph status', 'the newest run on one screen'],
      ['ralph status 20261121-22', 'a particular run'],
      ['ralph status --at 131', 'the newest run as it was after its 131st input'],
      ['ralph status --format json | jq .totals', 'for programs'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const at = options['at'] === undefined ? null : parseCount(String(options['at']), '--at', 1);
    const isJson = options['format'] === 'json';
    const wish: ReadWish = { fleet: options['fleet'], run: args[0], files: 'later', namesCommands: !isJson };
    return readInFolder(context, wish, (where, run) => (at === null ? printNow(where, run, isJson) : printPast(where, run, at, isJson)));
  },
};

async function printNow(context: AppContext, wanted: string | undefined, isJson: boolean): Promise<number> {
  const run = await readView(context, wanted);
  const elsewhere = await findRunElsewhere(context, run);
  if (isJson) {
    const { isAlive, isUnseen, live, fleet } = run.reader;
    printJson(
      context.terminal,
      toStatusRecord(run.view, { isAlive, isUnseen, now: context.now(), live: live(), fleet: fleet(), elsewhere }),
    );
    return 0;
  }
  await printStatus(context, run, elsewhere);
  return 0;
}

/** The run as it was after an input. What is known beside its journal is known of now alone, so it is left out. */
async function printPast(context: AppContext, run: string | undefined, seq: number, isJson: boolean): Promise<number> {
  const { cwd, env, terminal, loadApp } = context;
  const app = await loadApp();
  const reader = app.openRunReader(cwd, run, env);
  const history = createRunHistory();
  reader.replay(history.take);
  const lastSeq = history.lastSeq();
  if (seq > lastSeq)
    throw createUsageError(`Run ${reader.runId} has ${lastSeq} inputs so far, and no input ${seq}.`, `Give a number from 1 to ${lastSeq}.`);
  const view = history.view(seq);
  const isNewest = run === undefined || isNewestRun({ cwd, env }, app, reader.runId);
  const facts = toPastFacts(view, { isNewest, fleet: reader.fleet() });
  if (isJson) {
    printJson(terminal, { ...toStatusRecord(view, facts), seq, lastSeq });
    return 0;
  }
  const report = toRunStatus(view, facts);
  const when = `At input ${seq} of ${lastSeq}, ${new Date(view.at).toISOString()}:`;
  printLine(terminal, terminal.style('faint', when));
  for (const line of toReportLines(report, terminal)) printLine(terminal, line);
  return 0;
}
