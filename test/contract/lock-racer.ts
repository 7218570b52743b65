import { closeSync, existsSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acquireLock, nodeFileSystem as fs } from '../../src/journal/index.ts';

/**
 * A process that fights for one lock with others: takes it, makes sure that it is alone, then gives it back or "dies" with it.
 * Arguments: the folder, its name, the epoch ms at which the fight ends. Prints what happened as JSON.
 */
const [folder = '', name = '', endsAt = '0'] = process.argv.slice(2);
const inside = join(folder, 'inside');
const tally = { taken: 0, takenOver: 0, held: 0, broken: [] as string[] };

function toDeathMark(identity: string | null): string {
  return join(folder, 'dead', identity ?? '');
}

/** Fails when another process is in here as well. */
function enter(identity: string): void {
  try {
    closeSync(openSync(inside, 'wx'));
    unlinkSync(inside);
  } catch (error) {
    tally.broken.push(`${identity}: ${String(error)}`);
  }
}

for (let round = 1; Date.now() < Number(endsAt); round += 1) {
  const identity = `${name}-${round}`;
  const wasThere = existsSync(join(folder, 'lock'));
  const outcome = acquireLock({
    fs,
    path: join(folder, 'lock'),
    owner: {
      pid: process.pid,
      processStart: identity,
      pidNamespace: null,
      host: 'here',
      runId: identity,
      startedAt: Date.now(),
      command: 'racer',
    },
    isAlive: (_pid, start) => !existsSync(toDeathMark(start)),
    now: Date.now,
  });
  if (!outcome.ok) {
    tally.held += 1;
    continue;
  }
  tally.taken += 1;
  if (wasThere) tally.takenOver += 1;
  enter(identity);
  if (round % 3 === 0) outcome.value.release();
  else writeFileSync(toDeathMark(identity), '');
}
console.log(JSON.stringify(tally));
