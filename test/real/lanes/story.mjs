/** The evening and the morning of a person with a real CLI: one command, then what is typed the next day; each answer is looked at. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inOrder, playHats } from '../hat-turn.mjs';
import { wearerOf } from '../wearers.mjs';

const TASK = 'Make the failing tests in test/ pass';
const SOURCE = 'src/slug.js';
const STUB = `export function slug() {\n  throw new Error('not written yet');\n}\n`;
const GOOD = `export function slug(title) {\n  return title.toLowerCase().replaceAll(' ', '-');\n}\n`;
const BAD = `export function slug(title) {\n  return title;\n}\n`;

/** A project with a red `npm test`. */
const FILES = {
  'package.json': `${JSON.stringify({ name: 'shop', private: true, type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  [SOURCE]: STUB,
  'test/slug.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slug } from '../src/slug.js';

test('a title becomes an address', () => {
  assert.equal(slug('Red Shoes'), 'red-shoes');
});
`,
};

/** What the person has not committed: it is nobody else's. */
const NOTES = 'Ask Ada about the colours.\n';

/** A person may type as much, and it may take as long, until the work is home. */
const MAX_COMMANDS = 5;
const MAX_MS = 5 * 60_000;

/**
 * @typedef {object} Evening
 * @property {import('../bench.mjs').Project} project
 * @property {string[]} agent how the run is told which agent it is
 * @property {(...args: string[]) => Promise<import('../ralph-command.mjs').RalphResult>} type a command of the person
 * @property {Array<{ line: string, ms: number }>} typed
 * @property {() => Promise<Record<string, string>>} look the person's folder: branch, commits, files, what is not committed
 * @property {() => Promise<number>} worktrees how many git knows, this one included
 * @property {(path: string) => Promise<string[]>} readWorktree a file in each worktree of a run
 */

/**
 * The model lies once, and is sent back; in the morning the work is proven, and comes home.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../checks.mjs').Checks} checks
 * @param {string} cli
 */
export async function runStory(bench, checks, cli) {
  const evening = await createEvening(bench, `story-${cli}`, cli);
  const { project, type, typed } = evening;
  const prompts = playStory(bench, (turn, text) => (turn === 1 ? [{ text }] : [{ text: 'I write it.', shell: toWrite(GOOD) }, { text }]));
  const before = await evening.look();
  checks.ok('npm test was green before', (await npmTest(project)) !== 0);

  const run = await type('run', TASK, '--safe', ...evening.agent);
  checkSays(checks, 'run', run, 0, [
    / ▸ gate npm test … failed/,
    / Completed after 2 iterations /,
    /`ralph review`/,
    /Merge it: ralph land\n/,
  ]);
  checks.ok('a lie was believed', prompts.length === 2, prompts.length);
  checks.ok('it was sent back without what the test said', /not written yet/.test(prompts[1] ?? ''), prompts[1]?.slice(-1_500));
  checks.equal('the folder after the evening', await evening.look(), before);

  const review = await type('review');
  checkSays(checks, 'review', review, 0, [
    /^Completed after 2 iterations /,
    /^ +Evidence +passed npm test \(exit 0, .*2 runs, 1 failed/m,
    /^ +red before the first turn: npm test/m,
    /^ +Changed +1 file, \+2 −2 lines: src\/slug\.js$/m,
    /^ +Commits +1, /m,
    /^ +Where +all is committed; on branch ralph\/\S+/m,
    /^ +Next +[\s\S]*`ralph land`/m,
  ]);
  checks.ok('review: unproven', !review.stdout.includes('unproven'), review.stdout);

  const land = await type('land', '--clean');
  checkSays(checks, 'land', land, 0, [/passed {2}npm test/]);
  const after = await evening.look();
  checks.ok('the worktree is not gone', (await evening.worktrees()) === 1);
  checks.equal('the work', after['source'], GOOD);
  checks.equal('the branch', after['branch'], before['branch']);
  checks.ok('nothing was committed', after['head'] !== before['head']);
  checks.equal('not committed', after['status'], '?? notes.txt');
  checks.equal('what is the person’s', after['notes'], NOTES);
  checks.equal('npm test', await npmTest(project), 0);
  checkEffort(checks, typed);
  checks.equal('processes left', await bench.alive(), []);
}

/**
 * The model only lies: nothing of it comes home, and what it wrote can be thrown away.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../checks.mjs').Checks} checks
 * @param {string} cli
 */
export async function runLiarStory(bench, checks, cli) {
  const evening = await createEvening(bench, `liar-${cli}`, cli);
  const { type, typed } = evening;
  const prompts = playStory(bench, (turn, text) => (turn === 1 ? [{ text: 'I write.', shell: toWrite(BAD) }, { text }] : [{ text }]));
  const before = await evening.look();

  const run = await type('run', TASK, '--safe', '--max-iterations', '3', ...evening.agent);
  checkSays(checks, 'run', run, 2, [/ Not completed \(max_iterations\) after 3 iterations/]);
  checks.equal('turns', prompts.length, 3);
  checks.equal('the folder after the evening', await evening.look(), before);

  const review = await type('review');
  checkSays(checks, 'review', review, 0, [
    /^Not completed \(max_iterations\)/,
    /^ +Evidence +FAILED npm test \(exit 1, .*3 runs, 3 failed/m,
    /^ +Flagged +ralph claimed completion in iteration 2 without/m,
    /`ralph undo`/,
  ]);

  const land = await type('land', '--clean');
  checkSays(checks, 'land', land, 1, [/has not completed \(max_iterations\), so it is not landed/]);
  checks.equal('the folder after land', await evening.look(), before);

  const undo = await type('undo', '--yes');
  checkSays(checks, 'undo', undo, 0, [/src\/slug\.js/]);
  const [written] = await evening.readWorktree(SOURCE);
  checks.equal('the worktree after undo', written, STUB);
  checks.equal('the folder after undo', await evening.look(), before);
  checkEffort(checks, typed);
  checks.equal('processes left', await bench.alive(), []);
}

/**
 * @param {import('../bench.mjs').Bench} bench
 * @param {string} name
 * @param {string} cli
 * @returns {Promise<Evening>}
 */
async function createEvening(bench, name, cli) {
  const project = await bench.createProject(name, { files: FILES });
  await project.git('config', 'user.name', 'Pat');
  await project.git('config', 'user.email', 'pat@example.invalid');
  await writeFile(join(project.cwd, 'notes.txt'), NOTES);
  const { backend } = wearerOf(cli);
  const model = typeof backend === 'string' ? undefined : /** @type {{ model?: string }} */ (backend).model;
  // The settings of codex name a variable of their own for the key of its provider: such a one is given by name.
  const key = cli === 'codex' ? ['-c', ['cli.env.MOCK_API_KEY=$', '{MOCK_API_KEY}'].join('')] : [];
  const agent = ['-b', cli, ...(model === undefined ? [] : ['--model', model]), ...key];
  /** @type {Evening['typed']} */
  const typed = [];
  const type = async (/** @type {string[]} */ ...args) => {
    const result = await project.ralph(args, { timeoutMs: 150_000 });
    typed.push({ line: `ralph ${args.join(' ')}`, ms: result.durationMs });
    return result;
  };
  const listPaths = async () =>
    [...(await project.git('worktree', 'list', '--porcelain')).matchAll(/^worktree (.*)$/gm)].map(([, path]) => path ?? '');
  const worktrees = async () => (await listPaths()).length;
  const readWorktree = async (/** @type {string} */ path) =>
    Promise.all((await listPaths()).slice(1).map((folder) => readFile(join(folder, path), 'utf8')));
  return { project, agent, type, typed, look: () => look(project), worktrees, readWorktree };
}

/** @param {import('../bench.mjs').Project} project */
async function look({ cwd, git }) {
  const read = (/** @type {string} */ path) => readFile(join(cwd, path), 'utf8').catch(() => '(missing)');
  return {
    branch: (await git('symbolic-ref', 'HEAD')).trim(),
    head: (await git('rev-parse', 'HEAD')).trim(),
    status: (await git('status', '--porcelain')).trim(),
    stash: (await git('stash', 'list')).trim(),
    source: await read(SOURCE),
    notes: await read('notes.txt'),
  };
}

/**
 * @param {import('../bench.mjs').Bench} bench
 * @param {(turn: number, text: string) => import('../../../src/mock-model/index.ts').Reply[]} toReplies what it does in a turn, with the text that claims the end
 * @returns {string[]} the prompt of each turn
 */
function playStory(bench, toReplies) {
  /** @type {string[]} */
  const prompts = [];
  bench.play(
    playHats((turn) => {
      if (turn.step === 0 && prompts.at(-1) !== turn.prompt) prompts.push(turn.prompt);
      return inOrder(turn, ...toReplies(prompts.length, 'All tests pass now; I ran them twice.\n\nLOOP_COMPLETE'));
    }),
  );
  return prompts;
}

/** @param {string} text */
function toWrite(text) {
  return `cat > ${SOURCE} <<'END'\n${text}END`;
}

/**
 * @param {import('../bench.mjs').Project} project
 * @returns {Promise<number>} exit code of what the person would type to see for themselves
 */
function npmTest({ cwd, env }) {
  return new Promise((resolve) => {
    execFile('npm', ['test'], { cwd, env, timeout: 60_000 }, (error) => resolve(error === null ? 0 : Number(error.code ?? 1)));
  });
}

/**
 * @param {import('../checks.mjs').Checks} checks
 * @param {string} command
 * @param {import('../ralph-command.mjs').RalphResult} result
 * @param {number} exitCode
 * @param {RegExp[]} sentences
 */
function checkSays(checks, command, { exitCode: code, stdout, stderr }, exitCode, sentences) {
  const said = stdout + stderr;
  checks.equal(`${command}: exit code`, code, exitCode);
  const missing = sentences.filter((sentence) => !sentence.test(said)).map(String);
  if (code !== exitCode || missing.length > 0) checks.ok(`${command}: ${missing.join(', ')} is not in`, false, said.slice(-3_000));
}

/**
 * @param {import('../checks.mjs').Checks} checks
 * @param {Evening['typed']} typed
 */
function checkEffort(checks, typed) {
  const ms = typed.reduce((sum, one) => sum + one.ms, 0);
  checks.ok('too many commands', typed.length <= MAX_COMMANDS, typed);
  checks.ok('it took too long', ms < MAX_MS, typed);
}
