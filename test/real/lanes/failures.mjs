/** What real CLIs do when things go wrong, and what Ralph makes of it: refused keys, limits, silence, and being stopped. */
import { existsSync, readFileSync } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { appendLine, inOrder, playHats } from '../hat-turn.mjs';
import { toPublished, toTurns } from '../ralph-command.mjs';
import { acpWearerOf, wearerOf } from '../wearers.mjs';

const RUN = ['run', '-c', 'ralph.yml', '-p', 'Do what your hat says.', '--no-tui', '--format', 'ndjson'];
/** An agent has ten seconds to end; then it is ended. */
const STOP_MS = 14_000;
/** Nobody who presses Ctrl+C twice wants to wait. */
const KILL_MS = 3_000;
const DONE = { text: 'All done.\n\nLOOP_COMPLETE' };
/** A command that would take ten minutes, with a child in a session of its own that will not be asked to go. */
const LONG_COMMAND = `import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
const stubborn = "process.on('SIGTERM', () => {}); setTimeout(() => {}, 600000)";
const child = spawn(process.execPath, ['-e', stubborn], { detached: true, stdio: 'ignore' });
child.unref();
setTimeout(() => writeFileSync('.agent/workspace/pids', process.pid + ' ' + child.pid), 300);
setTimeout(() => {}, 600000);
`;

/**
 * @typedef {import('../bench.mjs').Bench} Bench
 * @typedef {import('../checks.mjs').Checks} Checks
 * @typedef {import('../ralph-command.mjs').RalphResult} RalphResult
 */

/**
 * @param {Checks} checks
 * @param {RalphResult} result
 * @param {number} exitCode
 * @param {string} reason
 */
function checkEnd(checks, result, exitCode, reason) {
  const end = result.records.at(-1) ?? {};
  checks.equal('end', [result.exitCode, end['reason']], [exitCode, reason]);
  if (result.exitCode !== exitCode) checks.ok('what it said', false, (result.stderr + result.stdout.slice(-1_000)).trim());
}

/** A hat that mends what went wrong; it is the recovery hat, so it may end the run. @param {string[]} publishes */
function toMedic(publishes) {
  return { triggers: ['error.cli', 'error.timeout', 'task.resume'], publishes, backend: wearerOf('codex').backend };
}

/**
 * Every CLI has its key refused; each time the failure goes to the hat that takes `error.cli`.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 * @param {string[]} installed
 */
export async function runRefusedKey(bench, checks, installed) {
  const acp = acpWearerOf(installed);
  const wearers = [...installed.map(wearerOf), ...(acp === undefined ? [] : [acp])];
  const names = wearers.map(({ cli }) => `${cli}-worker`);
  const topicOf = (/** @type {number} */ index) => (index === 0 ? 'task.start' : `try.${names[index]}`);
  const workers = wearers.map(({ backend }, index) => [names[index], { triggers: [topicOf(index)], publishes: ['work.done'], backend }]);
  const project = await bench.createProject('refused-key', {
    config: {
      event_loop: { recovery_hat: 'medic', terminal_events: ['work.done'], idle_timeout_seconds: 45 },
      hats: { ...Object.fromEntries(workers), medic: toMedic(names.slice(1).map((name) => `try.${name}`)) },
    },
  });
  bench.play(
    playHats((turn) => {
      if (turn.hat !== 'medic') return { fault: 'unauthorized' };
      const failed = names.findIndex((name) => turn.prompt.includes(`"hat":"${name}"`) || turn.prompt.includes(`"hat": "${name}"`));
      if (failed === names.length - 1) return DONE;
      return inOrder(turn, { text: 'The next.', shell: appendLine(topicOf(failed + 1), 'try') }, { text: 'Handed over.' });
    }),
  );
  const result = await project.ralph(RUN, { timeoutMs: 120_000 });
  checkEnd(checks, result, 0, 'completed');
  const turns = toTurns(result.records);
  for (const [index, { label }] of wearers.entries()) {
    const turn = turns.find(({ hat }) => hat === names[index]);
    checks.equal(`${label}: outcome`, [turn?.outcome, turn?.failure], ['failed', 'auth']);
    checks.ok(`${label}: says why`, /401|api[ -]?key|auth|unauthori/i.test(turn?.message ?? ''), turn?.message);
  }
  const errors = toPublished(result.records).filter(({ topic }) => topic === 'error.cli');
  checks.equal(
    'error.cli goes to',
    errors.map(({ source, to }) => [source, to]),
    names.map(() => ['system', ['medic']]),
  );
  checks.equal('processes left', await bench.alive(), []);
}

/**
 * A rate limit is waited out, and the same iteration gets another attempt.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 */
export async function runRateLimit(bench, checks) {
  const project = await bench.createProject('rate-limit', {
    config: {
      event_loop: { retry: { max_attempts: 3, base_seconds: 0.2, max_seconds: 1 }, recovery_hat: 'planner' },
      hats: {
        planner: { triggers: ['task.start', 'task.resume'], publishes: ['build.task'], backend: wearerOf('claude').backend },
        builder: { triggers: ['build.task'], publishes: ['task.complete'], backend: wearerOf('codex').backend },
      },
    },
  });
  const asked = new Map();
  bench.play(
    playHats((turn) => {
      const count = (asked.get(turn.hat) ?? 0) + 1;
      asked.set(turn.hat, count);
      if (count === 1) return { fault: 'rate-limited' };
      return turn.hat === 'builder'
        ? DONE
        : inOrder(turn, { text: 'On.', shell: appendLine('build.task', 'go') }, { text: 'Handed over.' });
    }),
  );
  const result = await project.ralph(RUN);
  checkEnd(checks, result, 0, 'completed');
  checks.equal(
    'turns',
    toTurns(result.records).map(({ hat, iteration, attempt, outcome, failure }) => [hat, iteration, attempt, outcome, failure]),
    [
      ['planner', 1, 1, 'failed', 'transient'],
      ['planner', 1, 2, 'succeeded', undefined],
      ['builder', 2, 1, 'failed', 'transient'],
      ['builder', 2, 2, 'succeeded', undefined],
    ],
  );
  checks.equal('error events', topicsOf(result, 'error.'), []);
}

/**
 * A used-up plan parks the run; `resume` goes on in the same iteration.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 */
export async function runUsageLimit(bench, checks) {
  const project = await bench.createProject('usage-limit', {
    config: { event_loop: { on_limit: 'stop' }, cli: { backend: [wearerOf('claude').backend] } },
  });
  // A subscriber is told when the limit ends.
  const env = { ANTHROPIC_API_KEY: undefined, CLAUDE_CODE_OAUTH_TOKEN: 'mock-key' };
  bench.play(playHats(() => ({ fault: 'usage-limit' })));
  const parked = await project.ralph(RUN, { env });
  checkEnd(checks, parked, 2, 'parked');
  const [turn] = toTurns(parked.records);
  checks.equal('the parked turn', [turn?.failure, turn?.resetAt, turn?.iteration], ['limit', 4_102_444_800_000, 1]);
  bench.play(playHats(() => DONE));
  const resumed = await project.ralph(['resume', '--no-tui', '--format', 'ndjson'], { env });
  checkEnd(checks, resumed, 0, 'completed');
  checks.equal(
    'turns after resume',
    toTurns(resumed.records).map(({ iteration, attempt, outcome }) => [iteration, attempt, outcome]),
    [[1, 2, 'succeeded']],
  );
  checks.equal('processes left', await bench.alive(), []);
}

/**
 * With `on_limit: switch` another CLI takes the hat over.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 */
export async function runSwitch(bench, checks) {
  const project = await bench.createProject('switch', {
    config: { event_loop: { on_limit: 'switch' }, cli: { backend: [wearerOf('codex').backend, wearerOf('claude').backend] } },
  });
  const before = bench.server.requests.length;
  let asked = 0;
  bench.play(
    playHats(() => {
      asked += 1;
      return asked === 1 ? { fault: 'usage-limit' } : DONE;
    }),
  );
  const result = await project.ralph(RUN);
  checkEnd(checks, result, 0, 'completed');
  checks.equal(
    'turns',
    toTurns(result.records).map(({ backend, iteration, attempt, failure }) => [backend, iteration, attempt, failure]),
    [
      ['codex', 1, 1, 'limit'],
      ['claude', 1, 2, undefined],
    ],
  );
  const dialects = bench.server.requests.slice(before).flatMap(({ script, dialect }) => (script === 'ralph' ? [dialect] : []));
  checks.equal('asked', [...new Set(dialects)], ['responses', 'anthropic']);
}

/**
 * Models that stop in the middle of an answer: no CLI notices, the idle time-out does.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 * @param {string[]} installed
 */
export async function runHungModel(bench, checks, installed) {
  // gemini takes no notice of SIGTERM: its whole tree has to be found and ended.
  const second = installed.includes('gemini') ? 'gemini' : 'codex';
  const workers = {
    first: { triggers: ['task.start'], publishes: ['work.done'], idle_timeout_seconds: 3, backend: wearerOf('claude').backend },
    second: { triggers: ['try.second'], publishes: ['work.done'], idle_timeout_seconds: 5, backend: wearerOf(second).backend },
  };
  const project = await bench.createProject('hung', {
    config: {
      event_loop: { recovery_hat: 'medic', terminal_events: ['work.done'] },
      hats: { ...workers, medic: toMedic(['try.second']) },
    },
  });
  const before = bench.server.requests.length;
  bench.play(
    playHats((turn) => {
      if (turn.hat !== 'medic') return { text: 'I think about it and think about it and think about it.', fault: 'hang' };
      if (/"hat": ?"second"/.test(turn.prompt)) return DONE;
      return inOrder(turn, { text: 'The next.', shell: appendLine('try.second', 'try') }, { text: 'Handed over.' });
    }),
  );
  const result = await project.ralph(RUN);
  checkEnd(checks, result, 0, 'completed');
  checks.equal(
    'turns',
    toTurns(result.records).map(({ hat, failure }) => [hat, failure]),
    [
      ['first', 'idle-timeout'],
      ['medic', undefined],
      ['second', 'idle-timeout'],
      ['medic', undefined],
    ],
  );
  checks.equal('error events', topicsOf(result, 'error.'), ['error.timeout', 'error.timeout']);
  const hung = bench.server.requests.slice(before).flatMap(({ answer, script }) => (answer === 'hang' ? [script] : []));
  checks.equal('hung requests', [...new Set(hung)], ['first', 'second']);
  checks.equal('processes left', await bench.alive(), []);
}

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
    checks.equal('exit code of stop', [stop.exitCode, stop.stderr], [0, '']);
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
  checks.ok('ralph ps shows nothing of what was left', pids.some((pid) => left.stdout.includes(String(pid))), left.stdout + left.stderr);
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
  const isThere = await waitForFile(path, 20_000);
  if (isThere) {
    const pids = (await readFile(path, 'utf8')).split(' ').map(Number);
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
  const result = await project.ralph(['resume', '--no-tui', '--format', 'ndjson']);
  checkEnd(checks, result, 0, 'completed');
  const turns = toTurns(result.records).map(({ iteration, attempt, outcome }) => [iteration, attempt, outcome]);
  checks.equal('turns after resume', turns.at(-1), [2, 1, 'succeeded']);
  const text = await readFile(join(project.cwd, 'result.txt'), 'utf8').catch(() => '(missing)');
  checks.equal('result.txt', text.trim(), 'right');
}

/**
 * @param {RalphResult} result
 * @param {string} prefix
 */
function topicsOf(result, prefix) {
  return toPublished(result.records).flatMap(({ topic }) => (topic.startsWith(prefix) ? [topic] : []));
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
