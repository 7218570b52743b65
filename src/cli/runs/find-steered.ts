import { toElsewhereText } from '../../views/report/elsewhere-report.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import { toFleetRun } from '../args/fleet-options.ts';
import type { AppContext } from '../cli-command.ts';

/**
 * Over which fleet a command reaches the run that it steers: that of `--fleet`, or the one that keeps a run of this folder that went on elsewhere, which is said; `null`: the run is here.
 *
 * @throws as `findFleetAddress`
 */
export async function findSteered(context: AppContext, typed: unknown, run: string | undefined): Promise<ReturnType<typeof toFleetRun>> {
  const { cwd, env, terminal, loadApp } = context;
  const named = toFleetRun(context, typed, run);
  if (named !== null) return named;
  const away = await (await loadApp()).findElsewhere(cwd, run, env);
  if (away === null || away.state === 'free') return null;
  const fleet = `its fleet at ${toPlainLine(away.fleet, 200)}`;
  if (away.state === 'unasked') {
    terminal.err(`Run ${away.runId} may go on elsewhere, where nobody hears this: ${fleet} cannot be asked now.\n`);
    return null;
  }
  if (away.state === 'held') terminal.err(`Run ${away.runId} goes on ${toElsewhereText(away)}: it is asked there, over ${fleet}.\n`);
  return { fleet: away.url, run: away.runId, env };
}
