/**
 * Runs of a team of three with a gate, in which things go wrong at random moments: workers, the run's own process and servers are killed and frozen, connections are cut, held up, lost and delayed, messages
 * come twice, clocks are wrong. They end with the events and the files of a run that nobody disturbed. One run with one server here, and one with three that keep everything together; as many of each as
 * wanted by `RALPH_FLEET_CHAOS_RUNS=200 npm run e2e:fleet -- chaos`, of one sort by `-t "one server"` or `-t "a cluster"` behind it, another beginning by `RALPH_FLEET_CHAOS_SEED=7`, some kinds alone by
 * `RALPH_FLEET_CHAOS_BLOWS=network,messages`. In each third seed one of the hats is a panel of three agents, whose rounds are on the workers; in all of them by `RALPH_FLEET_CHAOS_TEAM=panel`, in none by
 * `RALPH_FLEET_CHAOS_TEAM=hats`.
 */
import { mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { readMoves } from '../e2e/panel-scripts.ts';
import { ralph, readJsonLines, start } from '../e2e/ralph.ts';
import { createRandom } from '../simulation/random.ts';
import { chooseBlow, type Fray, signal, toClock } from './blows.ts';
import { startCluster, startServer, type TestCluster, type TestServer } from './nats.ts';
import { startProxy, type TestProxy } from './proxy.ts';
import { type FleetScene, listEvents, RUN, setUpFleet, type Worker } from './scene.ts';

const RUNS = Number(process.env['RALPH_FLEET_CHAOS_RUNS'] ?? 1);
const SEED = Number(process.env['RALPH_FLEET_CHAOS_SEED'] ?? 1);
const WANTED = (process.env['RALPH_FLEET_CHAOS_BLOWS'] ?? '').split(',').filter((kind) => kind !== '');
const TEAM = process.env['RALPH_FLEET_CHAOS_TEAM'] ?? '';
const SEEDS = Array.from({ length: RUNS }, (_, index) => SEED + index);
/** More would be a fleet that nobody could run anything on: five failures in a row park a run. */
const BLOWS = 4;
const PATIENCE_MS = 150_000;
/** A run that takes so long after the last blow is worth a look. */
const SLOW_MS = 40_000;

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

/** Each agent of the panel is called by the name of its program. */
const AGENTS = ['red', 'blue', 'green'];

/** Answers with a fruit of its own, which it builds with, and votes for the banana, which is that of blue. */
const PANEL_AGENT = `#!/bin/sh
prompt=$(cat)
for last; do prompt="$prompt
$last"; done
sleep 0.4
case $(basename "$0" .sh) in red) fruit=apple ;; blue) fruit=banana ;; *) fruit=cherry ;; esac
case "$prompt" in
*"Vote for the best answer"*)
  best=$(printf '%s\\n' "$prompt" | sed -n 's/^### \\(agent[0-9]*\\) .*/\\1/;/^agent[0-9]*$/h;/^Take the banana/{x;/./p;x;}' | head -n 1)
  echo "VOTE: $best it is the best" ;;
*) echo "$(tail -1 plan.txt) with $fruit" >> out.txt; echo "Take the $fruit, plan $(wc -l < plan.txt)" ;;
esac
`;

const HATS: Readonly<Record<string, string>> = { 'ralph.yml': CONFIG, 'agent.sh': AGENT };
const PANEL: Readonly<Record<string, string>> = {
  'ralph.yml': CONFIG.replace(
    'instructions: Build.',
    `panel: {agents: [${AGENTS.map((id) => `{id: ${id}, backend: {type: custom, command: ./${id}.sh}}`).join(', ')}]}`,
  ),
  'agent.sh': AGENT,
  ...Object.fromEntries(AGENTS.map((id) => [`${id}.sh`, PANEL_AGENT])),
};

function toFiles(seed: number): Readonly<Record<string, string>> {
  return TEAM === 'panel' || (TEAM === '' && seed % 3 === 0) ? PANEL : HATS;
}

/** Who answered in each panel, in the order of the file. A process that goes on with a panel opens it again, under its name. Throws where somebody answered twice. */
function listPanels(folder: string): readonly (readonly number[])[] {
  const panels = new Map<string, number[]>();
  let answered: number[] = [];
  let last = '';
  for (const { kind, home = '', isAnew, agent = -1 } of readMoves(folder)) {
    if (kind === 'opened') {
      // What was handed in before is dropped, for the work behind it is on another machine: it has a new name.
      if (isAnew === true) panels.delete(last);
      answered = panels.get(home) ?? [];
      panels.set(home, answered);
      last = home;
    } else if (kind === 'answer-given') {
      if (answered.includes(agent)) throw new Error(`agent ${agent} answered twice in panel ${last}`);
      answered.push(agent);
    }
  }
  return [...panels.values()].map((agents) => agents.sort());
}

function toResult(folder: string): readonly string[] {
  return ['plan.txt', 'out.txt'].map((name) => readFileSync(join(folder, name), 'utf8'));
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

async function isOver(run: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const { stdout } = await ralph(tmpdir(), ['fleet', 'runs', '--format', 'json'], env);
  return readJsonLines<{ run: string; state: string }>(stdout).some((kept) => kept.run === run && kept.state !== 'held');
}

/** What a run is played with: the server, or the cluster. */
type Servers = Pick<Fray, 'server' | 'cluster'>;

/** Starts a run and its workers, behind proxies where there is one server, with clocks of their own. */
async function begin({ env, makeProject, startWorker, waitForHolder, after }: FleetScene<{ url: string }>, seed: number, servers: Servers) {
  const random = createRandom(seed);
  const upTo = (most: number): number => random.below(most);
  const proxies: TestProxy[] = [];
  for (const _ of servers.server === null ? [] : ['owner', 'a', 'b']) {
    const proxy = await startProxy(servers.server?.url ?? '');
    proxies.push(proxy);
    after(() => proxy.close());
  }
  const hasClock = WANTED.length === 0 || WANTED.includes('clock');
  const surround = (proxy: TestProxy | undefined): Record<string, string> => ({
    ...env(),
    ...(proxy === undefined ? {} : { RALPH_FLEET: proxy.url }),
    ...(hasClock ? toClock(upTo) : {}),
  });
  const away = makeProject(toFiles(seed));
  const homes = ['a', 'b'].map((name) => mkdtempSync(join(tmpdir(), `ralph-chaos-${name}-`)));
  const startOne = (index: number): Promise<Worker> =>
    startWorker(`${['a', 'b'][index]}${seed}`, homes[index], surround(proxies[index + 1]));
  const workers = [await startOne(0), await startOne(1)];
  const around = surround(proxies[0]);
  const own = start(away, [...RUN, '--fleet', around['RALPH_FLEET'] ?? ''], around);
  const folder = join(away, '.ralph', 'runs');
  await expect.poll(() => readdirSync(away).includes('.ralph') && readdirSync(folder).length).toBe(1);
  const run = readdirSync(folder)[0] ?? '';
  // What is lost before its first turn is kept by nobody but its own machine.
  await waitForHolder();
  const fray: Fray = { run, ownPid: own.child.pid ?? 0, workers, startWorker: startOne, ...servers, proxies, upTo };
  return { away, homes, own, fray };
}

async function play(scene: FleetScene<{ url: string }>, seed: number, servers: Servers): Promise<void> {
  const here = scene.makeProject(toFiles(seed));
  expect((await ralph(here, RUN)).code).toBe(0);
  const { away, homes, own, fray } = await begin(scene, seed, servers);
  const { run, upTo, workers } = fray;
  const told: string[] = [];
  for (let blow = 0; blow < BLOWS; blow += 1) {
    await pause(300 + upTo(2500));
    told.push(await chooseBlow(fray, WANTED)(fray));
  }
  const from = Date.now();
  const toStory = (): string =>
    `${(Date.now() - from) / 1000} s after: ${told.join(', ')}\n${[own, ...workers].map((one) => one.said().slice(-3000)).join('\n---\n')}`;
  while (!(await isOver(run, scene.env()))) {
    if (Date.now() - from > PATIENCE_MS) throw new Error(`run ${run} did not end, ${toStory()}`);
    await pause(500);
  }
  if (Date.now() - from > SLOW_MS) console.warn(`run ${run} of seed ${seed} ended late, ${toStory()}`);
  await Promise.race([own.done, pause(10_000)]);
  signal(own.child.pid ?? 0, 'SIGKILL');
  const home = await ralph(away, ['resume', run], scene.env());
  expect(home.code, `${told.join(', ')}\n${home.stdout}${home.stderr}`).toBe(0);
  expect(toResult(away), told.join(', ')).toEqual(toResult(here));
  expect(listPanels(away), told.join(', ')).toEqual(listPanels(here));
  const events = (await listEvents(away)).filter((topic) => topic !== 'task.resume');
  expect(events, told.join(', ')).toEqual(await listEvents(here));
  for (const worker of workers) await worker.end();
  await expect.poll(() => listWithin([away, ...homes])).toEqual([]);
}

describe('a run among things that go wrong, with one server', () => {
  const scene = setUpFleet<TestServer>(startServer);
  test.each(SEEDS)(
    'ends as if nothing had happened, seed %i',
    (seed) => play(scene, seed, { server: scene.server(), cluster: null }),
    PATIENCE_MS * 2,
  );
});

describe('a run among things that go wrong, with a cluster', () => {
  const scene = setUpFleet<TestCluster>(() => startCluster(3));
  test.each(SEEDS)(
    'ends as if nothing had happened, seed %i',
    (seed) => play(scene, seed, { server: null, cluster: scene.server() }),
    PATIENCE_MS * 2,
  );
});
