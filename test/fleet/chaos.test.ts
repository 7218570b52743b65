/**
 * Runs of a team of three with a gate, in which workers, the run's own process and the server are killed and frozen at random moments: they end with the events and the
 * files of a run that nobody disturbed. One run here; as many as wanted by `RALPH_FLEET_CHAOS_RUNS=200 npm run e2e:fleet -- chaos`, another beginning by
 * `RALPH_FLEET_CHAOS_SEED=7`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ralph, readJsonLines, start } from '../e2e/ralph.ts';
import { createRandom } from '../simulation/random.ts';
import { listEvents, RUN, setUpFleet, type Worker } from './scene.ts';

const RUNS = Number(process.env['RALPH_FLEET_CHAOS_RUNS'] ?? 1);
const SEED = Number(process.env['RALPH_FLEET_CHAOS_SEED'] ?? 1);
/** More would be a fleet that nobody could run anything on: five failures in a row park a run. */
const BLOWS = 4;
const PATIENCE_MS = 150_000;

const { server, env, makeProject, startWorker } = setUpFleet();

const CONFIG = `event_loop: {starting_event: plan.start, completion_promise: LOOP_COMPLETE, max_iterations: 60, retry: {base_seconds: 0.2}}
cli: {backend: custom, command: ./agent.sh}
hats:
  planner: {triggers: [plan.start, review.rejected], publishes: [build.task], instructions: Plan.}
  builder: {triggers: [build.task], publishes: [build.done], instructions: Build.}
  reviewer: {triggers: [build.done], publishes: [review.rejected, LOOP_COMPLETE], instructions: Review.}
gates:
  - {name: lines, on: build.done, run: test -s out.txt}
`;

/** Three rounds; what each hat does follows from the files that it finds. */
const AGENT = `#!/bin/sh
cat > /dev/null
sleep 0.4
case "$RALPH_HAT" in
planner) echo "plan $(cat plan.txt 2>/dev/null | wc -l | tr -d ' ')" >> plan.txt; ralph emit build.task planned;;
builder) tail -1 plan.txt >> out.txt; ralph emit build.done built;;
*) if [ "$(wc -l < out.txt)" -lt 3 ]; then ralph emit review.rejected more; else ralph emit LOOP_COMPLETE fine; fi;;
esac
`;

const FILES = { 'ralph.yml': CONFIG, 'agent.sh': AGENT };

function toResult(folder: string): readonly string[] {
  return ['plan.txt', 'out.txt'].map((name) => readFileSync(join(folder, name), 'utf8'));
}

/** Processes that have this run in hand: the one that a person started, or that of a worker. */
function listOwners(run: string, own: number): readonly number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,args=']).toString().split('\n');
  const resumed = lines.filter((line) => line.includes(`resume ${run}`)).map((line) => Number.parseInt(line, 10));
  return [own, ...resumed].filter((pid) => isThere(pid));
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Processes that work below a folder. */
function listWithin(folders: readonly string[]): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const cwd = /^\d+$/.test(pid) ? readlinkSync(`/proc/${pid}/cwd`) : '';
      return folders.some((folder) => cwd.startsWith(folder));
    } catch {
      return false;
    }
  });
}

async function isOver(run: string): Promise<boolean> {
  const { stdout } = await ralph(tmpdir(), ['fleet', 'runs', '--format', 'json'], env());
  return readJsonLines<{ run: string; state: string }>(stdout).some((kept) => kept.run === run && kept.state !== 'held');
}

const signal = (pid: number, name: NodeJS.Signals): void => {
  if (isThere(pid)) process.kill(pid, name);
};

describe('a run among things that go wrong', () => {
  test.each(Array.from({ length: RUNS }, (_, index) => SEED + index))(
    'ends as if nothing had happened, seed %i',
    async (seed) => {
      const random = createRandom(seed);
      const upTo = (most: number): number => random.below(most);
      const [here, away] = [makeProject(FILES), makeProject(FILES)];
      expect((await ralph(here, RUN)).code).toBe(0);
      const homes = ['a', 'b'].map((name) => mkdtempSync(join(tmpdir(), `ralph-chaos-${name}-`)));
      const names = ['a', 'b'].map((name) => `${name}${seed}`);
      const workers: Worker[] = [];
      for (const index of [0, 1]) workers[index] = await startWorker(names[index] ?? '', homes[index]);
      const own = start(away, [...RUN, '--fleet', server().url], env());
      const told: string[] = [];
      await expect.poll(() => readdirSync(away).includes('.ralph') && readdirSync(join(away, '.ralph', 'runs')).length).toBe(1);
      const run = readdirSync(join(away, '.ralph', 'runs'))[0] ?? '';
      for (let blow = 0; blow < BLOWS; blow += 1) {
        await pause(300 + upTo(2500));
        const index = upTo(2);
        const worker = workers[index]?.pid ?? 0;
        const [owner = own.child.pid ?? 0] = listOwners(run, own.child.pid ?? 0).slice(-1);
        const what = upTo(5);
        told.push(`${['kill worker', 'freeze worker', 'kill owner', 'freeze owner', 'kill server'][what]} ${index}`);
        if (what === 0) {
          signal(worker, 'SIGKILL');
          await pause(upTo(1500));
          workers[index] = await startWorker(names[index] ?? '', homes[index]);
        } else if (what === 1 || what === 3) {
          const pid = what === 1 ? worker : owner;
          signal(pid, 'SIGSTOP');
          await pause(500 + upTo(5000));
          signal(pid, 'SIGCONT');
        } else if (what === 2) signal(owner, 'SIGKILL');
        else {
          await server().kill();
          await pause(upTo(2000));
          await server().restart();
        }
      }
      const from = Date.now();
      while (!(await isOver(run))) {
        if (Date.now() - from > PATIENCE_MS) throw new Error(`the run did not end after: ${told.join(', ')}`);
        await pause(500);
      }
      await Promise.race([own.done, pause(10_000)]);
      signal(own.child.pid ?? 0, 'SIGKILL');
      const home = await ralph(away, ['resume', run], env());
      expect(home.code, `${told.join(', ')}\n${home.stdout}${home.stderr}`).toBe(0);
      expect(toResult(away), told.join(', ')).toEqual(toResult(here));
      const events = (await listEvents(away)).filter((topic) => topic !== 'task.resume');
      expect(events, told.join(', ')).toEqual(await listEvents(here));
      for (const worker of workers) await worker.end();
      await expect.poll(() => listWithin([away, ...homes])).toEqual([]);
    },
    PATIENCE_MS * 2,
  );
});
