import { describe, expect, it } from 'vitest';
import { SAMPLE_PANEL } from '../../core/run/panel-fixtures.ts';
import { makeGate, makeHat } from '../../core/spec-fixtures.ts';
import type { AppApi } from '../cli-command.ts';
import { performCommandLine } from '../command-line.ts';
import { createFakeApp, createFakeContext, type FakeWorld, RUN_ID, samplePlan, sampleRecords } from '../fixtures.ts';

async function run(args: readonly string[], world: FakeWorld = {}) {
  const app = createFakeApp();
  const fake = createFakeContext({ app, ...world });
  const exitCode = await performCommandLine(['run', ...args], fake.context);
  const find = (name: string) => (app.calls as [string, Record<string, unknown>][]).find(([call]) => call === name)?.[1];
  return {
    exitCode,
    out: fake.out(),
    err: fake.err(),
    request: find('planStart'),
    options: find('startRunHere'),
    resume: find('resumeRunHere'),
  };
}

describe('what ralph run is asked', () => {
  it.each([
    [['-p', 'Do it'], { prompt: 'Do it' }],
    [['Do', 'it'], { prompt: 'Do it' }],
    [['-P', 'task.md', '-b', 'codex', '--model', 'm'], { promptFile: 'task.md', backend: 'codex', model: 'm' }],
    [['--max-iterations', '7', '--max-cost', '2.5'], { maxIterations: '7', maxCostUsd: '2.5' }],
    [[], {}],
  ])('%j gives the flags %j', async (args, flags) => {
    expect((await run(args)).request).toMatchObject({ cwd: '/project', configFiles: [], flags });
  });

  it('takes several configurations in order', async () => {
    expect((await run(['-c', 'a.yml', '-c', 'b.yml'])).request).toMatchObject({ configFiles: ['a.yml', 'b.yml'] });
  });

  it('tells settings from files after -c, and hands a team on', async () => {
    const args = ['-c', 'a.yml', '-c', 'cli.model=opus', '-c', 'conf/b=c.yml', '-c', 'prices."gpt-4.1".input=2', '--hats', 'preset:tdd'];
    expect((await run(args)).request).toMatchObject({
      configFiles: ['a.yml', 'conf/b=c.yml'],
      assignments: ['cli.model=opus', 'prices."gpt-4.1".input=2'],
      hatsOverlay: 'preset:tdd',
    });
  });

  it.each([
    [['--in-place'], ['workspace=in_place']],
    [['--worktree', 'side'], ['workspace=worktree']],
    [
      ['--safe', '-c', 'cli.model=opus'],
      ['cli.model=opus', 'safe=true'],
    ],
    [['--no-safe'], ['safe=false']],
  ])('takes %j for the settings %j, so that a run that goes on knows them', async (args, assignments) => {
    expect((await run(args)).request).toMatchObject({ assignments });
  });

  it('reads the task from standard input for -P -', async () => {
    expect((await run(['-P', '-'], { stdin: 'from a pipe' })).request).toMatchObject({
      stdinPrompt: 'from a pipe',
      flags: { promptFile: '-' },
    });
  });

  it.each([
    [['--worktree'], { worktree: true, nested: false }],
    [['--in-place'], { worktree: null, nested: false }],
    [['--worktree', 'side', '--nested'], { worktree: 'side', nested: true }],
    [[], { worktree: null, nested: false }],
  ])('%j starts with %j', async (args, options) => {
    expect((await run(args)).options).toMatchObject(options);
  });

  it.each([
    [['-p', 'a', '-P', 'b'], /more than once \(-p and -P\)/],
    [['words', '-p', 'a'], /more than once \(words and -p\)/],
    [['--worktree', 'fix the tests'], /not the name of a worktree/],
    [['--in-place', '--worktree'], /contradict each other/],
    [['--in-place', '--safe'], /a worktree of its own; --in-place says otherwise/],
    [['--continue', '--in-place'], /--in-place is for a new one/],
    [['--continue', '--no-safe'], /--no-safe is for a new one/],
    [['--hat', 'builder'], /belong together/],
    [['--once'], /belong together/],
    [['-q', '-v'], /cannot be used together/],
    [['--accept-changes'], /for a run that goes on/],
    [['--continue', '--hats', 'a.yml'], /--continue goes on with a run as it was begun; --hats is for a new one/],
    [['--continue', '-p', 'x'], /--continue goes on with a run as it was begun; -p is for a new one/],
  ])('refuses %j', async (args, message) => {
    const { exitCode, err, options } = await run(args);
    expect({ exitCode, options }).toEqual({ exitCode: 2, options: undefined });
    expect(err).toMatch(message);
  });

  it('goes on with the newest run for --continue', async () => {
    const { resume } = await run(['--continue', '--accept-changes', '--max-iterations', '+5']);
    expect(resume).toMatchObject({ run: RUN_ID, acceptChanges: true, maxIterations: { add: 5 } });
  });
});

describe('what ralph run shows', () => {
  it('ends with the exit code of the run, its report on standard output, nothing on standard error', async () => {
    const { exitCode, out, err } = await run(['-p', 'x']);
    expect({ exitCode, err }).toEqual({ exitCode: 2, err: '' });
    expect(out).toMatch(/^[\d:]{8} Ralph 20261121-223331-k7f2a\n[\d:]{8} {3}Asked {3}Make the tests pass\. \(\+1 line\)\n/);
    expect(out).toMatch(/\n[\d:]{8} Not completed \(max_iterations\) after 2 iterations/);
    expect(out).toContain('ralph resume --max-iterations +10');
  });

  it.each([
    [{ commits: 1, uncommitted: [] }, 'a git worktree, in 1 commit. Merge it: ralph land --unfinished\n'],
    [
      { commits: 1, uncommitted: ['a', 'b'] },
      'not committed there: 2 files. Commit what you want to keep, then: ralph land --unfinished\n',
    ],
    [{ commits: 0, uncommitted: [] }, 'nothing in it that is not also here. Remove it: ralph worktrees remove blue\n'],
    [
      { commits: 0, uncommitted: [], ignored: ['.env', 'dist/'] },
      'with nothing but files that git ignores: .env, dist/. Move what you need out of',
    ],
    [null, 'What is in it: ralph worktrees\n'],
  ])('ends a run in a worktree with what is there, and the command for it: %j', async (state, text) => {
    const nothing = { name: 'blue', path: '/project/.ralph/worktrees/blue', branch: 'ralph/blue', ignored: [], renewable: [] };
    const app = createFakeApp();
    const start: AppApi['startRunHere'] = async (...args) => ({
      ...(await (app.startRunHere as AppApi['startRunHere'])(...args)),
      workspace: '/project/.ralph/worktrees/blue',
    });
    const found = state === null ? null : { ...nothing, ...state };
    const fake = createFakeContext({ app: { ...app, startRunHere: start, findRunWorktree: async () => found } });
    await performCommandLine(['run', '-p', 'x', '--worktree', 'blue'], fake.context);
    expect(fake.out()).toContain(text);
  });

  it('shows only the outcome with -q', async () => {
    const { out } = await run(['-p', 'x', '-q']);
    expect(out).toMatch(/^Not completed \(max_iterations\)/);
    expect(out.split('\n').length).toBeLessThan(8);
  });

  it('prints nothing but JSON lines with --format ndjson, from run to end', async () => {
    const { out } = await run(['-p', 'x', '--format', 'ndjson']);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ v: 1, kind: 'run', runId: RUN_ID });
    expect(lines.at(-1)).toMatchObject({ v: 1, kind: 'end', reason: 'max_iterations', exitCode: 2 });
    expect(lines).toHaveLength(sampleRecords().length + 2);
  });

  it('rings the bell on a terminal only', async () => {
    expect((await run(['-p', 'x'], { isTty: true })).out.endsWith('\u0007')).toBe(true);
    expect((await run(['-p', 'x'])).out).not.toContain('\u0007');
    expect((await run(['-p', 'x', '--format', 'ndjson'], { isTty: true })).out).not.toContain('\u0007');
  });

  it('counts one turn that was asked for as done', async () => {
    const { exitCode, out } = await run(['--hat', 'builder', '--once', '-q']);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^One turn done in /);
  });

  it('says what went wrong with the notify command', async () => {
    const app = createFakeApp(sampleRecords(), {}, 'The notify command failed (exit 3).');
    expect(await run(['-p', 'x'], { app })).toMatchObject({ exitCode: 2, err: 'ralph: The notify command failed (exit 3).\n' });
  });

  it('displays a prominent warning when the run starts with validation bypass active', async () => {
    const plan = samplePlan();
    const app = createFakeApp(sampleRecords(), {
      planStart: async () => ({ ...plan, settings: { ...plan.settings, strictValidation: false } }),
    });
    expect((await run(['-p', 'x'], { app })).err).toContain('WARN: Hat collection validation bypassed (strict_validation: false).');
  });
});

describe('ralph run --dry-run', () => {
  it('shows the team, the limits and the first prompt with its size, and starts nothing', async () => {
    const { exitCode, out, options } = await run(['-p', 'x', '--dry-run']);
    expect({ exitCode, options }).toEqual({ exitCode: 0, options: undefined });
    expect(out).toMatch(/Hat +planner \(claude\): on task\.start, task\.resume, build\.\*; may publish\s+build\.task/);
    expect(out).toMatch(/Limits +30 iterations, 2 h 00 min, \$5\.00/);
    expect(out).toMatch(/first prompt, for planner: about 7 tokens, 4 of them Ralph’s own; 25 characters/);
    expect(out).toMatch(/\nYou wear the hat planner\.\n$/);
  });

  it('names the agents of a panel', async () => {
    const hats = [makeHat('planner', ['task.start'], ['build.done'], { panel: SAMPLE_PANEL, backends: ['claude', 'claude', 'claude'] })];
    const app = createFakeApp(sampleRecords(), { planStart: async () => samplePlan({ hats }) });
    expect((await run(['-p', 'x', '--dry-run'], { app })).out).toMatch(/Hat +planner \(anna: claude\): on task\.start/);
  });

  it('says when nothing checks what agents say', async () => {
    const app = createFakeApp(sampleRecords(), { planStart: async () => samplePlan({ gates: [] }) });
    expect((await run(['-p', 'x', '--dry-run'], { app })).out).toMatch(/Gate +none: no gate checks the work/);
  });

  it('says with --fleet what would be offered to which workers, and which of them are there', async () => {
    const asked: unknown[] = [];
    const previewOffers: AppApi['previewOffers'] = async (_settings, wearers, where) => {
      asked.push(wearers, where.fleet);
      return {
        fleet: 'nats://h:4222',
        offers: [
          { kind: 'turn', name: 'planner', labels: ['claude', 'gpu'], workers: ['w1', 'w2'] },
          { kind: 'gate', name: 'on the card', labels: ['gpu'], workers: [] },
        ],
      };
    };
    const { out, options } = await run(['-p', 'x', '--dry-run', '--fleet', 'nats://me:secret@h:4222'], {
      app: createFakeApp(sampleRecords(), { previewOffers }),
    });
    expect([asked, options]).toEqual([[['planner', 'builder'], 'nats://me:secret@h:4222'], undefined]);
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      'Fleet nats://h:4222 Offers turns of planner, to a worker with claude,gpu (there now: w1, w2) the gate on the card, to a worker with gpu (none is there now: `ralph worker --labels gpu`)',
    );
  });

  it('passes nothing on that steers a terminal', async () => {
    const evil = 'x\u001b]0;title\u0007\u001b[2J\u009b2J\u202ey\nz';
    const plan = samplePlan({ promise: evil, gates: [makeGate(['build.done'], evil)] });
    const backend = { ...plan.settings.backends['ralph']?.[0], type: 'custom', command: evil, model: evil };
    const backends = { planner: [backend], builder: [backend] } as unknown as typeof plan.settings.backends;
    const app = createFakeApp(sampleRecords(), {
      planStart: async () => ({ ...plan, firstPrompt: () => evil, settings: { ...plan.settings, configFiles: [evil], backends } }),
    });
    const { out } = await run(['-p', 'x', '--dry-run'], { app });
    expect(out).toMatch(/Gate +xy z on build\.done/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not get through
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});

describe('signals during a run', () => {
  it('reach the run, a second Ctrl+C as a kill; without lines of its own the command says so on standard error', async () => {
    let finish = (): void => undefined;
    const app = createFakeApp();
    const whole = app.startRunHere as NonNullable<typeof app.startRunHere>;
    const startRunHere: typeof whole = async (...args) => {
      const handle = await whole(...args);
      return {
        ...handle,
        outcome: new Promise((resolve) => {
          finish = () => handle.outcome.then(resolve);
        }),
      };
    };
    const fake = createFakeContext({ app: { ...app, startRunHere } });
    const exit = performCommandLine(['run', '-p', 'x', '-q'], fake.context);
    await new Promise((resolve) => setTimeout(resolve, 20));
    fake.signal('SIGINT');
    fake.signal('SIGINT');
    fake.signal('SIGTERM');
    finish();
    await exit;
    expect(app.calls.filter((call) => (call as unknown[])[0] === 'stop')).toEqual([
      ['stop', 'interrupt', 'Ctrl+C'],
      ['stop', 'kill', 'Ctrl+C again'],
      ['stop', 'terminate', 'SIGTERM'],
    ]);
    expect(fake.err()).toContain('ralph: Ctrl+C: stopping; agents at work have 10 seconds to clean up.');
    fake.signal('SIGINT');
    expect(app.calls.filter((call) => (call as unknown[])[0] === 'stop')).toHaveLength(3);
  });
});
