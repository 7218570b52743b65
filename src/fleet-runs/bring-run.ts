import { readdirSync } from 'node:fs';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { connectFleet } from '../fleet/connect-fleet.ts';
import { listKnownRuns } from '../journal/find-run.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { findLayout } from '../runs/find-layout.ts';

import { withoutToken } from '../runs/people.ts';
import { toPlainLine } from '../views/text/plain-text.ts';
import { fetchInto } from './fetch-run.ts';
import { findFleetRun } from './steer-fleet.ts';

/** A run that is to go on here. */
export interface BringOptions {
  readonly cwd: string;
  /** An id, its beginning or its end, or `last`; absent: the newest of those here. */
  readonly run?: string;
  /** Address of the fleet that keeps it. */
  readonly fleet: string;
  readonly env: Environment;
}

/**
 * Brings here what a fleet keeps of a run that is not here, into an empty folder. Nothing where it is here.
 *
 * @throws RalphError `fleet-unreachable`, `fleet-run-held`, `fleet-run-unknown`, `run-ambiguous`; the system error
 */
export async function bringRun(options: BringOptions): Promise<void> {
  const { stateDir } = findLayout(options.cwd);
  const { run: wanted } = options;
  const isMeant = (run: string): boolean => wanted === undefined || wanted === 'last' || run.startsWith(wanted) || run.endsWith(wanted);
  if (!listKnownRuns({ fs: nodeFileSystem, stateDir }).some(isMeant)) await bringNew(options);
}

async function bringNew({ cwd, run, fleet: url, env }: BringOptions): Promise<void> {
  if (run === undefined) throw toNoRun('Which run?', 'Say its id: ralph fleet runs lists those that the fleet keeps.');
  const fleet = await connectFleet({ url, env, name: `ralph ${toPlainLine(run, 60)}` }, true);
  try {
    const { run: meant } = await findFleetRun(fleet, run);
    if (readdirSync(cwd).length > 0)
      throw toNoRun(
        `Run ${meant} is not in this folder, and it is not empty.`,
        `Make a new one for it: mkdir ${meant} && cd ${meant}`,
        'A run that a fleet keeps is brought into an empty folder.',
      );
    await fetchInto({ fleet, run: meant, root: cwd, env: withoutToken(env) });
  } finally {
    await fleet.close();
  }
}

function toNoRun(what: string, fix: string, why?: string): RalphError {
  return new RalphError({ code: 'fleet-run-unknown', what, ...(why === undefined ? {} : { why }), fix, exitCode: 2 });
}
