/**
 * Where the lanes work: one mock model server, one throw-away HOME in which every CLI is signed in to it, a folder of commands for PATH,
 * and as many git repositories as there are steps.
 */
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { environment } from './clis.mjs';
import { startModelServer } from './model-server.mjs';
import { endLeftovers, findByHome } from './place.mjs';
import { startRalph } from './ralph-command.mjs';

const run = promisify(execFile);
const IDENTITY = ['-c', 'user.name=Pat', '-c', 'user.email=pat@example.invalid', '-c', 'commit.gpgsign=false'];

/**
 * @typedef {object} Bench
 * @property {import('../../src/mock-model/index.ts').ModelServer} server
 * @property {string} home
 * @property {(handler: import('../../src/mock-model/index.ts').Handler) => void} play what the models say from now on
 * @property {(name: string, contents: ProjectContents) => Promise<Project>} createProject
 * @property {() => Promise<string[]>} alive command lines of everything that runs with this HOME
 * @property {() => Promise<void>} dispose
 *
 * @typedef {object} ProjectContents
 * @property {unknown} [config] the ralph.yml, as data; none without
 * @property {Record<string, string>} [files] committed before the run, text by path
 *
 * @typedef {object} Project
 * @property {string} cwd a git repository with one commit
 * @property {Record<string, string>} env
 * @property {(args: string[], options?: RalphOptions) => import('./ralph-command.mjs').RunningRalph} start
 * @property {(args: string[], options?: RalphOptions) => Promise<import('./ralph-command.mjs').RalphResult>} ralph
 * @property {(...args: string[]) => Promise<string>} git standard output
 *
 * @typedef {{ timeoutMs?: number, env?: Record<string, string | undefined>, inTerminal?: boolean }} RalphOptions env: changes; undefined removes a variable; inTerminal: in a terminal of its own
 */

/**
 * @param {import('./clis.mjs').InstalledCli[]} installed
 * @param {{ keep: boolean }} options keep: leave the folders there for a look
 * @returns {Promise<Bench>}
 */
export async function createBench(installed, { keep }) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'ralph-real-')));
  const [home, commands] = [join(root, 'home'), join(root, 'bin')];
  await mkdir(home);
  await mkdir(commands);
  /** @type {import('../../src/mock-model/index.ts').Handler} */
  let play = () => undefined;
  const server = await startModelServer({ handler: (conversation) => play(conversation) });
  const env = /** @type {Record<string, string>} */ ({});
  for (const { spec, bin } of installed) {
    await symlink(bin, join(commands, spec.bin));
    Object.assign(env, await environment(spec.name, { home, port: server.port }));
  }
  // These CLIs come before any other of their name on this machine.
  env['PATH'] = `${commands}:${env['PATH']}`;
  // To say that root may skip permissions is Ralph's own affair.
  delete env['IS_SANDBOX'];
  return {
    server,
    home,
    play: (handler) => {
      play = handler;
    },
    createProject: async (name, contents) => createProject(await findFree(join(root, name)), env, contents),
    alive: async () => (await findByHome(home)).map(({ command }) => command),
    dispose: async () => {
      await endLeftovers(home);
      await server.close();
      if (!keep) await rm(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/**
 * A step that is tried again must not find what it left before.
 *
 * @param {string} path
 * @param {number} [number]
 * @returns {Promise<string>}
 */
async function findFree(path, number = 1) {
  const free = number === 1 ? path : `${path}-${number}`;
  const isTaken = await access(free).then(
    () => true,
    () => false,
  );
  return isTaken ? findFree(path, number + 1) : free;
}

/**
 * @param {string} cwd
 * @param {Record<string, string>} base
 * @param {ProjectContents} contents
 * @returns {Promise<Project>}
 */
async function createProject(cwd, base, { config, files = {} }) {
  await mkdir(cwd);
  for (const [path, text] of Object.entries(config === undefined ? files : { ...files, 'ralph.yml': stringify(config) })) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text);
  }
  const git = async (/** @type {string[]} */ ...args) => (await run('git', args, { cwd, env: base })).stdout;
  await git('init', '-q');
  await git('add', '.');
  await git(...IDENTITY, 'commit', '-q', '-m', 'The work begins');
  /** @param {string[]} args @param {RalphOptions} [options] */
  const start = (args, { timeoutMs = 60_000, env = {}, inTerminal = false } = {}) =>
    startRalph(args, { cwd, env: withChanges(base, env), timeoutMs, inTerminal });
  return { cwd, env: base, git, start, ralph: (args, options) => start(args, options).result };
}

/**
 * @param {Record<string, string>} base
 * @param {Record<string, string | undefined>} changes
 */
function withChanges(base, changes) {
  const merged = { ...base };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete merged[name];
    else merged[name] = value;
  }
  return merged;
}
