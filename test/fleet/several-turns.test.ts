/** Several turns of one hat at once, on workers: real server, real processes, agents that are scripts. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { toAgent } from '../e2e/agent-script.ts';
import { ralph, readJsonLines, start } from '../e2e/ralph.ts';
import { RUN, setUpFleet } from './scene.ts';

const { server, env, makeProject, startWorker } = setUpFleet();

const CONFIG = `cli: {backend: custom, command: ./agent.sh}
event_loop: {coordinator: hats, max_iterations: 20}
gates: []
hats:
  planner: {triggers: [task.start, task.resume], publishes: [task.ready]}
  builder: {triggers: [task.ready], publishes: [task.done], parallel: 3}
  closer: {triggers: [task.done], publishes: [task.complete]}
`;

/** The first of five tasks is the slowest; each adds its line to one file, and has one of its own. */
const AGENT = toAgent(`
task=$(printf '%s' "$prompt" | grep -o 'cut-[0-9]' | sort -u | tr -d '\\n')
case $RALPH_HAT in
planner) for n in 1 2 3 4 5; do emit task.ready cut-$n; done ;;
builder) case $task in cut-1) sleep "$(cat slow)" ;; *) sleep 1 ;; esac
  echo "$task" >> same.txt; echo "$task" >> "$task.txt"; emit task.done ok ;;
closer) emit task.complete fine ;;
esac`);

interface WorkerFacts {
  readonly id: string;
  readonly busy: readonly { readonly name: string }[];
}

async function listWorkers(): Promise<readonly WorkerFacts[]> {
  const { stdout } = await ralph(tmpdir(), ['fleet', 'workers', '--format', 'json'], env());
  return readJsonLines<WorkerFacts>(stdout);
}

/** Looks until both workers have a turn at the same time, which are those. */
async function untilBothWork(): Promise<readonly string[]> {
  for (;;) {
    const names = (await listWorkers()).flatMap(({ busy }) => busy.map(({ name }) => name));
    if (names.length === 2) return names.sort();
    await pause(100);
  }
}

const takenBy = (stderr: string): readonly string[] =>
  [...stderr.matchAll(/Iteration (\d+) \(\w+\)(?:, attempt (\d+))? of run .*: taken/g)].map(
    ([, turn, attempt = '1']) => `${turn}.${attempt}`,
  );
const runOf = (folder: string): string => join(folder, '.ralph', 'runs', readdirSync(join(folder, '.ralph', 'runs'))[0] ?? '');

function readEnds(
  folder: string,
): readonly { readonly iteration: number; readonly outcome: { readonly status: string }; readonly conflict?: unknown }[] {
  type Line = { readonly input?: ReturnType<typeof readEnds>[number] & { readonly type: string } };
  return readJsonLines<Line>(readFileSync(join(runOf(folder), 'journal.jsonl'), 'utf8')).flatMap(({ input }) =>
    input?.type === 'iteration-ended' ? [input] : [],
  );
}

test('both workers take turns of the same hat at the same time, and what they make comes home by the order of the events', async () => {
  const folder = makeProject({ 'ralph.yml': CONFIG, 'agent.sh': AGENT, slow: '4\n' });
  const [one, two] = await Promise.all([startWorker('one'), startWorker('two')]);
  const run = start(folder, [...RUN, '--fleet', server().url], env());
  expect(await untilBothWork()).toEqual(['2.1', '3.1']);
  const { code, stdout, stderr } = await run.done;
  expect(code, stdout + stderr).toBe(0);
  expect(readFileSync(join(folder, 'same.txt'), 'utf8')).toBe('cut-1\ncut-2\ncut-3\ncut-4\ncut-5\n');
  for (const task of [1, 2, 3, 4, 5]) expect(readFileSync(join(folder, `cut-${task}.txt`), 'utf8')).toBe(`cut-${task}\n`);
  // Who changed the same file did it again, none of them twice.
  expect(readEnds(folder).filter(({ conflict }) => conflict !== undefined).length).toBeLessThanOrEqual(4);
  expect(readEnds(folder).every(({ outcome, conflict }) => outcome.status === 'succeeded' || conflict !== undefined)).toBe(true);
  const taken = [takenBy((await one.end()).stderr), takenBy((await two.end()).stderr)];
  const builders = readEnds(folder)
    .map(({ iteration }) => `${iteration}.1`)
    .slice(1, -1);
  for (const turns of taken) expect(turns.filter((turn) => builders.includes(turn)).length).toBeGreaterThan(0);
  expect(taken.flat().sort()).toEqual([...new Set(taken.flat())].sort());
});

test('kill -9 of the run in the midst: a resume takes up each turn that had not ended, and each task is done once', async () => {
  const folder = makeProject({ 'ralph.yml': CONFIG, 'agent.sh': AGENT, slow: '6\n' });
  await Promise.all(['one', 'two'].map((name) => startWorker(name, undefined, {}, ['--stand-in', '0'])));
  const run = start(folder, [...RUN, '--fleet', server().url], env());
  expect(await untilBothWork()).toEqual(['2.1', '3.1']);
  // The third has the worker of the second, which has ended and waits for the first.
  await expect
    .poll(async () => (await listWorkers()).flatMap(({ busy }) => busy.map(({ name }) => name)), { timeout: 20_000 })
    .toContain('4.1');
  run.child.kill('SIGKILL');
  await run.done;
  writeFileSync(join(folder, 'slow'), '1\n');
  const resumed = await ralph(folder, ['resume'], env());
  expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
  // The second had ended, and is not done again.
  expect(readEnds(folder).find(({ iteration }) => iteration === 3)?.outcome).toEqual({ status: 'succeeded' });
  expect(
    readFileSync(join(folder, 'same.txt'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .sort(),
  ).toEqual([1, 2, 3, 4, 5].map((task) => `cut-${task}`));
  for (const task of [1, 2, 3, 4, 5]) expect(readFileSync(join(folder, `cut-${task}.txt`), 'utf8')).toBe(`cut-${task}\n`);
});
