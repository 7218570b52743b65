import type { Environment } from '../core/values/environment.ts';
import { isRalphError, toErrorMessage } from '../core/values/errors.ts';
import { connectFleet } from '../fleet/connect-fleet.ts';
import { toShownUrl } from '../fleet/nats-place.ts';
import { type AwayRun, findAllElsewhere } from '../fleet-runs/find-elsewhere.ts';
import type { Fleet } from '../ports/fleet.ts';
import { type CleanedRuns, type CleanOrder, type FleetRun, removeRuns } from '../runs/clean-runs.ts';
import { toWhereText } from '../views/report/elsewhere-report.ts';
import { toPlainLine } from '../views/text/plain-text.ts';

/**
 * Removes old runs, as `removeRuns` of `runs` does, but none that is under way elsewhere, and has the fleet of `RALPH_FLEET` forget those of them that it keeps. What stays is told.
 *
 * @throws RalphError `person-refused`
 */
export async function cleanRuns(cwd: string, order: CleanOrder, env: Environment): Promise<CleanedRuns> {
  const away = await findUnderWay(cwd, order, env);
  const removed = await removeRuns(cwd, { ...order, spared: new Set(away.map(({ runId }) => runId)) }, env);
  const cleaned = { ...removed, kept: [...removed.kept, ...away.map(toSpared)] };
  const { RALPH_FLEET: url = '' } = env;
  const mine = cleaned.onFleet.filter(({ fleet }) => url !== '' && fleet === toShownUrl(url));
  const told = cleaned.onFleet.filter((run) => !mine.includes(run)).map(toStays);
  if (mine.length === 0) return { ...cleaned, kept: [...cleaned.kept, ...told] };
  const forgotten = order.dryRun ? mine.map(toWouldForget) : await forgetThere(mine, url, env);
  return { ...cleaned, kept: [...cleaned.kept, ...told, ...forgotten] };
}

/** Of what would be removed, the runs that a worker or another machine has, or is about to take. */
async function findUnderWay(cwd: string, order: CleanOrder, env: Environment): Promise<readonly AwayRun[]> {
  const { onFleet } = await removeRuns(cwd, { ...order, dryRun: true }, env);
  if (onFleet.length === 0) return [];
  const away = await findAllElsewhere(
    onFleet.map(({ runId }) => ({ runId, cwd })),
    env,
  );
  return [...away.values()].filter(({ state }) => state === 'held' || state === 'lost');
}

function toSpared(away: AwayRun): string {
  return `Run ${away.runId} ${toWhereText(away)}: it stays. Bring it home first: ralph resume ${away.runId}`;
}

function toStays({ runId, fleet }: FleetRun): string {
  return `Run ${runId}: what the fleet at ${toPlainLine(fleet, 200)} keeps of it stays there for 30 days. Where RALPH_FLEET is its address, ralph clean forgets such runs there, too.`;
}

function toWouldForget({ runId, fleet }: FleetRun): string {
  return `Run ${runId} would be forgotten by the fleet at ${toPlainLine(fleet, 200)}, too.`;
}

async function forgetThere(runs: readonly FleetRun[], url: string, env: Environment): Promise<readonly string[]> {
  try {
    const fleet = await connectFleet({ url, env, name: 'ralph clean' }, true);
    try {
      const told: string[] = [];
      for (const run of runs) told.push(await forget(fleet, run));
      return told;
    } finally {
      await fleet.close();
    }
  } catch (error) {
    const problem = isRalphError(error) ? error.message : `The fleet could not be asked: ${toErrorMessage(error)}`;
    return [`${problem}\nWhat it keeps of ${runs.map(({ runId }) => runId).join(', ')} stays there for 30 days.`];
  }
}

/** One that goes on in another folder is not this folder's to forget. */
export async function forget(
  { leases, log, queue, reports, words }: Omit<Fleet, 'close'>,
  { runId, fleet, place }: FleetRun,
): Promise<string> {
  const where = `the fleet at ${toPlainLine(fleet, 200)}`;
  const kept = await leases.look(runId);
  const isElsewhere = kept?.lease.state === 'held' && kept.lease.place !== place;
  if (kept !== null && (isElsewhere || !(await leases.forget(runId, kept.beat))))
    return `Run ${runId} continues on ${toPlainLine(kept.lease.host, 60)}, so ${where} keeps it: ralph fleet runs ${runId}`;
  await queue.forgetRun(runId);
  await log.forget(runId);
  await reports.forget(runId);
  const stays = await words.forget(runId).then(
    () => '',
    (error: unknown) => ` What was said to it while nobody had it stays there: ${toErrorMessage(error)}`,
  );
  return `Run ${runId} is forgotten by ${where}, too; its files go there within 30 days.${stays}`;
}
