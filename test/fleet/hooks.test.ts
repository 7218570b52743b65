/** Hooks of the run's own moments that run on workers: real server, real processes, agents that are scripts. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ralph, readJsonLines, start } from '../e2e/ralph.ts';
import { RUN, setUpFleet, type Worker } from './scene.ts';

const { server, env, makeProject, startWorker, onFleet, waitForHolder } = setUpFleet();

/** Brings the proof when it has heard that there is none. */
const AGENT = `#!/bin/sh
prompt=$(cat)
echo built >> out.txt
case "$prompt$*" in *"no proof"*) echo proof > proof.txt;; esac
ralph emit LOOP_COMPLETE fine
`;
/** Refuses an end without a proof. Of the environment it has nothing but who it is, and that is told by the machine. */
const HOOK = `#!/bin/sh
cat > told.json
if [ -e slow-hook ]; then sleep "$(cat slow-hook)"; fi
if [ "$USER" = slow ]; then sleep 78; fi
echo "with \${SHOP_API_TOKEN:-nothing}, of \${RALPH_FLEET:-nowhere}, about $RALPH_HOOK_TYPE" > trace.txt
test -s proof.txt && exit 0
echo "on $USER, in $(pwd): no proof, over $(cat mine.txt), $(cat trace.txt), $(wc -l < out.txt) line" >&2
exit 2
`;
const CONFIG = `event_loop: {starting_event: build.start, max_iterations: 6}
cli: {backend: custom, command: ./agent.sh}
hats:
  builder: {triggers: [build.start, task.blocked], publishes: [LOOP_COMPLETE], instructions: Build.}
hooks:
  CompletionRequested:
    - {handler: hooks/check.sh, runs_on: [gpu], timeout: 120}
`;

const makeHooked = (files: Readonly<Record<string, string>> = {}, config = CONFIG): string =>
  makeProject({ 'ralph.yml': config, 'agent.sh': AGENT, 'hooks/check.sh': HOOK, ...files });
const startLabelled = (name: string, user = name): Promise<Worker> =>
  startWorker(name, undefined, { USER: user, SHOP_API_TOKEN: 'swordfish-9876543210' }, ['--labels', 'gpu', '--stand-in', '0']);
const startPlain = (): Promise<Worker> => startWorker('plain', undefined, { USER: 'plain' }, ['--labels', 'custom', '--stand-in', '0']);

interface HookLine {
  readonly event?: string;
  readonly name: string;
  readonly decision: string;
  readonly reason: string;
  readonly error: string | null;
  readonly worker?: string;
}

const toRunFolder = (folder: string): string =>
  join(folder, '.ralph', 'runs', readdirSync(join(folder, '.ralph', 'runs')).find((name) => /^\d/.test(name)) ?? '');

/** What the journal has of hooks that bind. */
function listAnswers(folder: string): readonly HookLine[] {
  const lines = readFileSync(join(toRunFolder(folder), 'journal.jsonl'), 'utf8');
  return readJsonLines<{ input?: { type: string; answers?: readonly { runs: readonly HookLine[] }[] } }>(lines).flatMap(({ input }) =>
    input?.type === 'hooks-answered' ? (input.answers ?? []).flatMap(({ runs }) => runs) : [],
  );
}

const readTold = (folder: string): readonly HookLine[] =>
  readJsonLines<HookLine>(readFileSync(join(toRunFolder(folder), 'hooks.jsonl'), 'utf8'));

/** The name of the worker that has a hook, as soon as one has. */
async function waitForHook(folder: string): Promise<string> {
  for (;;) {
    const { stdout } = await ralph(folder, ['fleet', 'workers', '--format', 'json'], env());
    const workers = readJsonLines<{ id: string; busy: readonly { name: string }[] }>(stdout);
    const holder = workers.find(({ busy }) => busy.some(({ name }) => name.startsWith('hook')));
    if (holder !== undefined) return holder.id;
    await pause(100);
  }
}

/** A run whose hook sleeps on its worker just now. */
async function startSlow(seconds: string) {
  const folder = makeHooked({ 'slow-hook': seconds });
  await Promise.all([startPlain(), startLabelled('strong')]);
  const run = start(folder, [...RUN, '--fleet', server().url], env());
  await waitForHook(folder);
  await expect.poll(() => listPrograms(`sleep ${seconds}`)).not.toBe('');
  return { folder, run };
}

const listPrograms = (what: string): string =>
  execFileSync('sh', ['-c', `ps -eo args | grep "[${what[0]}]${what.slice(1)}$" || true`]).toString();

describe('a hook of the run that needs a worker', () => {
  test('runs on one that has its labels, on the files of the run, and what it says binds the run', async () => {
    const folder = makeHooked();
    await Promise.all([startPlain(), startLabelled('strong')]);
    const { code, stdout } = await onFleet(folder);
    expect(code, stdout).toBe(0);
    const said = `on strong, in ${folder}: no proof, over what nobody committed, with nothing, of nowhere, about CompletionRequested, 1 line`;
    expect(listAnswers(folder)).toMatchObject([
      { decision: 'deny', reason: said, error: null, worker: 'strong' },
      { decision: 'allow', error: null, worker: 'strong' },
    ]);
    expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('built\nbuilt\n');
    expect([existsSync(join(folder, 'told.json')), existsSync(join(folder, 'trace.txt'))]).toEqual([false, false]);
    expect((await ralph(folder, ['show', 'last', '1'])).stdout).toContain('check.sh on worker strong said deny');
    expect((await ralph(folder, ['show', 'last', '2'])).stdout).toContain('check.sh on worker strong allowed');
  });

  test('runs where the run is where that has no fleet', async () => {
    const folder = makeHooked();
    const { code, stdout } = await ralph(folder, RUN, { USER: 'here' });
    expect(code, stdout).toBe(0);
    const [first] = listAnswers(folder);
    expect(first).toMatchObject({ decision: 'deny', reason: expect.stringContaining(`on here, in ${folder}`) });
    expect(first?.worker).toBeUndefined();
  });

  test('is told of the life of the run, to the very end, and holds the end up for no longer than its time', async () => {
    const say = `echo "{\\"reason\\": \\"on $USER, $(cat out.txt)\\"}"`;
    const life = `hooks:
  TurnEnd:
    - {name: here, command: '${say}'}
    - {name: there, command: '${say}', runs_on: [gpu]}
    - {name: nowhere, command: '${say}', runs_on: [rare], timeout: 1}
    - {name: never, command: '${say}', runs_on: [rare], timeout: 60}
  RunEnd:
    - {name: end, command: '${say}', runs_on: [gpu]}
`;
    const folder = makeHooked({}, `${CONFIG.slice(0, CONFIG.indexOf('hooks:'))}${life}`);
    await Promise.all([startPlain(), startLabelled('strong')]);
    const { code, stdout } = await ralph(folder, [...RUN, '--fleet', server().url], { ...env(), USER: 'here' });
    expect(code, stdout).toBe(0);
    expect(readTold(folder).map(({ event, name, reason, error, worker }) => [event, name, reason, error, worker])).toEqual([
      ['TurnEnd', 'here', 'on here, built', null, undefined],
      ['TurnEnd', 'there', 'on strong, built', null, 'strong'],
      ['TurnEnd', 'nowhere', '', 'it gave no answer within 1 s', undefined],
      ['TurnEnd', 'never', '', 'there is no worker with rare', undefined],
      ['RunEnd', 'end', 'on strong, built', null, 'strong'],
    ]);
  });

  test('is asked again on another worker when the one that has it is killed, and what that left is ended by the next in its folder', async () => {
    const folder = makeHooked();
    await startPlain();
    // Whoever follows a killed worker ends what bears its name, of other tests on this machine, too.
    const lost = await startLabelled('h-one', 'slow');
    const run = onFleet(folder);
    await waitForHook(folder);
    await expect.poll(() => listPrograms('sleep 78')).not.toBe('');
    await startLabelled('h-two');
    process.kill(lost.pid, 'SIGKILL');
    const { code, stdout } = await run;
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/Hook check\.sh: the worker h-one was lost: it said nothing for \d+ s; it is offered anew/);
    expect(listAnswers(folder).map(({ decision, worker }) => [decision, worker])).toEqual([
      ['deny', 'h-two'],
      ['allow', 'h-two'],
    ]);
    expect(listPrograms('sleep 78')).not.toBe('');
    await startWorker('h-three', lost.home);
    await expect.poll(() => listPrograms('sleep 78'), { timeout: 10_000 }).toBe('');
  });

  test('ends within two seconds, with all that it started, when a person stops the run', async () => {
    const { folder, run } = await startSlow('92');
    const status = async (): Promise<string> => (await ralph(folder, ['status'])).stdout;
    await expect.poll(status, { timeout: 10_000 }).toContain('working: Hook check.sh runs on worker strong, for');
    run.child.kill('SIGINT');
    await expect.poll(() => listPrograms('sleep 92'), { timeout: 2000, interval: 100 }).toBe('');
    expect((await run.done).code).toBe(130);
  });

  test('is asked anew by a resume after the run’s process was killed, and the worker that has it ends it at once', async () => {
    const { folder, run: first } = await startSlow('94');
    first.child.kill('SIGKILL');
    await first.done;
    writeFileSync(join(folder, 'slow-hook'), '0');
    const { code, stdout } = await ralph(folder, ['resume', '--no-tui'], env());
    expect(code, stdout).toBe(0);
    expect(listPrograms('sleep 94')).toBe('');
    expect(listAnswers(folder).map(({ decision, worker }) => [decision, worker])).toEqual([
      ['deny', 'strong'],
      ['allow', 'strong'],
    ]);
  });

  test('is asked by the worker that goes on with the run, where the run’s own process is lost', async () => {
    const folder = makeHooked({ 'agent.sh': AGENT.replace('echo built', 'sleep 2\necho built') });
    await Promise.all([startWorker('plain'), startLabelled('strong')]);
    const own = start(folder, [...RUN, '--fleet', server().url], env());
    await waitForHolder();
    own.child.kill('SIGKILL');
    await own.done;
    const findState = async (): Promise<string> => (await ralph(folder, ['fleet', 'runs', '--format', 'json'], env())).stdout;
    await expect.poll(findState, { timeout: 40_000, interval: 300 }).toContain(' (completed)');
    const home = await ralph(folder, ['resume'], env());
    expect(home.code, home.stdout + home.stderr).toBe(0);
    expect(listAnswers(folder).map(({ decision, worker }) => [decision, worker])).toEqual([
      ['deny', 'strong'],
      ['allow', 'strong'],
    ]);
    expect(listAnswers(folder)[0]?.reason).toContain('no proof, over what nobody committed');
  });

  test('does not run where its script was changed meanwhile, and denies', async () => {
    const agent = AGENT.replace('echo built', 'echo "exit 0" > hooks/check.sh\necho built');
    const folder = makeHooked({ 'agent.sh': agent }, CONFIG.replace('max_iterations: 6', 'max_iterations: 1'));
    await Promise.all([startPlain(), startLabelled('strong')]);
    await onFleet(folder);
    expect(listAnswers(folder)).toMatchObject([
      { decision: 'deny', error: expect.stringContaining(`${folder}/hooks/check.sh was changed since the run began`), worker: 'strong' },
    ]);
  });
});
