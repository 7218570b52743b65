/** What tests of runs on a fleet begin with: a project whose agents are scripts, workers, and what there is to wait for. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Finished, makeFolder, plainEnvironment, ralph, readJsonLines, type Started, start } from '../e2e/ralph.ts';
import { startServer, type TestServer } from './nats.ts';

export const CONFIG = `event_loop: {starting_event: build.start, completion_promise: LOOP_COMPLETE, max_iterations: 12}
cli: {backend: custom, command: ./agent.sh}
hats:
  builder: {triggers: [build.start, review.rejected], publishes: [build.done], instructions: Build.}
  reviewer: {triggers: [build.done], publishes: [review.rejected, LOOP_COMPLETE], instructions: Review.}
gates:
  - {name: lines, on: build.done, run: test -s out.txt}
`;

/** Builds twice, for the first review refuses; a file \`slow\` in the workspace makes it take longer. */
export const AGENT = `#!/bin/sh
cat > /dev/null
echo "at work as $RALPH_HAT"
if [ "$RALPH_HAT" = builder ]; then
  if [ -e slow ]; then sleep "$(cat slow)"; fi
  echo "built with $(cat mine.txt)" >> out.txt
  ralph emit build.done built
elif [ "$(wc -l < out.txt)" -lt 2 ]; then
  ralph emit review.rejected "one line more"
else
  ralph emit LOOP_COMPLETE fine
fi
`;

export interface Worker {
  readonly pid: number;
  readonly home: string;
  readonly end: () => Promise<Finished>;
  /** What it has said so far. */
  readonly said: () => string;
  /** Resolves when it has ended. */
  readonly gone: Promise<Finished>;
}

export const RUN = ['run', '--no-tui', '-p', 'Build it'];

/** What there is in tests of one file. */
export interface FleetScene<Server = TestServer> {
  readonly server: () => Server;
  readonly env: () => Record<string, string>;
  /** Done after the test, the newest first. */
  readonly after: (end: () => Promise<unknown>) => void;
  readonly makeProject: (files?: Readonly<Record<string, string>>) => string;
  readonly startWorker: (
    name: string,
    home?: string,
    more?: Readonly<Record<string, string>>,
    words?: readonly string[],
  ) => Promise<Worker>;
  readonly onFleet: (folder: string, ...more: string[]) => Promise<Finished>;
  /** The name of the worker that has a turn of any run, as soon as one has. */
  readonly waitForHolder: () => Promise<string>;
}

export async function listEvents(folder: string): Promise<readonly string[]> {
  const { stdout } = await ralph(folder, ['events', 'last', '--format', 'json']);
  return readJsonLines<{ topic: string; source?: string }>(stdout).map(({ topic }) => topic);
}

/** The only run of a folder. */
export const findRun = (folder: string): string => readdirSync(join(folder, '.ralph', 'runs'))[0] ?? '';

/** Makes a repository of a folder. */
export function commitAll(folder: string): void {
  const git = (...args: string[]): void =>
    void execFileSync('git', args, { cwd: folder, env: { ...plainEnvironment(), HOME: folder }, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('-c', 'user.name=Uma', '-c', 'user.email=uma@example.org', 'commit', '-qm', 'The beginning');
}

/** Starts a server for the tests around; what they start is ended after each. */
export function setUpFleet(): FleetScene;
export function setUpFleet<Server extends Pick<TestServer, 'url' | 'close'>>(startOne: () => Promise<Server>): FleetScene<Server>;
export function setUpFleet(
  startOne: () => Promise<Pick<TestServer, 'url' | 'close'>> = startServer,
): FleetScene<Pick<TestServer, 'url' | 'close'>> {
  let server: Pick<TestServer, 'url' | 'close'>;
  const ends: (() => Promise<unknown>)[] = [];
  /** By name: of a killed one the fleet says for a while what it did last. */
  const living = new Map<string, Started>();

  beforeAll(async () => {
    server = await startOne();
  });
  afterAll(() => server.close());
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  const env = (): Record<string, string> => ({ RALPH_FLEET: server.url, RALPH_FLEET_LOST_AFTER: '3' });

  function makeProject(files: Readonly<Record<string, string>> = {}): string {
    const folder = makeFolder({ 'ralph.yml': CONFIG, 'agent.sh': AGENT, ...files });
    ends.push(async () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
    commitAll(folder);
    writeFileSync(join(folder, 'mine.txt'), 'what nobody committed\n');
    return folder;
  }

  async function startWorker(
    name: string,
    home = mkdtempSync(join(tmpdir(), 'ralph-worker-')),
    more: Readonly<Record<string, string>> = {},
    words: readonly string[] = [],
  ): Promise<Worker> {
    const started = start(
      tmpdir(),
      ['worker', '--name', name, '--home', home, ...(words.includes('--labels') ? [] : ['--labels', 'custom']), ...words],
      { ...env(), ...more },
    );
    living.set(name, started);
    void started.done.then(() => living.get(name) === started && living.delete(name));
    await started.says('takes turns');
    const end = async (): Promise<Finished> => {
      started.child.kill('SIGTERM');
      const finished = await started.done;
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
      return finished;
    };
    ends.push(async () => {
      started.child.kill('SIGCONT');
      await end();
    });
    return { pid: started.child.pid ?? 0, home, end, said: started.said, gone: started.done };
  }

  const onFleet = (folder: string, ...more: string[]): Promise<Finished> => ralph(folder, [...RUN, '--fleet', server.url, ...more], env());

  /** The name of the worker that has a turn of any run, as soon as one has. */
  async function waitForHolder(): Promise<string> {
    for (;;) {
      const { stdout } = await ralph(tmpdir(), ['fleet', 'workers', '--format', 'json'], env());
      const holder = readJsonLines<{ id: string; busy: readonly unknown[] }>(stdout).find(
        ({ id, busy }) => busy.length > 0 && living.has(id),
      );
      if (holder !== undefined) return holder.id;
      await pause(100);
    }
  }

  return { server: () => server, env, after: (end) => void ends.push(end), makeProject, startWorker, onFleet, waitForHolder };
}
