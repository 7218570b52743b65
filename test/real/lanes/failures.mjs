/** What real CLIs do when things go wrong, and what Ralph makes of it: refused keys, limits, errors on the way, silence. */
import { checkEnd } from '../checks.mjs';
import { appendLine, inOrder, playHats } from '../hat-turn.mjs';
import { RESUME, RUN, toPublished, toTurns } from '../ralph-command.mjs';
import { acpWearerOf, wearerOf } from '../wearers.mjs';

const DONE = { text: 'All done.\n\nLOOP_COMPLETE' };

/**
 * @typedef {import('../bench.mjs').Bench} Bench
 * @typedef {import('../checks.mjs').Checks} Checks
 * @typedef {import('../ralph-command.mjs').RalphResult} RalphResult
 */

/** A hat that mends what went wrong; it is the recovery hat, so it may end the run. @param {string[]} publishes */
function toMedic(publishes) {
  return { triggers: ['error.cli', 'error.timeout', 'task.resume'], publishes, backend: wearerOf('codex').backend };
}

/**
 * Every CLI has its key refused: each is ended at once, the next of the list takes over, and after the last one the run waits for a person.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 * @param {string[]} installed
 */
export async function runRefusedKey(bench, checks, installed) {
  const acp = acpWearerOf(installed);
  const wearers = [...installed.map(wearerOf), ...(acp === undefined ? [] : [acp])];
  const project = await bench.createProject('refused-key', {
    config: { cli: { backend: wearers.map(({ backend }) => backend) }, event_loop: { idle_timeout_seconds: 45 } },
  });
  bench.play(playHats(() => ({ fault: 'unauthorized' })));
  const result = await project.ralph(RUN, { timeoutMs: 180_000 });
  checkEnd(checks, result, 2, 'parked');
  const turns = toTurns(result.records);
  for (const [index, { label }] of wearers.entries()) {
    const turn = turns[index];
    checks.equal(`${label}: outcome`, [turn?.outcome, turn?.failure], ['failed', 'auth']);
    checks.ok(`${label}: says why`, /401|api[ -]?key|auth|unauthori/i.test(turn?.message ?? ''), turn?.message);
  }
  checks.equal('turns', turns.length, wearers.length);
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
  const resumed = await project.ralph(RESUME, { env });
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
 * A turn that fails after it has published: the event counts, and no error is published beside it.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 */
export async function runLateError(bench, checks) {
  const project = await bench.createProject('late-error', {
    config: {
      hats: {
        worker: { triggers: ['task.start'], publishes: ['work.done'], backend: wearerOf('codex').backend },
        checker: { triggers: ['work.done', 'task.resume'], publishes: ['task.complete'], backend: wearerOf('claude').backend },
      },
      event_loop: { recovery_hat: 'checker' },
    },
  });
  bench.play(
    playHats((turn) =>
      turn.hat === 'worker' ? inOrder(turn, { text: 'Done.', shell: appendLine('work.done', 'all') }, { fault: 'server-error' }) : DONE,
    ),
  );
  const result = await project.ralph(RUN);
  checkEnd(checks, result, 0, 'completed');
  checks.equal(
    'turns',
    toTurns(result.records).map(({ hat, attempt, outcome }) => [hat, attempt, outcome]),
    [
      ['worker', 1, 'failed'],
      ['checker', 1, 'succeeded'],
    ],
  );
  checks.equal('events', topicsOf(result, ''), ['task.start', 'work.done', 'task.complete']);
}

/**
 * Models that stop in the middle of an answer: no CLI notices, the idle time-out does.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 * @param {string[]} installed
 */
export async function runHungModel(bench, checks, installed) {
  // claude obeys SIGTERM; gemini takes no notice, so its whole tree has to be found; copilot says that all went well when it is told to end.
  const clis = ['claude', 'gemini', 'copilot'].filter((cli) => installed.includes(cli));
  const topicOf = (/** @type {number} */ index) => (index === 0 ? 'task.start' : `try.${clis[index]}`);
  const workers = clis.map((cli, index) => [
    cli,
    { triggers: [topicOf(index)], publishes: ['work.done'], idle_timeout_seconds: index === 0 ? 4 : 6, backend: wearerOf(cli).backend },
  ]);
  const project = await bench.createProject('hung', {
    config: {
      event_loop: { recovery_hat: 'medic', terminal_events: ['work.done'] },
      hats: { ...Object.fromEntries(workers), medic: toMedic(clis.slice(1).map((cli) => `try.${cli}`)) },
    },
  });
  const before = bench.server.requests.length;
  bench.play(
    playHats((turn) => {
      if (turn.hat !== 'medic') return { text: 'I think about it and think about it and think about it.', fault: 'hang' };
      const next = 1 + clis.findIndex((cli) => turn.prompt.includes(`"hat":"${cli}"`) || turn.prompt.includes(`"hat": "${cli}"`));
      if (next === clis.length) return DONE;
      return inOrder(turn, { text: 'The next.', shell: appendLine(topicOf(next), 'try') }, { text: 'Handed over.' });
    }),
  );
  const result = await project.ralph(RUN);
  checkEnd(checks, result, 0, 'completed');
  checks.equal(
    'turns',
    toTurns(result.records).map(({ hat, failure }) => [hat, failure]),
    clis.flatMap((cli) => [
      [cli, 'idle-timeout'],
      ['medic', undefined],
    ]),
  );
  checks.equal(
    'error events',
    topicsOf(result, 'error.'),
    clis.map(() => 'error.timeout'),
  );
  const hung = bench.server.requests.slice(before).flatMap(({ answer, script }) => (answer === 'hang' ? [script] : []));
  checks.equal('hung requests', [...new Set(hung)], clis);
  checks.equal('processes left', await bench.alive(), []);
}

/**
 * @param {RalphResult} result
 * @param {string} prefix
 */
function topicsOf(result, prefix) {
  return toPublished(result.records).flatMap(({ topic }) => (topic.startsWith(prefix) ? [topic] : []));
}
