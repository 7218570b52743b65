import { describe, expect, it } from 'vitest';
import { RalphError } from '../../core/values/errors.ts';
import type { RunElsewhere } from '../../views/report/elsewhere-report.ts';
import type { AppApi } from '../cli-command.ts';
import { performCommandLine } from '../command-line.ts';
import { createFakeApp, createFakeContext, RUN_ID, sampleRecords } from '../fixtures.ts';

async function type(args: readonly string[], app: Partial<AppApi>, env: Readonly<Record<string, string>> = {}) {
  const fake = createFakeContext({ app: { findAllElsewhere: async () => new Map(), ...app }, env: { A: 'b', ...env } });
  const exitCode = await performCommandLine(args, fake.context);
  return { exitCode, out: fake.out(), err: fake.err() };
}

const RUN = {
  runId: RUN_ID,
  startedAt: Date.UTC(2026, 10, 21, 12),
  status: 'ended',
  reason: 'max_cost',
  attention: null,
  proof: null,
  iterations: 7,
  interrupted: 0,
  costUsd: 5.01,
  objective: 'Make it\nwork',
  workspace: '/project',
  worktree: null,
} as const;

describe('ralph runs', () => {
  it('lists runs with their reason, and says how to start the first', async () => {
    const { out } = await type(['runs'], { summariseRuns: () => [RUN] });
    expect(out).toMatch(
      /^run +started +status +iterations +cost +asked\n20261121-223331-k7f2a {2}2026-11-2\d \d\d:00 {2}max_cost {2}7 {11}\$5\.01 {2}Make it \(\+1 line\)\n$/,
    );
    expect(await type(['runs'], { summariseRuns: () => [] })).toMatchObject({
      exitCode: 0,
      out: '',
      err: expect.stringContaining('ralph run -p'),
    });
  });

  it('names turns that were interrupted beside the iterations that count, as status does', async () => {
    const { out } = await type(['runs'], { summariseRuns: () => [{ ...RUN, interrupted: 2 }, RUN] });
    expect(out).toMatch(/max_cost {2}7 \(and 2 interrupted\) {2}\$5\.01.*\n.*max_cost {2}7 +\$5\.01/);
  });

  it('marks a run that needs its person, and no other', async () => {
    const attention = { state: 'needs_you', evidence: 'builder asks: Now?', since: 1, action: '' } as const;
    const running = { ...RUN, status: 'running', reason: null, attention } as const;
    const { out } = await type(['runs'], { summariseRuns: () => [running, { ...running, attention: { ...attention, state: 'working' } }] });
    expect(out).toMatch(/ {2}running, needs you {2}.*\n.* {2}running +7/);
  });

  it('gives programs one object a line', async () => {
    const { out } = await type(['runs', '--format', 'json'], { summariseRuns: () => [RUN, RUN] });
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { v: 1, ...RUN, elsewhere: null },
      { v: 1, ...RUN, elsewhere: null },
    ]);
  });

  it('says of a run that its fleet has elsewhere where it is, and asks about none that is here or complete', async () => {
    const fleet = {
      url: 'nats://n:4222',
      fleet: 'nats://n:4222',
      option: '--fleet nats://n:4222',
      isLeft: false,
      worker: 'w1',
      host: 'desk',
      lostAfterMs: 20_000,
      hasWorkers: true,
    };
    const dead = { ...RUN, startedAt: Date.now(), status: 'dead', reason: null } as const;
    const runs = [
      dead,
      { ...dead, runId: 'a', status: 'running' as const },
      { ...dead, runId: 'b', status: 'ended' as const, reason: 'completed' as const },
      { ...dead, runId: 'd' },
    ];
    const asked: string[] = [];
    const app: Partial<AppApi> = {
      summariseRuns: () => runs,
      findAllElsewhere: async (given) => {
        asked.push(...given.map(({ runId }) => runId));
        return new Map([
          [RUN_ID, { ...fleet, runId: RUN_ID, state: 'held' }],
          ['d', { ...fleet, runId: 'd', state: 'unasked', host: '', worker: null }],
        ]);
      },
    };
    const { out, err } = await type(['runs'], app);
    expect(asked).toEqual([RUN_ID, 'd']);
    expect(out).toMatch(/ {2}goes on with the worker w1 on desk {2}[\s\S]* {2}dead; its fleet does not answer {2}/);
    expect(err).toContain('`ralph status RUN`');
    const [first] = (await type(['runs', '--format', 'json'], app)).out.split('\n');
    expect(JSON.parse(first ?? '')).toEqual({
      v: 1,
      ...dead,
      attention: expect.objectContaining({ state: 'working', evidence: 'It goes on with the worker w1 on desk.' }),
      elsewhere: { state: 'held', host: 'desk', worker: 'w1', fleet: 'nats://n:4222' },
    });
  });
});

describe('ralph status', () => {
  it('gives programs the whole view', async () => {
    const { out } = await type(['status', '--format', 'json'], createFakeApp());
    expect(JSON.parse(out)).toMatchObject({ v: 1, runId: RUN_ID, status: 'ended', isAlive: false, exitCode: 2, totals: { iterations: 2 } });
  });

  it('says that the process of a run is gone', async () => {
    const { out } = await type(['status'], createFakeApp(sampleRecords().slice(0, 6)));
    expect(out).toContain('has not ended, but its process is gone');
    expect(out).toContain('`ralph resume`');
  });
});

describe('ralph stop', () => {
  it('says what it waits for, and that the run has stopped', async () => {
    const stopRun: AppApi['stopRun'] = async ({ onWaiting, now }) => {
      onWaiting?.(RUN_ID);
      return { runId: RUN_ID, stopped: now };
    };
    expect(await type(['stop', '--now'], createFakeApp(sampleRecords(), { stopRun }))).toMatchObject({
      exitCode: 0,
      out: `Run ${RUN_ID} has stopped. Go on with \`ralph resume --max-iterations +10\`.\n`,
    });
    expect(await type(['stop'], createFakeApp(sampleRecords(), { stopRun }))).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('has not stopped in time'),
    });
  });
});

describe('ralph emit', () => {
  const findElsewhere: AppApi['findElsewhere'] = async () => null;

  it('publishes to the run that is named, and inside a turn to none but its own', async () => {
    const calls: unknown[] = [];
    const emitFromOutside: AppApi['emitFromOutside'] = (_cwd, _words, _env, run) => {
      calls.push(run);
      return { runId: RUN_ID, isRunAlive: true, delivery: '', cut: 0 };
    };
    await type(['emit', 'build.done', '--run', '20261121-22'], { emitFromOutside, findElsewhere });
    await type(['emit', 'build.done'], { emitFromOutside, findElsewhere });
    expect(calls).toEqual(['20261121-22', undefined]);
    const inside = { RALPH_EVENTS_FILE: '/project/.agent/events.jsonl', RALPH_HAT: 'builder' };
    expect(await type(['emit', 'build.done', '--run', '20261121-22'], { emitFromOutside, findElsewhere }, inside)).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('Leave --run out'),
    });
  });

  it('hands topic, payload and target to the run that is under way', async () => {
    const given: unknown[] = [];
    const emitFromOutside: AppApi['emitFromOutside'] = (...args) => {
      given.push(args);
      return { runId: RUN_ID, isRunAlive: true, delivery: 'reviewer gets it in its next turn.', cut: 0 };
    };
    const { exitCode, out } = await type(['emit', 'build.done', '{"n": 1}', '--json', '--target', 'reviewer'], {
      emitFromOutside,
      findElsewhere,
    });
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: `Published build.done to ${RUN_ID}. reviewer gets it in its next turn.\n` });
    expect(given).toEqual([
      ['/project', { topic: 'build.done', payload: '{"n": 1}', json: true, target: 'reviewer' }, expect.anything(), undefined],
    ]);
  });

  it('says when nobody reads the event yet', async () => {
    const { out } = await type(['emit', 'build.done'], {
      findElsewhere,
      emitFromOutside: () => ({ runId: RUN_ID, isRunAlive: false, delivery: 'ralph gets it.', cut: 0 }),
    });
    expect(out).toContain('it reads the event when it is resumed');
  });

  it('takes a payload that looks like an option behind --', async () => {
    const payloads: unknown[] = [];
    const emitFromOutside: AppApi['emitFromOutside'] = (_cwd, { payload }) => {
      payloads.push(payload);
      return { runId: RUN_ID, isRunAlive: true, delivery: 'reviewer gets it in its next turn.', cut: 0 };
    };
    await type(['emit', 'build.done', '--', '--all green'], { emitFromOutside, findElsewhere });
    expect(payloads).toEqual(['--all green']);
  });

  it('says of a run that is not here who reads the event, and writes none for one that is complete', async () => {
    const place = { fleet: 'nats://n:4222', url: 'nats://n:4222', option: '--fleet', isLeft: false, worker: 'w1', host: 'desk' };
    const written: string[] = [];
    const emitAway = (state: RunElsewhere['state']) =>
      type(['emit', 'build.done'], {
        findElsewhere: async () => ({ ...place, runId: RUN_ID, state, lostAfterMs: 20_000, hasWorkers: true }),
        emitFromOutside: () => {
          written.push(state);
          return { runId: RUN_ID, isRunAlive: false, delivery: 'ralph gets it.', cut: 0 };
        },
      });
    expect((await emitAway('held')).out).toBe(
      `Written for ${RUN_ID}: build.done. The run goes on with the worker w1 on desk, where nobody reads this. It is read when the run continues in this folder, if it has not completed by then: \`ralph resume ${RUN_ID}\`\n`,
    );
    expect((await emitAway('lost')).out).toContain('which is lost; a worker that takes it does not read this.');
    expect((await emitAway('left')).out).toContain('Nobody has the run now; a worker that takes it does not read this.');
    expect(await emitAway('ended')).toMatchObject({ exitCode: 1, err: expect.stringContaining('is complete; nobody gets the event') });
    expect(written).toEqual(['held', 'lost', 'left']);
  });
});

describe('ralph ps and ralph reap', () => {
  const left = [
    { pid: 12, runId: RUN_ID, turn: '3.1', command: 'claude \u001b[2J -p', isRunAlive: false, delivery: 'ralph gets it.', cut: 0 },
  ];

  it('show what a dead run left, and end it', async () => {
    expect(await type(['ps'], { listProcesses: () => left })).toMatchObject({
      out: expect.stringMatching(/12 +\S+ +3\.1 +left behind +claude -p/),
      err: 'End what was left behind: ralph reap\n',
    });
    expect(await type(['reap'], { reapProcesses: async () => left })).toMatchObject({
      exitCode: 0,
      out: `ended 12 (run ${RUN_ID}, turn 3.1): claude -p\n`,
    });
    expect(await type(['reap'], { reapProcesses: async () => [] })).toMatchObject({ out: '', err: 'Nothing was left behind.\n' });
  });
});

describe('ralph clean', () => {
  it('keeps ten runs unless it is told otherwise', async () => {
    const orders: unknown[] = [];
    const cleanRuns: AppApi['cleanRuns'] = async (_cwd, order) => {
      orders.push(order);
      return { removed: [RUN_ID], onFleet: [], kept: [], failed: [] };
    };
    expect(await type(['clean'], { cleanRuns })).toMatchObject({ out: `${RUN_ID}\n`, err: '1 run removed.\n' });
    expect(await type(['clean', '--keep', '0', '--dry-run'], { cleanRuns })).toMatchObject({ err: '1 run would be removed.\n' });
    expect(orders).toEqual([
      { keep: 10, dryRun: false },
      { keep: 0, dryRun: true },
    ]);
    const failed = [new RalphError({ code: 'clean-incomplete', what: 'x cannot be removed.', fix: 'mend it' })];
    const stuck: AppApi['cleanRuns'] = async () => ({ removed: [RUN_ID], onFleet: [], kept: [], failed });
    expect(await type(['clean'], { cleanRuns: stuck })).toMatchObject({
      exitCode: 1,
      out: `${RUN_ID}\n`,
      err: 'ralph: x cannot be removed.\n  Fix: mend it\n1 run removed.\n',
    });
    expect(await type(['clean', '--keep', 'all'], { cleanRuns })).toMatchObject({ exitCode: 2 });
  });
});

describe('ralph init and ralph doctor', () => {
  it('say that agents run without asking, and how to change that', async () => {
    const initProject: AppApi['initProject'] = () => ({
      written: ['ralph.yml'],
      hats: [],
      gate: null,
      isTaskOpen: true,
      wantsOther: false,
      otherBackend: null,
      native: null,
    });
    const { out } = await type(['init'], {
      checkInit: () => undefined,
      findInitPlace: async () => null,
      initProject,
      listAvailable: () => [],
    });
    expect(out).toContain('Written: ralph.yml.');
    expect(out).toContain('permissions: default');
  });

  it('mark what was never tried, what to do, and end with 1 when something is a problem', async () => {
    const agent = {
      title: 'x',
      command: 'x',
      version: '1.2',
      path: '/bin/x',
      looksSignedIn: false,
      advice: ['No sign of a login: run x login.'],
    } as const;
    const examine: AppApi['examine'] = async () => ({
      checks: [{ name: 'agents', status: 'problem', text: 'none', fix: 'Install one.' }],
      backends: [
        { ...agent, type: 'claude', verified: true },
        { ...agent, type: 'gemini', verified: false },
        { ...agent, type: 'codex', verified: true, path: null, version: null },
        { ...agent, type: 'amp', verified: false, path: null, version: null },
      ],
    });
    const { exitCode, out } = await type(['doctor'], { examine });
    expect(exitCode).toBe(1);
    expect(out).toMatch(/claude +x +1\.2 +no sign of it +yes/);
    expect(out).toMatch(/gemini +x +1\.2 +no sign of it +unverified/);
    expect(out).toMatch(/codex +x: not found +- +- +-\n/);
    expect(out).toMatch(/amp +x: not found +- +- +unverified\n/);
    expect(out).toMatch(/✗ none\n +→ Install one\./);
    expect(out).toContain('run x login');
    expect(out).toContain('permissions: default');
  });
});

describe('ralph demo', () => {
  const demo = (passed: boolean): AppApi['prepareDemo'] => {
    const app = createFakeApp();
    return async () => ({
      folder: '/tmp/demo',
      command: 'node /opt/ralph/bin/ralph.js',
      plan: {} as never,
      test: async () => ({ passed, output: '' }),
      startApart: () => Promise.reject(new Error('not asked for')),
      start: (watch) => (app.startRunHere as AppApi['startRunHere'])({} as never, {} as never, watch),
    });
  };

  it('says that the model is a script, shows before and after, and ends by saying how to go on', async () => {
    const { out } = await type(['demo'], { ...createFakeApp(), prepareDemo: demo(false) });
    expect(out).toContain('was written beforehand');
    expect(out).toMatch(/Before {2}✗ node --test fails[\s\S]*After {3}✗ node --test fails/);
    expect(out).toMatch(/types `ralph review`:\n\nNot completed \(max_iterations\)[\s\S]*More: ralph review/);
    expect(out).toContain('cd /tmp/demo && node /opt/ralph/bin/ralph.js events');
    expect(out).toContain('node /opt/ralph/bin/ralph.js run -p "Make the tests pass"');
  });

  it('plays the sample that is named, and knows no other', async () => {
    const names: string[] = [];
    const prepareDemo: AppApi['prepareDemo'] = async (env, name) => {
      names.push(name);
      return demo(true)(env, name);
    };
    const { out } = await type(['demo', 'panel'], { ...createFakeApp(), prepareDemo });
    expect(out).toMatch(/^Three agents under one hat[\s\S]*ralph\.js panel show --answers/);
    await type(['demo'], { ...createFakeApp(), prepareDemo });
    expect(names).toEqual(['panel', 'team']);
    expect(await type(['demo', 'x'], { prepareDemo })).toMatchObject({ exitCode: 2, err: expect.stringContaining('panel') });
  });
});

describe('ralph demo fleet', () => {
  type FleetDemo = Awaited<ReturnType<AppApi['prepareFleetDemo']>>;
  const END = {
    takers: [
      { turn: '1', worker: 'w2' },
      { turn: '4', worker: 'w1' },
      { turn: '4.2', worker: 'w2' },
    ],
    killed: { turn: '4', worker: 'w1', seenAfterMs: 2100 },
    reason: 'completed',
    exitCode: 0,
    errors: '',
  };
  const fleet = (end: Awaited<ReturnType<FleetDemo['play']>>): Partial<AppApi> => ({
    DEMO_LOST_AFTER_S: 2,
    prepareFleetDemo: async () => ({
      folder: '/tmp/demo/shop',
      command: 'ralph',
      test: async () => ({ passed: true, output: '' }),
      play: async (_, { tell, raw }) => {
        tell({ kind: 'turn-taken', turn: '4.2', hat: 'builder', worker: 'w2' });
        tell({ kind: 'published', topic: 'build.blocked', payload: '{"gates":["tests"]}', to: ['planner'] });
        raw('{"kind":"run"}');
        return end;
      },
    }),
  });

  it('tells what happens as it does, who took which turn, and how soon the loss was seen', async () => {
    const { exitCode, out } = await type(['demo', 'fleet'], fleet(END));
    expect(exitCode).toBe(0);
    expect(out).toMatch(/ \d\.\d s {2}turn 4 begins again as 4\.2, builder: taken by w2\n.* → build\.blocked to planner\n/);
    expect(out).toContain('Completed after 2 turns in');
    expect(out).toMatch(/w1 +turn 4 \(killed\)\n +w2 +turns 1, 4\.2\n/);
    expect(out).toContain('w1 was given up 2.1 s after it was killed: RALPH_FLEET_LOST_AFTER=2 here');
  });

  it('says no more than the outcome with -q, and for programs what the run says', async () => {
    expect((await type(['demo', 'fleet', '-q'], fleet(END))).out).toMatch(/^Completed after 2 turns[^/]*✓ node --test passes\n$/);
    expect((await type(['demo', 'fleet', '--format', 'ndjson'], fleet(END))).out).toBe('{"kind":"run"}\n');
  });

  it('fails where nobody was killed, the loss was not seen, or the run did not complete; then with the last words of the run', async () => {
    expect((await type(['demo', 'fleet'], fleet({ ...END, killed: null }))).exitCode).toBe(1);
    const unseen = await type(['demo', 'fleet'], fleet({ ...END, killed: { ...END.killed, seenAfterMs: null } }));
    expect([unseen.exitCode, unseen.out]).toEqual([1, expect.stringContaining('turn 4 was not given up')]);
    const failed = await type(['demo', 'fleet'], fleet({ ...END, reason: 'max_runtime', exitCode: 2, errors: 'no git\n' }));
    expect(failed).toMatchObject({ exitCode: 1, err: expect.stringContaining('no git') });
    expect(failed.out).toContain('Not completed (max_runtime)');
  });

  it('is told line by line, and in no view', async () => {
    expect(await type(['demo', 'fleet', '--watch'], fleet(END))).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('ralph watch'),
    });
  });
});

describe('ralph review', () => {
  it('is a screen, all of it, JSON or Markdown of the same run', async () => {
    const app = createFakeApp();
    const screen = await type(['review', '20261121'], app);
    expect(app.calls).toContainEqual(['reviewRun', '20261121']);
    expect(screen.out.split('\n').length).toBeLessThanOrEqual(24);
    expect(screen.out).toMatch(/^Not completed \(max_iterations\)/);
    expect((await type(['review', '--full'], app)).out).toContain('What reviewers said');
    expect(JSON.parse((await type(['review', '--format', 'json'], app)).out)).toMatchObject({ v: 1, state: 'ended', isGood: false });
    expect((await type(['review', '--format', 'md'], app)).out).toMatch(/^## Not completed/);
  });
});

describe('ralph completions', () => {
  it.each([
    ['bash', /complete -o default -o bashdefault -F _ralph ralph/],
    ['zsh', /compdef _ralph ralph/],
    ['fish', /complete -c ralph .*-l max-iterations/],
  ])('knows commands, options and choices for %s', async (shell, mark) => {
    const { exitCode, out } = await type(['completions', shell], {});
    expect(exitCode).toBe(0);
    expect(out).toMatch(mark);
    expect(out).toContain('resume');
    expect(out).toContain('ndjson');
    expect(out).toContain('accept-changes');
    expect(out).toContain('claude codex');
    expect(out).toContain('list diff merge remove');
    for (const list of ['hats', 'runs', 'worktrees', 'explain']) expect(out).toContain(`ralph ${list} --format json`);
  });

  it('finds the names that its shells are to offer in what the commands print for programs', async () => {
    const { out } = await type(['explain', '--format', 'json'], {});
    const names = out
      .trimEnd()
      .split('\n')
      .map((line) => line.split('"')[5]);
    expect(names).toContain('event-orphan');
    expect(names.filter((name) => !/^[A-Za-z0-9_-]+$/.test(name ?? ''))).toEqual([]);
  });

  it('knows no other shell', async () => {
    expect(await type(['completions', 'ksh'], {})).toMatchObject({ exitCode: 2, err: expect.stringContaining('bash, zsh, fish') });
  });
});
