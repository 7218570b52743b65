import type { RunElsewhere } from '../../views/report/elsewhere-report.ts';
import { toRunStatus } from '../../views/report/run-status.ts';
import type { WorkFacts } from '../../views/report/work-facts.ts';
import type { CliContext } from '../cli-context.ts';
import { printLine } from '../terminal/terminal.ts';
import { toReportLines } from './print-report.ts';
import { type ReadRun, readEndFacts } from './read-run.ts';

/**
 * Prints what a run does now, or how it ended, on one screen.
 *
 * @param elsewhere where it went on, where that was asked
 * @returns what it has found out for that
 */
export async function printStatus(
  { terminal, now }: Pick<CliContext, 'terminal' | 'now'>,
  run: ReadRun,
  elsewhere: RunElsewhere | null = null,
): Promise<WorkFacts | null> {
  const { reader, view, isNewest } = run;
  const { isAlive, isUnseen, signalPid } = reader;
  const facts = await readEndFacts(run);
  const status = toRunStatus(view, {
    isAlive,
    isUnseen,
    signalPid,
    now: now(),
    isNewest,
    facts,
    live: reader.live(),
    fleet: reader.fleet(),
    labelsOf: reader.labelsOf,
    left: reader.left(),
    damage: reader.damage(),
    elsewhere,
  });
  for (const line of toReportLines(status, terminal)) printLine(terminal, line);
  return facts;
}
