/**
 * What a fleet adds to a turn, and how long it takes until somebody goes on with a run whose own process was killed. Server, worker and run are on this machine; what a
 * network adds is not in it.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, ms, pause, row, summarise, timeOnce } from './measure.mjs';
import { RALPH, withFolder } from './workspace.mjs';

const TURNS = 20;
const LONG = 80;
const RUNS = 5;
const LOST_AFTER_S = 2;
const PATIENCE_MS = 60_000;
const LOOK_MS = 20;

const CONFIG = `cli: {backend: custom, command: ./agent.sh}
event_loop: {max_iterations: 1000, checkpoint_interval: 0}
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
      return [...measureTurns(root, url.text), await measureTakeover(root, url.text)];
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
function measureTurns(root, url) {
  const timeRun = (name, wanted, isAway) => {
    const cwd = makeProject(root, name, wanted);
    const args = [RALPH, 'run', '-p', 'x', '--no-tui', '-q', ...(isAway ? ['--fleet'] : [])];
    return timeOnce({ command: process.execPath, args, cwd, env: cleanEnvironment({ RALPH_FLEET: url }) });
  };
  const times = { local: [], away: [], localOne: [], awayOne: [], long: [] };
  for (let run = 0; run < RUNS; run += 1) {
    times.local.push(timeRun(`local-${run}`, TURNS, false));
    times.away.push(timeRun(`away-${run}`, TURNS, true));
    times.localOne.push(timeRun(`local-one-${run}`, 1, false));
    times.awayOne.push(timeRun(`away-one-${run}`, 1, true));
  }
  times.long.push(timeRun('long', LONG, true));
  const least = (name) => summarise(times[name]).min;
  const here = (least('local') - least('localOne')) / (TURNS - 1);
  const there = (least('away') - least('awayOne')) / (TURNS - 1);
  const later = (least('long') - least('away')) / (LONG - TURNS);
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
  ];
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
