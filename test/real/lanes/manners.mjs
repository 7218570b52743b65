/** What a person sees of real CLIs, and how a prompt reaches them that is too long for an argument. */
import { inOrder, playHats } from '../hat-turn.mjs';
import { toRecords } from '../ralph-command.mjs';
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
      return inOrder(turn, { text: `The ${turn.hat} looks.`, shell: 'echo "{}" looked' }, { text: `The ${turn.hat} has read it.\n\n${last}` });
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
