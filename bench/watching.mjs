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

/** Turns that take no time but Ralph's own show what its process pays; those of an agent that takes a while, far less than any real one, what the run as a whole does. */
const QUICK = { turns: 20, thinkS: 0, groups: 10 };
const SLOW = { turns: 8, thinkS: 0.25, groups: 40 };
const MOST_GROUPS = 100;
const LIMIT_MS = 90_000;
const BUDGET = 1;
/** After a view was opened or closed, until the window begins. */
const SETTLE_MS = 40;
const SAMPLES = 4000;
const VIEWS = {
  terminal: 'while the terminal view is open',
  page: 'while a page is told of it',
  // Open when the window begins, and left then.
  closing: 'in whose midst a terminal view is closed',
};
const KINDS = ['alone', ...Object.keys(VIEWS)];

/** At the beginning of a window it says so and waits for a word; the last one ends the run. */
const toAgent = ({ turns, thinkS }) => `#!/bin/sh
n=$(cat count 2>/dev/null || echo 0)
if [ $((n % ${turns})) = 0 ]; then
  echo $n > told
  read word < go
  [ "$word" = end ] && echo LOOP_COMPLETE
fi
echo $((n + 1)) > count
echo working
[ ${thinkS} = 0 ] || sleep ${thinkS}
exit 0
`;

/** What the process of the run itself pays, while turns come as quickly as they can. */
export async function benchWatching() {
  return measure(QUICK, (when) => `a core’s time of a run ${when}`, 'cpuMs');
}

/** What becomes of its time in all, while its agents take a moment. */
export async function benchWatchingTime() {
  return measure(SLOW, (when) => `time of a run whose agents take ${SLOW.thinkS * 1000} ms ${when}`, 'wallMs');
}

async function measure(design, toWhat, name) {
  const whyNot = whyNoTerminal();
  if (whyNot !== null) return [row('what being watched costs a run', `not measured: ${whyNot}`, '', '')];
  const groups = [];
  const until = performance.now() + LIMIT_MS;
  while (groups.length < MOST_GROUPS && performance.now() < until) groups.push(...(await measureRun(design, until)));
  const { turns } = design;
  return Object.entries(VIEWS).map(([kind, when]) => toRow(toWhat(when), groups, { kind, name, turns }));
}

function toRow(what, groups, { kind, name, turns }) {
  const differences = groups.map((group) => (group[kind][name] / group.alone[name] - 1) * 100);
  const { median, low, high } = bootstrapMedian(differences);
  const read = (of) => `${toMedian(groups.map((group) => group[of][name] / turns)).toFixed(3)} ms`;
  const verdict = high < BUDGET ? 'held' : low > BUDGET ? '**missed**' : 'not decided: the interval has it in it';
  return row(
    what,
    `${read(kind)} a turn`,
    `nobody looks ${read('alone')}`,
    `${toSigned(median)} %`,
    `95 % interval of the median difference ${toSigned(low)} to ${toSigned(high)} %, ${groups.length} pairs of ${turns} turns; budget ${BUDGET} %: ${verdict}`,
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

const toConfig = ({ groups, turns }) =>
  `cli: { backend: custom, command: ./agent.sh }\nevent_loop: { max_iterations: ${(groups * KINDS.length + 2) * turns}, checkpoint_interval: 0 }\nisolation: off\ngates: []\n`;

/** The groups of one run. Its first window warms it up. */
async function measureRun(design, until) {
  return withFolder({ token: TOKEN, 'ralph.yml': toConfig(design), 'agent.sh': toAgent(design) }, async (cwd) => {
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
      while (groups.length < design.groups && performance.now() < until) {
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
