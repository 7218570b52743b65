/** The scenarios once more, their turns taken by workers: the same events, files, ends and exit codes as where the run takes them itself. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AGENT_CLIS } from '../../src/core/backends/backend-spec.ts';
import { toErrorMessage } from '../../src/core/values/errors.ts';
import { findByMarker } from '../../src/process/index.ts';
import {
  defineScenarioSuite,
  type Expectation,
  loadScenario,
  runScenario,
  type Scenario,
  type ScenarioFleet,
  type TestRunner,
} from '../../src/testing/index.ts';
import { plainEnvironment, type Started, start } from '../e2e/ralph.ts';
import { startServer, type TestServer } from './nats.ts';

const FOLDER = fileURLToPath(new URL('../scenarios', import.meta.url));

/** What cannot come out the same on a fleet. */
interface Difference {
  readonly why: string;
  /** The expectations that fail. */
  readonly fails: readonly string[];
}

/** By scenario. It fails here in more or in less than that, and if there is none of that name. */
const DIFFERENCES: Readonly<Record<string, Difference>> = {
  checkpoint_branch: {
    why: 'its agent looks into another branch than the one that is checked out; others do not travel to a worker',
    fails: ['files.git.txt'],
  },
  new_run_after_kill: {
    why: 'the agent of the killed run has a folder of its own on its worker: it is not in the way of the new run, and its files are not in its folder',
    fails: ['expect[1].files.silent'],
  },
  prompt_ways: { why: 'its agent writes down the name of its folder, which is another one on a worker', fails: ['files.sub/here.txt'] },
  resume_after_kill: {
    why: 'the agent on the worker outlives the process of the run: its turn is taken up, and not begun again',
    fails: ['always', 'hats', 'events[2]', 'refused[0]', 'turns (turn 2).status', 'turns (turn 3).given', 'turns (turn 3).prompt_has'],
  },
  workspace_gone: {
    why: 'what its agent removes is the folder of its worker, and not that of the run',
    fails: ['ends', 'iterations', 'hats', 'turns (turn 2).status'],
  },
  worktree_run: {
    why: 'its agent writes down the name of its folder, which is another one on a worker',
    fails: ['files..ralph/worktrees/feature/seen.txt'],
  },
};

/** What runs beside each other has each an account of the server, and a worker with a PATH of its own: the agents of one scenario are not there for another. */
const LANES = ['one', 'two', 'three'];

interface Lane extends ScenarioFleet {
  readonly name: string;
  readonly worker: Started;
}

const root = mkdtempSync(join(tmpdir(), 'ralph-scenarios-'));
const lanes: Lane[] = [];
let server: TestServer;

beforeAll(async () => {
  const toAccount = (name: string): readonly [string, unknown] => [name, { jetstream: 'enabled', users: [{ user: name, password: name }] }];
  server = await startServer({ accounts: Object.fromEntries(LANES.map(toAccount)) });
  lanes.push(...(await Promise.all(LANES.map(openLane))));
});

afterAll(async () => {
  for (const { worker } of lanes) worker.child.kill('SIGTERM');
  await Promise.all(lanes.map(({ worker }) => worker.done));
  await server.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
});

async function openLane(name: string): Promise<Lane> {
  const bin = join(root, name, 'bin');
  const url = server.url.replace('//', `//${name}:${name}@`);
  mkdirSync(bin, { recursive: true });
  const labels = ['custom', ...Object.keys(AGENT_CLIS)].join(',');
  const words = ['worker', '--name', name, '--home', join(root, name, 'home'), '--labels', labels, '--stand-in', '0'];
  const worker = start(root, words, { RALPH_FLEET: url, PATH: `${bin}:${process.env['PATH']}`, HOME: join(root, name) });
  await worker.says('takes turns');
  return { name, url, bin, worker };
}

/** A run joins the fleet first, and its worker makes a folder: what is not to be waited for would take far longer. */
const JOINING_MS = 5000;

function withTime(scenario: Scenario): Scenario {
  const extend = ({ max_ms: maxMs, ...rest }: Expectation): Expectation =>
    maxMs === undefined ? rest : { ...rest, max_ms: maxMs + JOINING_MS };
  return { ...scenario, expect: [scenario.expect].flat().map(extend) };
}

/** A worker has a moment to end what was stopped. */
async function findLeft(worker: string): Promise<readonly string[]> {
  let left = findByMarker(`${worker}-`);
  for (let tries = 0; tries < 100 && left.length > 0; tries += 1) {
    await pause(100);
    left = findByMarker(`${worker}-`);
  }
  return left.map(({ pid, command }) => `process ${pid} is still there: ${command}`);
}

/** The expectations that the message of a failed scenario names. */
function listFailed(message: string): readonly string[] {
  const [told = ''] = message.split('\n\nWhat happened:');
  return [...told.matchAll(/^ {2}(\S.*?)(?:\n {4}expected: |: )/gm)].map(([, what = '']) => what);
}

const runner: TestRunner = {
  describe,
  afterAll,
  test: (file, body) => {
    const difference = DIFFERENCES[file.replace(/\.yml$/, '')];
    if (difference === undefined) return test(file, body);
    return test(`${file}, but for this: ${difference.why}`, async () => {
      const message = await body().then(() => '', toErrorMessage);
      expect(listFailed(message), message).toEqual(difference.fails);
    });
  },
};

test.each(Object.keys(DIFFERENCES))('the scenario %s is there', (name) => {
  expect(existsSync(join(FOLDER, `${name}.yml`))).toBe(true);
});

/** So that one of so many is played, for whoever has no time for all of them. */
const each = Number(process.env['RALPH_FLEET_SCENARIOS_EACH'] ?? 1);

defineScenarioSuite(FOLDER, runner, {
  each,
  parallel: LANES.length,
  run: async (file) => {
    const lane = lanes.pop() as Lane;
    try {
      const result = await runScenario(withTime(loadScenario(file)), { env: plainEnvironment(), fleet: lane });
      return { ...result, faults: [...result.faults, ...(await findLeft(lane.name))] };
    } finally {
      lanes.push(lane);
    }
  },
});
