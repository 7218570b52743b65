/**
 * Where real CLIs work for a fleet: its server, and workers with one CLI each. Where that can be, each worker is in a network in which there is nothing but the server
 * and the model. The machine of the run has neither a CLI nor a key.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endNatsServer, readNatsPort, startNatsServer } from '../nats-server.mjs';
import { environment } from './clis.mjs';
import { findFreePort, listenEverywhere, listInNetwork, openWays, toOwnNetwork } from './own-network.mjs';
import { endLeftovers, findByHome } from './place.mjs';
import { startRalph, toRecords } from './ralph-command.mjs';
import { wearerOf } from './wearers.mjs';

const SOON_MS = 40_000;
/** What the environment of the run keeps of that of the suite: no key, no address of a model. */
const RUN_KEEPS = ['LANG', 'TERM', 'SHELL', 'USER', 'NO_COLOR'];

/**
 * @typedef {import('./bench.mjs').Bench} Bench
 * @typedef {import('./checks.mjs').Checks} Checks
 * @typedef {import('./own-network.mjs').OwnNetwork} Network
 *
 * @typedef {object} FleetOrder
 * @property {Network} network of the workers
 * @property {number} [lostAfter] seconds after which a worker, or a run, that says nothing is given up; default Ralph's own
 *
 * @typedef {object} Worker
 * @property {string} name
 * @property {number} pid
 * @property {string} home
 * @property {string} network empty where it has none of its own
 * @property {() => string} said
 * @property {() => Promise<import('./ralph-command.mjs').RalphResult>} end it takes no more turns, and ends
 *
 * @typedef {object} WorkerOrder
 * @property {string} cli the one that it has
 * @property {string} labels
 * @property {Record<string, string>} secrets
 * @property {number} [slots] how many it takes at once; default 1
 * @property {number} [standIn] with how many lost runs it goes on; default 0
 *
 * @typedef {object} Stage
 * @property {string} url of the fleet's server, from everywhere
 * @property {number} modelPort where the workers find the model
 * @property {string} store where the server keeps what it is told
 * @property {(name: string, order: WorkerOrder) => Promise<Worker>} startWorker
 * @property {(project: import('./bench.mjs').Project, args: string[], more?: Record<string, string>) => import('./ralph-command.mjs').RunningRalph} start `ralph`, on the machine of the run
 * @property {() => Promise<void>} end ends workers and server, and looks whether anything is left
 */

/**
 * A fleet, for as long as `act` takes.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 * @param {FleetOrder} order
 * @param {(stage: Stage) => Promise<void>} act
 */
export async function onStage(bench, checks, order, act) {
  const stage = await setUp(bench, checks, order);
  try {
    await act(stage);
  } finally {
    await stage.end();
  }
}

/** A folder of the bench that no try before has used. @param {Bench} bench @param {string} name */
function makeFolder(bench, name) {
  const path = join(dirname(bench.home), `${name}-${randomBytes(3).toString('hex')}`);
  mkdirSync(path);
  return path;
}

/**
 * @param {Bench} bench
 * @param {Checks} checks
 * @param {FleetOrder} order
 * @returns {Promise<Stage>}
 */
async function setUp(bench, checks, { network, lostAfter }) {
  /** @type {Record<string, string>} */
  const patience = lostAfter === undefined ? {} : { RALPH_FLEET_LOST_AFTER: String(lostAfter) };
  const folder = makeFolder(bench, 'fleet');
  const server = startNatsServer(folder, '-1');
  // Of a runner that is told to stop nothing else ends it.
  const endServer = () => void server.kill('SIGKILL');
  process.once('exit', endServer);
  const port = Number(await readNatsPort(folder));
  const words = 'words' in network ? network.words : null;
  checks.note(
    'flaw' in network ? `the workers have no networks of their own: ${network.flaw}` : 'each worker is in a network namespace of its own',
  );
  // In the workers' networks it is another one, on which nobody listens out here: whoever asks the model has to be there.
  const modelPort = words === null ? bench.server.port : await findFreePort();
  const url = `nats://127.0.0.1:${port}`;
  const outside = await listenEverywhere();
  const wanted = [`127.0.0.1:${port}`, `127.0.0.1:${modelPort}`];
  /** @type {Worker[]} */
  const workers = [];
  /** @type {Array<() => void>} */
  const closes = [outside.close];

  /** @type {Stage['startWorker']} */
  async function startWorker(name, { cli, labels, secrets, slots = 1, standIn = 0 }) {
    const home = join(folder, cli);
    const env = await makeEnvironment(bench, { home, cli, port: modelPort });
    const ways =
      words === null
        ? null
        : await openWays(makeFolder(bench, `ways-${name}`), [
            { port, to: port },
            { port: modelPort, to: bench.server.port },
          ]);
    if (ways !== null) closes.push(ways.close);
    const tries = [...outside.places, ...[port, modelPort, bench.server.port].map((one) => ({ host: '127.0.0.1', port: one }))];
    const running = startRalph(['worker', '--name', name, '--labels', labels, '--slots', String(slots), '--stand-in', String(standIn)], {
      cwd: home,
      env: { ...env, ...patience, ...secrets, RALPH_FLEET: url },
      timeoutMs: 120_000,
      around: (command) => (ways === null || words === null ? command : toOwnNetwork(words, ways.ways, tries, command)),
    });
    /** @type {Worker} */
    const worker = {
      ...{ name, home, pid: running.pid, network: '', said: running.noted },
      end: () => {
        running.kill('SIGTERM');
        return running.result;
      },
    };
    workers.push(worker);
    await untilSaid(running, 'takes turns');
    const [told] = toRecords(running.said());
    if (told === undefined) return worker;
    checks.equal(`what ${name} can reach`, told['reached'], wanted);
    checks.equal(`the network of ${name}`, told['interfaces'], ['lo']);
    return Object.assign(worker, { pid: told['pid'], network: told['network'] });
  }

  return {
    ...{ url, modelPort, store: join(folder, 'store'), startWorker },
    start: (project, args, more) =>
      project.start(args, { env: { ...toRunEnvironment(project, folder), ...patience, ...more }, timeoutMs: 90_000 }),
    end: async () => {
      await Promise.all(workers.map(({ end }) => end()));
      await checkNothingLeft(checks, workers);
      for (const close of closes) close();
      await endNatsServer(server);
      process.off('exit', endServer);
    },
  };
}

/**
 * HOME, and a PATH with no CLI before the system's own but that of the worker.
 *
 * @param {Bench} bench
 * @param {{ home: string, cli: string, port: number }} place
 */
async function makeEnvironment(bench, { home, cli, port }) {
  const commands = join(home, 'bin');
  mkdirSync(commands, { recursive: true });
  const bin = wearerOf(cli).bin;
  // A worker that is started behind another one finds it there.
  if (!readdirSync(commands).includes(bin)) symlinkSync(realpathSync(join(dirname(bench.home), 'bin', bin)), join(commands, bin));
  const { IS_SANDBOX: _, ...env } = await environment(cli, { home, port });
  return { ...env, PATH: `${commands}:${env['PATH']}` };
}

/**
 * @param {import('./bench.mjs').Project} project
 * @param {string} folder
 * @returns {Record<string, string | undefined>}
 */
function toRunEnvironment(project, folder) {
  const none = Object.keys(project.env).filter((name) => !RUN_KEEPS.includes(name));
  const home = join(folder, 'run');
  mkdirSync(home, { recursive: true });
  return {
    ...Object.fromEntries(none.map((name) => [name, undefined])),
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: home,
  };
}

/**
 * @param {Checks} checks
 * @param {Worker[]} workers
 */
async function checkNothingLeft(checks, workers) {
  const left = (await Promise.all(workers.map(({ home }) => findByHome(home)))).flat();
  checks.equal('processes left of the workers', [...new Set(left.map(({ command }) => command))], []);
  checks.equal(
    'processes left in their networks',
    workers.flatMap(({ network }) => (network === '' ? [] : listInNetwork(network))),
    [],
  );
  await Promise.all(workers.map(({ home }) => endLeftovers(home)));
}

/** @param {import('./ralph-command.mjs').RunningRalph} running @param {string} text */
async function untilSaid(running, text) {
  const ended = running.result.then(({ stdout, stderr }) => `it ended: ${stdout}${stderr}`);
  for (const deadline = Date.now() + SOON_MS; Date.now() < deadline; ) {
    if (running.noted().includes(text)) return;
    const end = await Promise.race([ended, pause(50)]);
    if (end !== undefined) throw new Error(end);
  }
  throw new Error(`'${text}' was not said: ${running.noted()}`);
}

/** Whether it becomes true before anybody would give up. @param {() => Promise<boolean>} look */
export async function isSoon(look) {
  for (const deadline = Date.now() + SOON_MS; Date.now() < deadline; await pause(50)) if (await look()) return true;
  return false;
}
