/**
 * What a fleet adds to a turn, how long it takes until somebody goes on with a run whose own process was killed, what a longer run costs, and what a server and a folder
 * take in a second. Server, worker and run are on this machine; what a network adds is not in it. `RALPH_BENCH_FLEET_TURNS=10000` makes the long run so long.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withBundle } from './bundle.mjs';
import { cleanEnvironment, ms, pause, row, summarise, timeOnce } from './measure.mjs';
import { RALPH, withFolder } from './workspace.mjs';

const TURNS = 20;
const LONG = Number(process.env.RALPH_BENCH_FLEET_TURNS ?? 80);
const RECORDS = 500;
const RUNS = 5;
const LOST_AFTER_S = 2;
const PATIENCE_MS = 60_000;
const LOOK_MS = 20;

const CONFIG = `cli: {backend: custom, command: ./agent.sh}
event_loop: {max_iterations: 100000, checkpoint_interval: 0}
isolation: off
`;

/** A step for each turn, in a file; done where so many are there. \`slow\`: it takes a while. */
const AGENT = `#!/bin/sh
cat > /dev/null
if [ -e slow ]; then sleep "$(cat slow)"; fi
echo step >> steps.txt
[ "$(wc -l < steps.txt)" -lt "$(cat wanted)" ] || echo LOOP_COMPLETE
`;

/** What a fleet costs. */
export async function benchFleet() {
  const server = findServer();
  if (server === null) return [row('what a fleet adds to each turn', 'not measured: there is no nats-server', '', '')];
  return withFolder({}, async (root) => {
    const url = await startServer(server, root);
    const worker = await startWorker(url.text, join(root, 'worker'));
    try {
      const turns = await measureTurns(root, url.text, worker.pid);
      return [...turns, await measureTakeover(root, url.text), ...(await measureKinds(url.text, root))];
    } finally {
      await end(worker);
      await end(url.child);
    }
  });
}

function findServer() {
  const found = ['nats-server', '/usr/sbin/nats-server'].find((name) => spawnSync(name, ['--version']).status === 0);
  return found ?? null;
}

async function startServer(program, root) {
  const folder = join(root, 'server');
  mkdirSync(folder);
  const child = spawn(program, ['-js', '-a', '127.0.0.1', '-p', '-1', '-sd', folder, '--ports_file_dir', folder], { stdio: 'ignore' });
  const port = await until(() => {
    const file = readdirSync(folder).find((name) => name.endsWith('.ports'));
    return file === undefined ? undefined : /:(\d+)"/.exec(readFileSync(join(folder, file), 'utf8'))?.[1];
  });
  return { child, text: `nats://127.0.0.1:${port}` };
}

async function startWorker(url, home) {
  const child = spawn(process.execPath, [RALPH, 'worker', '--name', 'bench', '--home', home, '--labels', 'custom'], {
    env: cleanEnvironment({ RALPH_FLEET: url, RALPH_FLEET_LOST_AFTER: String(LOST_AFTER_S) }),
    stdio: 'ignore',
  });
  await until(() => JSON.parse(listFleet(url, 'workers')[0] ?? 'null')?.id);
  return child;
}

function listFleet(url, what) {
  const env = cleanEnvironment({ RALPH_FLEET: url });
  const lines = execFileSync(process.execPath, [RALPH, 'fleet', what, '--format', 'json'], { env, encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line !== '');
}

function makeProject(root, name, wanted, more = {}) {
  const cwd = join(root, name);
  mkdirSync(cwd);
  for (const [file, text] of Object.entries({ 'ralph.yml': CONFIG, 'agent.sh': AGENT, wanted: String(wanted), ...more }))
    writeFileSync(join(cwd, file), text);
  chmodSync(join(cwd, 'agent.sh'), 0o755);
  const git = (...args) => execFileSync('git', args, { cwd, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('-c', 'user.name=bench', '-c', 'user.email=bench@example.org', 'commit', '-qm', 'The beginning');
  return cwd;
}

/** Each turn changes a file, so each has a tree to send and one to bring home. */
async function measureTurns(root, url, workerPid) {
  const toCommand = (name, wanted, isAway) => {
    const cwd = makeProject(root, name, wanted);
    const args = [RALPH, 'run', '-p', 'x', '--no-tui', '-q', ...(isAway ? ['--fleet'] : [])];
    return { command: process.execPath, args, cwd, env: cleanEnvironment({ RALPH_FLEET: url }) };
  };
  const timeRun = (...words) => timeOnce(toCommand(...words));
  const times = { local: [], away: [], localOne: [], awayOne: [] };
  for (let run = 0; run < RUNS; run += 1) {
    times.local.push(timeRun(`local-${run}`, TURNS, false));
    times.away.push(timeRun(`away-${run}`, TURNS, true));
    times.localOne.push(timeRun(`local-one-${run}`, 1, false));
    times.awayOne.push(timeRun(`away-one-${run}`, 1, true));
  }
  const short = toMegabytes(readPeak(workerPid));
  const long = await watchRun(toCommand('long', LONG, true));
  const least = (name) => summarise(times[name]).min;
  const here = (least('local') - least('localOne')) / (TURNS - 1);
  const there = (least('away') - least('awayOne')) / (TURNS - 1);
  const later = (long.ms - least('away')) / (LONG - TURNS);
  const { tenths } = long;
  const added = there - here;
  return [
    row(
      'a turn of a trivial agent that changes a file, taken by a worker on the same machine',
      ms(there),
      `taken by the run itself ${ms(here)}`,
      `${(there / here).toFixed(2)} x`,
      `**${ms(added)} added per turn**, budget 15.0 ms: ${added <= 15 ? 'held' : 'missed'}; ${TURNS} turns less one, min of ${RUNS}`,
    ),
    row(
      `the same, turns ${TURNS + 1} to ${LONG} of a run`,
      ms(later),
      `turns 2 to ${TURNS} ${ms(there)}`,
      `${(later / there).toFixed(2)} x`,
      'what a longer run costs each turn more; once',
    ),
    row(
      `the last tenth of the ${LONG} turns`,
      `${ms(tenths.at(-1))} a turn`,
      `the second tenth ${ms(tenths[1])}`,
      `${(tenths.at(-1) / tenths[1]).toFixed(2)} x`,
      `linear: as much at the end as at the beginning; each tenth: ${tenths.map((each) => each.toFixed(0)).join(', ')} ms`,
    ),
    row(
      `memory of the run’s process over ${LONG} turns, at most`,
      `${toMegabytes(long.peak)} MB`,
      `of the worker ${toMegabytes(readPeak(workerPid))} MB`,
      '',
      `resident; of the worker after runs of ${TURNS} turns ${short} MB`,
    ),
  ];
}

/** Plays a run: how long it took, the most memory that its process had, and what a turn took in each tenth of it. */
async function watchRun({ command, args, cwd, env }) {
  const startedAt = performance.now();
  const child = spawn(command, args, { cwd, env, stdio: 'ignore' });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  let peak = 0;
  const looking = setInterval(() => {
    peak = Math.max(peak, readPeak(child.pid));
  }, 100);
  const code = await gone;
  clearInterval(looking);
  if (code !== 0) throw new Error(`the long run ended with ${code}`);
  return { ms: performance.now() - startedAt, peak, tenths: readTenths(cwd) };
}

/** Milliseconds of a turn in each tenth of a run, by the moments in its journal. */
function readTenths(cwd) {
  const runs = join(cwd, '.ralph', 'runs');
  const journal = join(runs, readdirSync(runs)[0], 'journal.jsonl');
  const ends = readFileSync(journal, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"iteration-ended"'))
    .map((line) => JSON.parse(line).input.at);
  const toEnd = (tenth) => ends[Math.round(((ends.length - 1) * tenth) / 10)];
  return Array.from({ length: 10 }, (_, tenth) => (toEnd(tenth + 1) - toEnd(tenth)) / ((ends.length - 1) / 10));
}

/** The most memory that a process has had, in KB; 0 where it is gone. */
function readPeak(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function toMegabytes(kilobytes) {
  return (kilobytes / 1024).toFixed(0);
}

/** How many records of runs and orders a server takes in a second, one after the other, and a folder. */
function measureKinds(url, root) {
  return withBundle(new URL('fleet.ts', import.meta.url), async (file) => {
    const { connectFleet } = await import(file);
    const [server, folder] = [await connectFleet({ url }), await connectFleet({ url: `file:${join(root, 'folder')}` })];
    try {
      const records = [await appendRecords(server), await appendRecords(folder)];
      const claims = [await claimOrders(server), await claimOrders(folder)];
      return [
        toSpeed('records of a run that are kept', 'one after the other', records),
        toSpeed('orders that are taken and ended', 'by one worker', claims),
      ];
    } finally {
      await server.close();
      await folder.close();
    }
  });
}

function toSpeed(what, how, [server, folder]) {
  const toText = (each) => `${(1000 / each).toFixed(0)} a second`;
  return row(
    `${what}, on a server`,
    toText(server),
    `in a folder ${toText(folder)}`,
    `${(server / folder).toFixed(2)} x`,
    `${how}; ${RECORDS} of them`,
  );
}

async function appendRecords({ log }) {
  let behind = await log.append('bench', { behind: 0, name: 'first', body: {} });
  const startedAt = performance.now();
  for (let at = 0; at < RECORDS; at += 1) behind = await log.append('bench', { behind, name: `n${at}`, body: { at } });
  return (performance.now() - startedAt) / RECORDS;
}

async function claimOrders({ queue }) {
  for (let at = 0; at < RECORDS; at += 1)
    await queue.offer({ run: 'bench', name: `${at + 1}.1`, labels: ['bench'], protocol: 1, body: null });
  const startedAt = performance.now();
  for (let at = 0; at < RECORDS; at += 1) {
    const taken = await queue.claim({ id: 'one', labels: ['bench'], protocol: 1 }, AbortSignal.timeout(PATIENCE_MS));
    if (!(await taken?.end())) throw new Error('an order was not ended by whoever held it');
  }
  return (performance.now() - startedAt) / RECORDS;
}

async function measureTakeover(root, url) {
  const times = [];
  for (let run = 0; run < RUNS; run += 1) {
    const cwd = makeProject(root, `killed-${run}`, 2, { slow: '1' });
    const env = cleanEnvironment({ RALPH_FLEET: url, RALPH_FLEET_LOST_AFTER: String(LOST_AFTER_S) });
    const child = spawn(process.execPath, [RALPH, 'run', '-p', 'x', '--no-tui', '-q', '--fleet'], { cwd, env, stdio: 'ignore' });
    const id = await until(() => JSON.parse(listFleet(url, 'workers')[0] ?? 'null')?.busy[0]?.run);
    child.kill('SIGKILL');
    const killedAt = performance.now();
    await until(() => listFleet(url, 'runs').some((line) => JSON.parse(line).run === id && JSON.parse(line).epoch > 1));
    times.push(performance.now() - killedAt);
    await until(() => listFleet(url, 'runs').some((line) => JSON.parse(line).run === id && JSON.parse(line).state === 'ended'));
  }
  const { min, max } = summarise(times);
  return row(
    'from the kill of a run’s own process until another one has it',
    `${min.toFixed(0)} to ${max.toFixed(0)} ms`,
    `a lease of ${LOST_AFTER_S * 1000} ms`,
    '',
    `budget the lease and 1 s: ${max <= LOST_AFTER_S * 1000 + 1000 ? 'held' : 'missed'}; seen by asking again and again, which takes some 200 ms itself; ${RUNS} times`,
  );
}

async function until(look) {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const found = look();
    if (found) return found;
    await pause(LOOK_MS);
  }
  throw new Error('what was waited for did not come');
}

async function end(child) {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await gone;
}
