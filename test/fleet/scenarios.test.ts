/** The scenarios once more, their turns taken by workers: the same events, files, ends and exit codes as where the run takes them itself. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AGENT_CLIS } from '../../src/core/backends/backend-spec.ts';
import { findByMarker } from '../../src/process/index.ts';
import { defineScenarioSuite, runScenario, type ScenarioFleet, type TestRunner } from '../../src/testing/index.ts';
import { plainEnvironment, type Started, start } from '../e2e/ralph.ts';
import { startServer, type TestServer } from './nats.ts';

const FOLDER = fileURLToPath(new URL('../scenarios', import.meta.url));

/** Scenarios that cannot come out the same on a fleet, and why not. One that does, or that is gone, fails here. */
const NOT_HERE: Readonly<Record<string, string>> = {};

/** What runs beside each other has each an account of the server, and a worker with a PATH of its own: the agents of one scenario are not there for another. */
const LANES = ['one', 'two'];

interface Lane extends ScenarioFleet {
  readonly name: string;
  readonly worker: Started;
}

const root = mkdtempSync(join(tmpdir(), 'ralph-scenarios-'));
const lanes: Lane[] = [];
let server: TestServer;

beforeAll(async () => {
  const toAccount = (name: string): readonly [string, unknown] => [
    name,
    { jetstream: 'enabled', users: [{ user: name, password: name }] },
  ];
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

/** A worker has a moment to end what was stopped. */
async function findLeft(worker: string): Promise<readonly string[]> {
  const list = (): readonly string[] => findByMarker(`${worker}/`).map(({ pid, command }) => `process ${pid} is still there: ${command}`);
  for (let tries = 0; tries < 50 && list().length > 0; tries += 1) await pause(100);
  return list();
}

const runner: TestRunner = {
  describe,
  afterAll,
  test: (file, body) => {
    const reason = NOT_HERE[file.replace(/\.yml$/, '')];
    if (reason === undefined) test(file, body);
    else test(`${file} cannot hold here: ${reason}`, () => expect(body()).rejects.toThrow(/^Scenario /));
  },
};

test.each(Object.keys(NOT_HERE))('the scenario %s is there', (name) => {
  expect(existsSync(join(FOLDER, `${name}.yml`))).toBe(true);
});

defineScenarioSuite(FOLDER, runner, {
  parallel: LANES.length,
  run: async (file) => {
    const lane = lanes.pop() as Lane;
    try {
      const result = await runScenario(file, { env: plainEnvironment(), fleet: lane });
      return { ...result, faults: [...result.faults, ...(await findLeft(lane.name))] };
    } finally {
      lanes.push(lane);
    }
  },
});
