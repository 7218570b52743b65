/** Gates that run on workers: real server, real processes, agents that are scripts. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ralph, readJsonLines, start } from '../e2e/ralph.ts';
import { CONFIG, RUN, setUpFleet, type Worker } from './scene.ts';

const { server, env, makeProject, startWorker, onFleet } = setUpFleet();

/** Passes on one machine alone, and leaves a file behind that is nobody's work. */
const GATE = `#!/bin/sh
echo "gate on \${MACHINE:-no machine}, in $(pwd), over $(cat mine.txt)"
echo "with \${SHOP_API_TOKEN:-nothing}, of \${RALPH_FLEET:-nowhere}"
echo trace > trace.txt
if [ -e slow-gate ]; then sleep "$(cat slow-gate)"; fi
if [ -n "$SLOW" ]; then sleep "$SLOW"; fi
test "$MACHINE" = strong && test -s out.txt
`;
const LINE = '- {name: lines, on: build.done, run: test -s out.txt}';
const WITH_GATE = CONFIG.replace(LINE, '- {name: lines, on: build.done, run: sh gate.sh, runs_on: [gpu]}');

const makeGated = (files: Readonly<Record<string, string>> = {}, config = WITH_GATE): string =>
  makeProject({ 'ralph.yml': config, 'gate.sh': GATE, ...files });
const startStrong = (name: string, slow = ''): Promise<Worker> =>
  startWorker(name, undefined, { MACHINE: 'strong', SLOW: slow }, ['--labels', 'gpu', '--stand-in', '0']);
const startPlain = (): Promise<Worker> => startWorker('plain', undefined, {}, ['--labels', 'custom', '--stand-in', '0']);

interface GateRecord {
  readonly passed: boolean;
  readonly worker?: string;
  readonly output: string;
}

function readEvidence(folder: string): readonly GateRecord[] {
  const path = join(folder, '.ralph', 'runs', readdirSync(join(folder, '.ralph', 'runs'))[0] ?? '', 'evidence');
  const names = readdirSync(path).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => {
    const record = JSON.parse(readFileSync(join(path, name), 'utf8')) as GateRecord;
    return { ...record, output: readFileSync(join(path, record.output), 'utf8') };
  });
}

/** The name of the worker that has a gate of the folder's run, if one has; a killed one is listed for a while, with what it had. */
async function findHolder(folder: string): Promise<string | null> {
  const runs = join(folder, '.ralph', 'runs');
  const { stdout } = await ralph(folder, ['fleet', 'workers', '--format', 'json'], env());
  const workers = readJsonLines<{ id: string; busy: readonly { run: string; name: string }[] }>(stdout);
  const own = existsSync(runs) ? readdirSync(runs) : [];
  return workers.find(({ busy }) => busy.some(({ run, name }) => own.includes(run) && name.startsWith('gate')))?.id ?? null;
}

async function waitForGate(folder: string): Promise<string> {
  for (;;) {
    const holder = await findHolder(folder);
    if (holder !== null) return holder;
    await pause(100);
  }
}

const listPrograms = (what: string): string =>
  execFileSync('sh', ['-c', `ps -eo args | grep "[${what[0]}]${what.slice(1)}$" || true`]).toString();

describe('a gate that needs a worker', () => {
  test('runs on one that has its labels, on the files of the run, and everything that tells of it says where', async () => {
    const folder = makeGated();
    const has = { MACHINE: 'strong', SHOP_API_TOKEN: 'swordfish-9876543210' };
    const [plain, strong] = await Promise.all([
      startPlain(),
      startWorker('strong', undefined, has, ['--labels', 'gpu', '--stand-in', '0']),
    ]);
    await expect.poll(() => strong.said()).toContain('No agent is called gpu');
    expect(plain.said()).not.toContain('no turns');
    const { code, stdout } = await onFleet(folder);
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/gate lines … passed \(exit 0, .*, on worker strong\)/);
    const [first] = readEvidence(folder);
    expect(first).toMatchObject({ passed: true, worker: 'strong' });
    expect(first?.output).toBe(`gate on strong, in ${folder}, over what nobody committed\nwith [redacted: SHOP_API_TOKEN], of nowhere\n`);
    expect(existsSync(join(folder, 'trace.txt'))).toBe(false);
    expect((await ralph(folder, ['show', 'last', '1'])).stdout).toContain('on worker strong');
    expect((await ralph(folder, ['review', '--full'])).stdout).toContain('on worker strong');
    expect((await ralph(folder, ['report', '-o', 'run.md'])).code).toBe(0);
    expect(readFileSync(join(folder, 'run.md'), 'utf8')).toContain('on worker strong');
    expect((await ralph(folder, ['gates'])).stdout).toContain('on worker strong');
  });

  test('is reported once where its worker cannot tidy up behind it, and the next one runs in a new folder', async () => {
    const folder = makeGated({ 'gate.sh': `${GATE}status=$?\nrm -rf .git\nexit $status\n` });
    const [, strong] = await Promise.all([startPlain(), startStrong('strong')]);
    const { code, stdout } = await onFleet(folder);
    expect(code, stdout).toBe(0);
    const { stderr } = await strong.end();
    expect(stderr).toMatch(/Gate 1 of run .*: reported; its folder is made anew/);
    expect(stderr).not.toContain('not run');
    expect(readEvidence(folder).every(({ passed }) => passed)).toBe(true);
  });

  test('runs where the run is where that has no fleet', async () => {
    const folder = makeGated();
    const { code, stdout } = await ralph(folder, RUN, { MACHINE: 'strong' });
    expect(code, stdout).toBe(0);
    expect(readEvidence(folder)[0]).toMatchObject({ passed: true });
    expect(readEvidence(folder)[0]?.worker).toBeUndefined();
  });

  test('is red where its worker says so, and the hat reads why', async () => {
    const folder = makeGated({}, `${WITH_GATE.replace('max_iterations: 12', 'max_iterations: 2')}`);
    await Promise.all([startPlain(), startWorker('weak', undefined, {}, ['--labels', 'gpu', '--stand-in', '0'])]);
    const { stdout } = await onFleet(folder);
    expect(stdout).toMatch(/gate lines … failed \(exit 1, .*, on worker weak\)/);
    expect((await ralph(folder, ['show', 'last', '2', '--prompt'])).stdout).toContain(`gate on no machine, in ${folder}`);
  });

  test('is run again on another worker when the one that has it is killed, and what that left is ended by the next in its folder', async () => {
    const folder = makeGated();
    await startPlain();
    const lost = await startStrong('one', '87');
    const run = onFleet(folder);
    await waitForGate(folder);
    await expect.poll(() => listPrograms('sleep 87')).not.toBe('');
    await startStrong('two');
    process.kill(lost.pid, 'SIGKILL');
    const { code, stdout } = await run;
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/Gate lines: the worker one was lost: it said nothing for \d+ s; it is offered anew/);
    expect(readEvidence(folder).map(({ passed, worker }) => [passed, worker])).toEqual([
      [true, 'two'],
      [true, 'two'],
    ]);
    expect(listPrograms('sleep 87')).not.toBe('');
    await startWorker('three', lost.home);
    await expect.poll(() => listPrograms('sleep 87'), { timeout: 10_000 }).toBe('');
  });

  test('is run again by a resume after the run’s process was killed, and the worker that has it ends it at once', async () => {
    const folder = makeGated({ 'slow-gate': '93' });
    await Promise.all([startPlain(), startStrong('strong')]);
    const first = start(folder, [...RUN, '--fleet', server().url], env());
    await waitForGate(folder);
    await expect.poll(() => listPrograms('sleep 93')).not.toBe('');
    first.child.kill('SIGKILL');
    await first.done;
    writeFileSync(join(folder, 'slow-gate'), '0');
    const { code, stdout } = await ralph(folder, ['resume', '--no-tui'], env());
    expect(code, stdout).toBe(0);
    expect(listPrograms('sleep 93')).toBe('');
    expect(readEvidence(folder)[0]).toMatchObject({ passed: true, worker: 'strong' });
    expect(readFileSync(join(folder, 'out.txt'), 'utf8').split('\n')).toHaveLength(3);
  });

  test('ends within two seconds, with all that it started, when a person stops the run', async () => {
    const folder = makeGated({ 'slow-gate': '91' });
    await Promise.all([startPlain(), startStrong('strong')]);
    const run = start(folder, [...RUN, '--fleet', server().url], env());
    await waitForGate(folder);
    await expect.poll(() => listPrograms('sleep 91')).not.toBe('');
    run.child.kill('SIGINT');
    await expect.poll(() => listPrograms('sleep 91'), { timeout: 2000, interval: 100 }).toBe('');
    expect((await run.done).code).toBe(130);
    await expect.poll(() => findHolder(folder)).toBe(null);
  });

  test('waits for a worker where none has its labels, says so, and can be stopped', async () => {
    const folder = makeGated({}, WITH_GATE.replace('runs_on: [gpu]', 'runs_on: [rare]'));
    await startPlain();
    const run = start(folder, [...RUN, '--fleet', server().url], env());
    await run.says('Gate lines waits for a worker with rare, and there is none');
    run.child.kill('SIGINT');
    expect((await run.done).code).toBe(130);
  });

  test('is tried on a worker also with the tests of the start', async () => {
    const agent = `#!/bin/sh
cat > /dev/null
echo changed >> tests/lines.test.js
echo built > out.txt
ralph emit LOOP_COMPLETE fine
`;
    const config = `cli: {backend: custom, command: ./agent.sh}
gates:
  - {name: all, run: 'sh gate.sh && (cat tests/lines.test.js; echo) >> "$TRACE"', runs_on: [gpu]}
`;
    const folder = makeGated({ 'agent.sh': agent, 'tests/lines.test.js': 'at the start\n' }, config);
    const trace = join(folder, '.git', 'trace');
    await Promise.all([
      startPlain(),
      startWorker('strong', undefined, { MACHINE: 'strong', TRACE: trace }, ['--labels', 'gpu', '--stand-in', '0']),
    ]);
    const { code, stdout } = await onFleet(folder);
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/also with the tests of the[\s\d:]+start/);
    // First as they are, then as they were.
    expect(readFileSync(trace, 'utf8')).toBe('at the start\nchanged\n\nat the start\n\n');
  });
});
