/** A CLI that puts its shell commands into a sandbox of its own can do so in the process namespace of its turn. */
import { existsSync } from 'node:fs';
import { readFile, readlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkEnd } from '../checks.mjs';
import { inOrder, playHats } from '../hat-turn.mjs';
import { RUN } from '../ralph-command.mjs';
import { wearerOf } from '../wearers.mjs';

const WRITABLE = 'sandbox_workspace_write';

/** How each is told to use its sandbox for every command, or not to start. The temporary folder is where these projects lie. */
const OWN_SANDBOX = {
  claude: ['--settings', JSON.stringify({ sandbox: { enabled: true, failIfUnavailable: true, allowUnsandboxedCommands: false } })],
  codex: ['-s', 'workspace-write', ...['slash_tmp', 'tmpdir_env_var'].flatMap((place) => ['-c', `${WRITABLE}.exclude_${place}=true`])],
};

/** CLIs with such a sandbox. */
export const WITH_OWN_SANDBOX = /** @type {const} */ (['claude', 'codex']);

/**
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../checks.mjs').Checks} checks
 * @param {'claude' | 'codex'} cli
 */
export async function runOwnSandbox(bench, checks, cli) {
  const outside = join(dirname(bench.home), `outside-${cli}.txt`);
  const { backend } = wearerOf(cli);
  const spec = typeof backend === 'string' ? { type: backend } : backend;
  const hat = {
    triggers: ['task.start', 'task.resume'],
    publishes: ['task.complete'],
    // With every permission codex leaves its sandbox out, and without any claude runs no command.
    backend: { .../** @type {object} */ (spec), args: OWN_SANDBOX[cli], permissions: cli === 'codex' ? 'default' : 'bypass' },
  };
  const project = await bench.createProject(`own-sandbox-${cli}`, {
    config: { event_loop: { max_iterations: 2, checkpoint_interval: 0 }, isolation: 'required', hats: { builder: hat } },
    files: { 'readme.md': 'A project.\n' },
  });
  /** @type {string[]} */
  const results = [];
  const shell = `echo in > inside.txt; echo out > ${outside}; echo "user $(readlink /proc/self/ns/user)"`;
  bench.play(
    playHats((turn) => {
      if (turn.lastResult !== '') results.push(turn.lastResult);
      return inOrder(turn, { text: 'I will write in and out.', shell }, { text: 'That is what came of it.\n\nLOOP_COMPLETE' });
    }),
  );
  checkEnd(checks, await project.ralph(RUN, { timeoutMs: 60_000 }), 0, 'completed');
  const [said = '(no result)'] = results;
  checks.equal('written in the project', await readFile(join(project.cwd, 'inside.txt'), 'utf8').catch(() => null), 'in\n');
  checks.equal('written outside of it', existsSync(outside), false);
  checks.ok('the command was not told that it may not write there', said.includes('Read-only file system'), said.slice(0, 500));
  checks.ok(
    'the command was in no user namespace of its own',
    /user user:\[/.test(said) && !said.includes(await readlink('/proc/self/ns/user')),
    said.slice(0, 500),
  );
  checks.equal('processes left', await bench.alive(), []);
}
