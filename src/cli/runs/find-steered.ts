import type { Heard, KeptWord } from '../../runs/run-api.ts';
import { toElsewhereText, toUnheardText, toWhereText } from '../../views/report/elsewhere-report.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import { toFleetRun } from '../args/fleet-options.ts';
import type { AppApi, AppContext } from '../cli-command.ts';
import type { ReadRun } from './read-run.ts';

type SteeredOrder = NonNullable<ReturnType<typeof toFleetRun>> & { readonly home?: string };

/**
 * Says something where the run is, see {@link findSteered}. Where a process here had the run when that was looked for and has ended without hearing it, as that of a resume that is refused, it is said again to whoever has the run: by its id it counts once.
 *
 * @param there is given the id under which it was said here
 */
export async function sayToRun(
  context: AppContext,
  { typed, run }: { readonly typed: unknown; readonly run: string | undefined },
  here: () => Promise<Heard>,
  there: (order: SteeredOrder, command?: { readonly command: string }) => Promise<Heard>,
): Promise<Heard> {
  const away = await findSteered(context, typed, run);
  if (away !== null) return there(away);
  const heard = await here();
  const { runId, id: command, isRunAlive, tell, question } = heard;
  if (isRunAlive || tell !== null || (question?.answer ?? null) !== null) return heard;
  const since = await findSteered(context, typed, runId);
  return since === null ? heard : there(since, { command });
}

/**
 * Over which fleet a command reaches the run that it steers: that of `--fleet`, or the one that keeps a run of this folder that went on elsewhere, which is said, or that nobody has; `null`: the run is here.
 *
 * @param isStop a run that nobody goes on with is not stopped
 * @throws as `findFleetAddress`
 */
export async function findSteered(
  context: AppContext,
  typed: unknown,
  run: string | undefined,
  isStop = false,
): Promise<SteeredOrder | null> {
  const { cwd, env, terminal, loadApp } = context;
  const named = toFleetRun(context, typed, run);
  if (named !== null) return named;
  const away = await (await loadApp()).findAway(cwd, run, env);
  if (away === null || (away.state === 'free' && isStop)) return null;
  const fleet = `its fleet at ${toPlainLine(away.fleet, 200)}`;
  if (away.state === 'unasked') {
    terminal.err(`Run ${away.runId} may go on elsewhere, where nobody hears this: ${fleet} cannot be asked now.\n`);
    return null;
  }
  const order = { fleet: away.url, run: away.runId, env };
  if (away.isLeft) return { ...order, home: cwd };
  if (away.state === 'lost') terminal.err(`Run ${away.runId} ${toWhereText(away)}: nobody has it now.\n`);
  if (away.state === 'held') terminal.err(`Run ${away.runId} goes on ${toElsewhereText(away)}: it is asked there, over ${fleet}.\n`);
  return order;
}

/** Where a run that was read went on; `null`: it is here. One whose process is here, and one that nobody but this machine had, needs nobody to be asked. */
export async function findRunElsewhere(
  { cwd, env, loadWatch }: Pick<AppContext, 'cwd' | 'env' | 'loadWatch'>,
  { reader, view }: Pick<ReadRun, 'reader' | 'view'>,
): Promise<Awaited<ReturnType<AppApi['findElsewhere']>>> {
  if (reader.isAlive || reader.isCopy || reader.fleet() === null || view.end?.reason === 'completed') return null;
  return (await loadWatch()).findElsewhere(cwd, reader.runId, env);
}

/** The fleet that knows more of a run of this folder than what is here, which is said; `null`: what is here counts. */
export async function findReadFleet(
  { cwd, env, terminal, loadWatch }: AppContext,
  run: string | undefined,
): Promise<{ readonly fleet: string; readonly run: string } | null> {
  const away = await (await loadWatch()).findElsewhere(cwd, run, env);
  if (away === null || away.state === 'left') return null;
  const fleet = `its fleet at ${toPlainLine(away.fleet, 200)}`;
  if (away.state === 'unasked') {
    terminal.err(`Run ${away.runId} may go on elsewhere: ${fleet} cannot be asked now, and this is what is here.\n`);
    return null;
  }
  terminal.err(`Run ${away.runId} ${toWhereText(away)}: this is what ${fleet} keeps of it.\n`);
  return { fleet: away.url, run: away.runId };
}

/** What became of a word that nobody has heard. */
export function toKeptLine(runId: string, { unansweredMs }: KeptWord): string {
  return `Kept for ${runId} on its fleet: ${toUnheardText(unansweredMs)}. Whoever goes on with it hears this first. Who has it: ralph fleet runs`;
}

/** The same for programs: there where it is so. */
export function toKeptRecord({ kept }: Pick<Heard, 'kept'>): { readonly kept?: true; readonly unansweredMs?: number } {
  if (kept === undefined) return {};
  return { kept: true, ...(kept.unansweredMs !== null && { unansweredMs: Math.round(kept.unansweredMs) }) };
}
