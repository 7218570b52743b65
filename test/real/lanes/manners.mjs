/** What a person sees of real CLIs, and how a prompt reaches them that is too long for an argument. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkEnd } from '../checks.mjs';
import { inOrder, playHats } from '../hat-turn.mjs';
import { RESUME, RUN, toRecords, toTurns } from '../ralph-command.mjs';
import { acpWearerOf, wearerOf } from '../wearers.mjs';

/** Linux refuses a single argument of more than 128 KiB. */
const LONG_CHARACTERS = 150_000;
const LAST_WORDS = 'These are the last words of a long objective.';

/**
 * One after the other is given a prompt of 150 KB, by whatever way it takes; the run is shown as a person sees it.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../checks.mjs').Checks} checks
 * @param {string[]} installed
 */
export async function runLongPrompt(bench, checks, installed) {
  const acp = acpWearerOf(installed);
  const wearers = [...installed.map(wearerOf), ...(acp === undefined ? [] : [acp])];
  const names = wearers.map(({ cli }) => `${cli}-reader`);
  const hats = wearers.map(({ backend }, index) => {
    const triggers = index === 0 ? ['task.start', 'task.resume'] : [`read.${names[index]}`];
    return [names[index], { triggers, publishes: [index + 1 < names.length ? `read.${names[index + 1]}` : 'task.complete'], backend }];
  });
  const line = 'A long objective has many lines, and every one of them must arrive.\n';
  const objective = line.repeat(Math.ceil(LONG_CHARACTERS / line.length)) + LAST_WORDS;
  const project = await bench.createProject('long-prompt', {
    config: { event_loop: { prompt_file: 'task.md' }, hats: Object.fromEntries(hats) },
    files: { 'task.md': objective },
  });
  /** @type {string[]} */
  const whole = [];
  bench.play(
    playHats((turn) => {
      if (turn.prompt.includes(objective) && !whole.includes(turn.hat)) whole.push(turn.hat);
      const next = names[names.indexOf(turn.hat) + 1];
      const last = next === undefined ? 'LOOP_COMPLETE' : `<event topic="read.${next}">yours</event>`;
      return inOrder(
        turn,
        { text: `The ${turn.hat} looks.`, shell: 'echo "{}" looked' },
        { text: `The ${turn.hat} has read it.\n\n${last}` },
      );
    }),
  );
  const result = await project.ralph(['run'], { timeoutMs: 120_000 });
  checks.equal('exit code', result.exitCode, 0);
  if (result.exitCode !== 0) checks.ok('what it said', false, (result.stderr + result.stdout.slice(-1_500)).trim());
  checks.equal('read the whole prompt', whole, names);
  checks.equal('lines of JSON on the screen', toRecords(result.stdout).length, 0);
  for (const name of names) {
    checks.ok(`nothing of what ${name} said is shown`, result.stdout.includes(`The ${name} has read it.`));
  }
  checks.ok('no tool call is shown', result.stdout.includes('echo "{}" looked'));
  checks.equal('processes left', await bench.alive(), []);
}

/**
 * A folder without any configuration: the first CLI on the PATH does the work alone.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../checks.mjs').Checks} checks
 */
export async function runBare(bench, checks) {
  const project = await bench.createProject('bare', { files: { 'README.md': 'Nothing yet.\n' } });
  bench.play(
    playHats((turn) =>
      inOrder(
        turn,
        // An agent that would start a run of its own is told not to.
        { text: 'First a run of my own.', shell: 'ralph run -p "more" > nested.txt 2>&1; echo "exit $?" >> nested.txt' },
        { text: 'All done.\n\nLOOP_COMPLETE' },
      ),
    ),
  );
  const result = await project.ralph(['run', '-p', 'Say that it is done.', '--format', 'ndjson']);
  checkEnd(checks, result, 0, 'completed');
  checks.equal(
    'turns',
    toTurns(result.records).map(({ backend, hat, outcome }) => [backend, hat, outcome]),
    [['claude', 'ralph', 'succeeded']],
  );
  const nested = await readFile(join(project.cwd, 'nested.txt'), 'utf8').catch(() => '(missing)');
  checks.ok('a run inside of a turn was not refused', nested.endsWith('exit 2\n') && nested.includes('--nested'), nested);
}

/**
 * What claude reports as its cost ends the run, and more money lets it go on.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../checks.mjs').Checks} checks
 */
export async function runCostLimit(bench, checks) {
  const project = await bench.createProject('cost', { config: { cli: { backend: wearerOf('claude').backend } } });
  bench.play(playHats((turn) => (turn.prompt.includes('Turn 1 ') ? { text: 'More to do.' } : { text: 'All done.\n\nLOOP_COMPLETE' })));
  const limited = await project.ralph([...RUN, '--max-cost', '0.001']);
  checkEnd(checks, limited, 2, 'max_cost');
  const again = await project.ralph(RESUME);
  checks.equal('exit code of a resume without more money', again.exitCode, 2);
  checkEnd(checks, await project.ralph([...RESUME, '--max-cost', '5']), 0, 'completed');
}

/**
 * Every CLI is found with its version.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../checks.mjs').Checks} checks
 * @param {import('../clis.mjs').InstalledCli[]} installed
 */
export async function runDoctor(bench, checks, installed) {
  const project = await bench.createProject('doctor', { config: { cli: { backend: 'claude' } } });
  const result = await project.ralph(['doctor']);
  checks.equal('exit code', result.exitCode, 0);
  for (const { spec } of installed) {
    checks.ok(
      `${spec.name} ${spec.version} is not listed`,
      result.stdout.split('\n').some((line) => line.includes(spec.name) && line.includes(spec.version)),
      result.stdout.slice(0, 1_200),
    );
  }
}
