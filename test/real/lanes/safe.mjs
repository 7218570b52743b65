/** A safe run with a real CLI: it works and commits in its worktree, cannot read a private key of its person, and writes nowhere else. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkEnd } from '../checks.mjs';
import { inOrder, playHats } from '../hat-turn.mjs';
import { RUN } from '../ralph-command.mjs';
import { wearerOf } from '../wearers.mjs';

const KEY = 'PRIVATE KEY OF A PERSON';

/**
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../checks.mjs').Checks} checks
 * @param {string} cli
 */
export async function runSafe(bench, checks, cli) {
  const key = join(bench.home, '.ssh', 'id_ed25519');
  await mkdir(dirname(key), { recursive: true });
  await writeFile(key, `${KEY}\n`, { mode: 0o600 });
  const { backend } = wearerOf(cli);
  const spec = typeof backend === 'string' ? { type: backend } : /** @type {object} */ (backend);
  // The settings of codex name a variable of their own for the key of its provider: such a one is given by name.
  const own = cli === 'codex' ? { env: { MOCK_API_KEY: ['$', '{MOCK_API_KEY}'].join('') } } : {};
  const hat = { triggers: ['task.start', 'task.resume'], publishes: ['task.complete'], backend: { ...spec, ...own } };
  const project = await bench.createProject(`safe-${cli}`, {
    config: {
      event_loop: { max_iterations: 2, checkpoint_interval: 0 },
      safe: true,
      hats: { builder: hat },
      gates: [{ on: ['task.complete'], run: 'test -f inside.txt' }],
    },
    files: { 'readme.md': 'A project.\n' },
  });
  // One in a home, one in the main checkout, one where nothing is hidden.
  const outside = [join(bench.home, 'outside.txt'), join(project.cwd, 'outside.txt'), `/usr/local/ralph-safe-${cli}.txt`];
  /** @type {string[]} */
  const results = [];
  const shell = [
    `cat ${key} ~/.ssh/id_ed25519`,
    ...outside.map((path) => `echo out > ${path}`),
    `echo x > ${project.cwd}/.git/hooks/pre-commit`,
    'echo in > inside.txt && git add inside.txt && git -c user.name=A -c user.email=a@example.invalid commit -qm work && echo committed',
  ].join('; ');
  bench.play(
    playHats((turn) => {
      if (turn.lastResult !== '') results.push(turn.lastResult);
      return inOrder(turn, { text: 'I work, and look around.', shell }, { text: 'That is what came of it.\n\nLOOP_COMPLETE' });
    }),
  );
  const result = await project.ralph(RUN, { timeoutMs: 90_000 });
  checkEnd(checks, result, 0, 'completed');
  const said = results.join('\n') || '(no result)';
  checks.ok('its command could not commit', said.includes('committed'), said.slice(0, 800));
  checks.equal('read the key', said.includes(KEY), false);
  checks.equal('written outside of its worktree', [...outside, join(project.cwd, '.git/hooks/pre-commit')].filter(existsSync), []);
  const log = await project.git('log', '--all', '--format=%s', '--', 'inside.txt');
  checks.equal('commits', log.trim().split('\n'), ['work']);
  checks.equal('the key afterwards', await readFile(key, 'utf8'), `${KEY}\n`);
  checks.equal('processes left', await bench.alive(), []);
  for (const path of outside) await rm(path, { force: true });
}
