/**
 * What being watched costs a run. One percent cannot be seen by timing runs: two of the same differ by five. So all of it is within runs: the agent of every so many
 * turns waits, meanwhile a view is opened or closed, and the turns until the next wait are a window. Windows come in groups, one of each kind in any order; what differs
 * within a group is the view, not how warm, how long or how lucky the run is.
 */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, read, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, pause, row, shareOf } from './measure.mjs';
import { openTerminal, toTerminalEnvironment, whyNoTerminal } from './pseudo-terminal.mjs';
import { startWeb, TOKEN } from './web-server.mjs';
import { RALPH, withFolder } from './workspace.mjs';

const TURNS = 20;
const GROUPS = 10;
const RUNS = 10;
const LIMIT_MS = 100_000;
const BUDGET = 1;
/** After a view was opened or closed, until the window begins. */
const SETTLE_MS = 40;
const SAMPLES = 4000;
/** `closing`: it is open when the window begins, and is left then. */
const KINDS = ['alone', 'terminal', 'page', 'closing'];
const WINDOWS = GROUPS * KINDS.length;

/** At the beginning of a window it says so and waits for a word; the last one ends the run. */
const AGENT = `#!/bin/sh
n=$(cat count 2>/dev/null || echo 0)
if [ $((n % ${TURNS})) = 0 ]; then
  echo $n > told
  read word < go
  [ "$word" = end ] && echo LOOP_COMPLETE
fi
echo $((n + 1)) > count
echo working
exit 0
`;

export async function benchWatching() {
  const whyNot = whyNoTerminal();
  if (whyNot !== null) return [row('what being watched costs a run', `not measured: ${whyNot}`, '', '')];
  const groups = [];
  const until = performance.now() + LIMIT_MS;
  for (let run = 0; run < RUNS && performance.now() < until; run += 1) groups.push(...(await measureRun(until)));
  return [
    toRow('a core’s time of a run while the terminal view is open', groups, 'terminal', 'cpuMs', true),
    toRow('its time in all', groups, 'terminal', 'wallMs', false),
    toRow('a core’s time of a run while a page is told of it', groups, 'page', 'cpuMs', true),
    toRow('its time in all', groups, 'page', 'wallMs', false),
    toRow('a core’s time of a run in whose midst a terminal view is closed', groups, 'closing', 'cpuMs', true),
    toRow('its time in all', groups, 'closing', 'wallMs', false),
  ];
}

function toRow(what, groups, kind, name, isJudged) {
  const differences = groups.map((group) => (group[kind][name] / group.alone[name] - 1) * 100);
  const { median, low, high } = bootstrapMedian(differences);
  const read = (of) =>
    shareOf(
      groups.map((group) => group[of][name] / TURNS),
      0.5,
    );
  const verdict = high < BUDGET ? 'held' : low > BUDGET ? '**missed**' : 'not decided: the interval holds it';
  return row(
    what,
    `${read(kind).toFixed(3)} ms a turn`,
    `nobody looks ${read('alone').toFixed(3)} ms`,
    `${toSigned(median)} %`,
    `95 % interval of the median difference ${toSigned(low)} to ${toSigned(high)} %, ${groups.length} pairs of ${TURNS} turns; budget ${BUDGET} %: ${verdict}${isJudged ? '' : '; the cores are shared with the view, the agents and whoever else works here'}`,
  );
}

const toSigned = (value) => `${value < 0 ? '' : '+'}${value.toFixed(2)}`;

/** The median, and between what it lies in 95 of 100 samples of the same size. */
function bootstrapMedian(values) {
  const medians = Array.from({ length: SAMPLES }, () => toMedian(values.map(() => values[Math.floor(Math.random() * values.length)])));
  return { median: toMedian(values), low: shareOf(medians, 0.025), high: shareOf(medians, 0.975) };
}

function toMedian(values) {
  const sorted = values.toSorted((one, other) => one - other);
  return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;
}

const CONFIG = `cli: { backend: custom, command: ./agent.sh }\nevent_loop: { max_iterations: ${(WINDOWS + 2) * TURNS}, checkpoint_interval: 0 }\nisolation: off\ngates: []\n`;

/** The groups of one run. Its first window warms it up. */
async function measureRun(until) {
  return withFolder({ token: TOKEN, 'ralph.yml': CONFIG, 'agent.sh': AGENT }, async (cwd) => {
    spawnSync('mkfifo', ['told', 'go'], { cwd });
    const env = cleanEnvironment({ XDG_STATE_HOME: join(cwd, 'state') });
    const gate = createGate(cwd);
    const web = await startWeb(cwd);
    const child = spawn(process.execPath, [RALPH, 'run', '-p', 'x', '--no-tui', '-q'], { cwd, env, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const views = createViews(cwd, web);
    try {
      await gate.told();
      await measureWindow({ child, gate, views, kind: 'alone' });
      const groups = [];
      while (groups.length < GROUPS && performance.now() < until) {
        const group = {};
        for (const kind of shuffle(KINDS)) group[kind] = await measureWindow({ child, gate, views, kind });
        groups.push(group);
      }
      gate.go('end');
      const code = await ended;
      if (code !== 0) throw new Error(`the run ended with ${code}`);
      return groups;
    } finally {
      child.kill('SIGTERM');
      web.stop();
      gate.close();
    }
  });
}

/** The run waits when this begins and when it ends. */
async function measureWindow({ child, gate, views, kind }) {
  const close = await views[kind]();
  await pause(SETTLE_MS);
  const cpuBefore = readCpuMs(child.pid);
  const startedAt = performance.now();
  gate.go('on');
  if (kind === 'closing') void close();
  await gate.told();
  const wallMs = performance.now() - startedAt;
  const cpuMs = readCpuMs(child.pid) - cpuBefore;
  await close();
  return { wallMs, cpuMs };
}

/** Ways to open a view; each gives the way to close it, which may be called twice. */
function createViews(cwd, web) {
  const once = (act) => {
    let done = null;
    return () => {
      done ??= act();
      return done;
    };
  };
  const openView = async () => {
    const terminal = await openTerminal(`'${process.execPath}' '${RALPH}' watch`, {
      cwd,
      env: toTerminalEnvironment({ XDG_STATE_HOME: join(cwd, 'state') }),
    });
    await terminal.until(({ headline }) => headline.includes('RUNNING'));
    return once(terminal.leave);
  };
  return {
    alone: async () => async () => undefined,
    terminal: openView,
    closing: openView,
    page: async () => {
      const { key } = (await web.json('/api/runs')).runs[0];
      const stream = await web.open(`/api/stream?run=${key}`);
      stream.on('error', () => undefined);
      await new Promise((resolve) => stream.once('data', resolve));
      stream.resume();
      return once(async () => void stream.destroy());
    },
  };
}

/** Two pipes with names. They are opened for both ways, so that neither side waits for the other to be there. */
function createGate(cwd) {
  const [told, go] = ['told', 'go'].map((name) => openSync(join(cwd, name), constants.O_RDWR));
  const buffer = Buffer.alloc(64);
  return {
    told: () =>
      new Promise((resolve, reject) => read(told, buffer, 0, buffer.length, null, (error) => (error === null ? resolve() : reject(error)))),
    go: (word) => writeSync(go, `${word}\n`),
    close: () => {
      // A reading that nobody will answer would hold the pipe.
      writeFileSync(join(cwd, 'told'), '\n');
      closeSync(told);
      closeSync(go);
    },
  };
}

/** What all threads of a process have had of a core, without those of the programs it started. */
function readCpuMs(pid) {
  const folder = `/proc/${pid}/task`;
  const times = readdirSync(folder).map((thread) => Number(readFileSync(join(folder, thread, 'schedstat'), 'utf8').split(' ')[0]));
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

function shuffle(values) {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ value }) => value);
}
