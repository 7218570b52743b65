/** Being stopped while a real CLI runs a long command: by a person, by the system, by death; and what is left to go on from. */
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkEnd } from '../checks.mjs';
import { inOrder, playHats } from '../hat-turn.mjs';
import { RESUME, RUN, toTurns } from '../ralph-command.mjs';
import { wearerOf } from '../wearers.mjs';

const DONE = { text: 'All done.\n\nLOOP_COMPLETE' };
/** An agent has ten seconds to end; then it is ended. */
const STOP_MS = 14_000;
/** Nobody who presses Ctrl+C twice wants to wait. */
const KILL_MS = 5_000;
/** A command that would take ten minutes, with a child in a session of its own that will not be asked to go. */
const LONG_COMMAND = `import { spawn } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
const stubborn = "process.on('SIGTERM', () => {}); setTimeout(() => {}, 600000)";
const child = spawn(process.execPath, ['-e', stubborn], { detached: true, stdio: 'ignore' });
child.unref();
setTimeout(() => {
  writeFileSync('.agent/workspace/pids.new', process.pid + ' ' + child.pid);
  renameSync('.agent/workspace/pids.new', '.agent/workspace/pids');
}, 300);
setTimeout(() => {}, 600000);
`;

/**
 * @typedef {import('../bench.mjs').Bench} Bench
 * @typedef {import('../checks.mjs').Checks} Checks
 */

/**
 * Ctrl+C while a CLI runs a long command; then `resume` starts the turn again and completes.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 * @param {import('../wearers.mjs').Wearer} wearer
 */
export async function runInterrupted(bench, checks, wearer) {
  const { project, running, pids } = await startLongCommand(bench, checks, wearer, 'interrupt');
  if (running === undefined) return;
  const asked = Date.now();
  running.kill('SIGINT');
  const result = await running.result;
  checkEnd(checks, result, 130, 'interrupted');
  checks.ok('it took long to end', Date.now() - asked < STOP_MS, Date.now() - asked);
  checks.equal('processes left', [...pids.filter(isAlive), ...(await bench.alive())], []);
  await resume(checks, project, bench);
}

/**
 * The CLI itself is killed in the middle of a turn, as by a system that is short of memory: the turn has failed, whatever its other
 * processes say when they are ended.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 * @param {import('../wearers.mjs').Wearer} wearer
 */
export async function runLostCli(bench, checks, wearer) {
  const { project, running, pids } = await startLongCommand(bench, checks, wearer, 'lost');
  if (running === undefined) return;
  bench.play(playHats(() => DONE));
  process.kill(await findAgent(project), 'SIGKILL');
  const result = await running.result;
  checkEnd(checks, result, 0, 'completed');
  const turns = toTurns(result.records).map(({ iteration, outcome, failure }) => [iteration, outcome, failure]);
  checks.equal('turns', turns, [
    [1, 'failed', 'agent'],
    [2, 'succeeded', undefined],
  ]);
  checks.equal('processes left', [...pids.filter(isAlive), ...(await bench.alive())], []);
}

/**
 * @param {import('../bench.mjs').Project} project
 * @returns {Promise<number>} pid of the only agent so far, from the journal
 */
async function findAgent({ cwd }) {
  const runs = join(cwd, '.ralph', 'runs');
  const [run] = (await readdir(runs, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const journal = await readFile(join(runs, run?.name ?? '', 'journal.jsonl'), 'utf8');
  const pid = /"type":"iteration-spawned"[^\n]*?"pid":(\d+)/.exec(journal)?.[1];
  if (pid === undefined) throw new Error(`No agent in the journal: ${journal.slice(0, 500)}`);
  return Number(pid);
}

/**
 * The other ways to end a run: a signal of the system, a word from another terminal, impatience.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 * @param {import('../wearers.mjs').Wearer} wearer
 * @param {'SIGTERM' | 'stop --now' | 'Ctrl+C twice'} how
 */
export async function runStopped(bench, checks, wearer, how) {
  const { project, running, pids } = await startLongCommand(bench, checks, wearer, how.replace(/\W+/g, '-'));
  if (running === undefined) return;
  const asked = Date.now();
  if (how === 'stop --now') {
    const stop = await project.ralph(['stop', '--now']);
    checks.equal('exit code of stop', stop.exitCode, 0);
  } else running.kill(how === 'SIGTERM' ? 'SIGTERM' : 'SIGINT');
  if (how === 'Ctrl+C twice') {
    await new Promise((wake) => setTimeout(wake, 200));
    running.kill('SIGINT');
  }
  const [exitCode, reason] = how === 'SIGTERM' ? /** @type {const} */ ([143, 'terminated']) : /** @type {const} */ ([130, 'interrupted']);
  checkEnd(checks, await running.result, exitCode, reason);
  checks.ok('it took long to end', Date.now() - asked < (how === 'Ctrl+C twice' ? KILL_MS : STOP_MS), Date.now() - asked);
  checks.equal('processes left', [...pids.filter(isAlive), ...(await bench.alive())], []);
}

/**
 * While one run works in a folder, a second is refused there and works in a worktree of its own.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 */
export async function runBeside(bench, checks) {
  const { project, running } = await startLongCommand(bench, checks, wearerOf('claude'), 'beside');
  if (running === undefined) return;
  bench.play(playHats((turn) => inOrder(turn, { text: 'In my own place.', shell: 'echo right > result.txt; pwd' }, DONE)));
  const refused = await project.ralph(RUN);
  checks.equal('exit code of the refused run', refused.exitCode, 1);
  checks.ok('the refusal does not name the other run', /\d{8}-\d{6}-\w+/.test(refused.stderr), refused.stderr);
  const beside = await project.ralph([...RUN, '-b', 'codex', '--worktree', 'other']);
  checkEnd(checks, beside, 0, 'completed');
  checks.ok('no result in the worktree', existsSync(join(project.cwd, '.ralph', 'worktrees', 'other', 'result.txt')));
  checks.ok('a result in the main checkout', !existsSync(join(project.cwd, 'result.txt')));
  running.kill('SIGINT');
  checkEnd(checks, await running.result, 130, 'interrupted');
  checks.equal('processes left', await bench.alive(), []);
}

/**
 * The number by which this process knows one that told its own: in a process namespace that is another one. Where it is not found, 0, which is nobody's.
 *
 * @param {number} inner
 * @param {string} cwd of the process
 */
function toOuterPid(inner, cwd) {
  const outer = readdirSync('/proc').find((name) => {
    try {
      const [numbers = ''] = /(?<=^NSpid:).*$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8')) ?? [];
      return Number(numbers.trim().split(/\s+/).at(-1)) === inner && readlinkSync(`/proc/${name}/cwd`) === realpathSync(cwd);
    } catch {
      return false;
    }
  });
  return Number(outer ?? 0);
}

/**
 * What has ended and was not yet collected by whoever inherited it is not alive.
 *
 * @param {number} pid
 */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !status.slice(status.lastIndexOf(')')).startsWith(') Z');
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' && !existsSync('/proc/self');
  }
}

/**
 * A tool call cuts a program loose: no environment, a session of its own, a parent that has ended. With the turn it ends all the same.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 * @param {import('../wearers.mjs').Wearer} wearer
 */
export async function runCutLoose(bench, checks, wearer) {
  const seconds = `304.${Math.floor(Math.random() * 1e6)}`;
  const project = await bench.createProject(`loose-${wearer.cli}`, {
    config: { cli: { backend: [wearer.backend] }, isolation: 'required' },
  });
  const shell = `(env -i setsid sleep ${seconds} >/dev/null 2>&1 </dev/null &); sleep 0.5; cat /proc/[0-9]*/cmdline | tr '\\0' ' ' > seen.txt`;
  bench.play(playHats((turn) => inOrder(turn, { text: 'I leave something.', shell }, DONE)));
  const result = await project.ralph(RUN);
  checkEnd(checks, result, 0, 'completed');
  const seen = await readFile(join(project.cwd, 'seen.txt'), 'utf8').catch(() => '');
  checks.ok('the program ran during the turn', seen.includes(`sleep ${seconds}`), seen.slice(-300));
  checks.equal('the program after the turn', findCommands(`sleep ${seconds}`), []);
}

/** @param {string} command the processes that are it */
function findCommands(command) {
  return readdirSync('/proc').filter((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() === command;
    } catch {
      return false;
    }
  });
}

/**
 * Ralph himself is killed: what he left is shown, ended by `resume`, and the turn runs again.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 * @param {import('../wearers.mjs').Wearer} wearer
 */
export async function runKilled(bench, checks, wearer) {
  const { project, running, pids } = await startLongCommand(bench, checks, wearer, 'killed');
  if (running === undefined) return;
  running.kill('SIGKILL');
  await running.result;
  const left = await project.ralph(['ps']);
  checks.ok(
    'ralph ps shows nothing of what was left',
    pids.some((pid) => left.stdout.includes(String(pid))),
    left.stdout + left.stderr,
  );
  checks.ok('the command of the killed run has ended by itself', pids.some(isAlive));
  await resume(checks, project, bench);
  checks.equal('processes left', [...pids.filter(isAlive), ...(await bench.alive())], []);
}

/**
 * @param {Bench} bench
 * @param {Checks} checks
 * @param {import('../wearers.mjs').Wearer} wearer
 * @param {string} name
 */
async function startLongCommand(bench, checks, wearer, name) {
  const project = await bench.createProject(`${name}-${wearer.cli}`, {
    config: { cli: { backend: [wearer.backend] }, event_loop: { idle_timeout_seconds: 60 } },
    files: { 'long.mjs': LONG_COMMAND },
  });
  bench.play(playHats((turn) => inOrder(turn, { text: 'This takes a while.', shell: 'mkdir -p .agent/workspace && node long.mjs' }, DONE)));
  const running = project.start(RUN, { timeoutMs: 60_000 });
  const path = join(project.cwd, '.agent', 'workspace', 'pids');
  const isThere = await waitForFile(path, 30_000);
  if (isThere) {
    const pids = (await readFile(path, 'utf8')).split(' ').map((pid) => toOuterPid(Number(pid), project.cwd));
    checks.equal('processes of the command', pids.map(isAlive), [true, true]);
    return { project, running, pids };
  }
  running.kill('SIGINT');
  const { stderr, stdout } = await running.result;
  checks.ok('the command was never run', false, stderr + stdout.slice(-800));
  return { project, running: undefined, pids: [] };
}

/**
 * @param {Checks} checks
 * @param {import('../bench.mjs').Project} project
 * @param {Bench} bench
 */
async function resume(checks, project, bench) {
  bench.play(playHats((turn) => inOrder(turn, { text: 'Quickly now.', shell: 'echo right > result.txt' }, DONE)));
  const result = await project.ralph(RESUME);
  checkEnd(checks, result, 0, 'completed');
  const turns = toTurns(result.records).map(({ iteration, attempt, outcome }) => [iteration, attempt, outcome]);
  checks.equal('turns after resume', turns.at(-1), [2, 1, 'succeeded']);
  const text = await readFile(join(project.cwd, 'result.txt'), 'utf8').catch(() => '(missing)');
  checks.equal('result.txt', text.trim(), 'right');
}

/**
 * @param {string} path
 * @param {number} timeoutMs
 */
async function waitForFile(path, timeoutMs) {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; ) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return true;
    await new Promise((wake) => setTimeout(wake, 100));
  }
  return false;
}
