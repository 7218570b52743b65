import { describe, expect, it } from 'vitest';
import { makeGate, makeHat } from '../../core/spec-fixtures.ts';
import { changed, cost, ending, makeResult, notices, type Play, PROMISE, play, published, ran, refused, write } from './decide-fixtures.ts';

const TEAM = [
  makeHat('lead', ['task.start', 'task.resume'], ['build.done']),
  makeHat('linter', ['build.done'], ['lint.passed', 'LOOP_COMPLETE']),
  makeHat('tester', ['build.done'], ['test.passed', 'LOOP_COMPLETE']),
  makeHat('auditor', ['build.done'], ['audit.passed', 'LOOP_COMPLETE']),
  makeHat('closer', ['*.passed'], ['LOOP_COMPLETE']),
];

type Parts = NonNullable<Parameters<typeof play>[0]>;

/** A run whose three hats behind the lead wait at the same time. */
function begin(parts: Parts = {}): Play {
  const run = play({ hats: TEAM, routing: 'fanout', maxParallel: 3, coordinator: 'hats', ...parts });
  run.end([write('build.done')]);
  return run;
}

const atWork = (run: Play): readonly string[] => run.state().activations.map(({ hat }) => hat);
const INTERRUPTED = { outcome: { status: 'interrupted' }, exitCode: null } as const;
const CONFLICT = { conflict: { paths: ['a.txt'], total: 1, kept: 'copies/kept-2.1' } };

describe('hats that wait at the same time', () => {
  it('begin at the same time, each in a copy of its own, and who takes what all of them say is called once', () => {
    const run = begin();
    expect(run.all('iteration-start').map(({ hat, iteration, copy }) => [hat, iteration, copy])).toEqual([
      ['lead', 1, undefined],
      ['linter', 2, '2.1'],
      ['tester', 3, '3.1'],
      ['auditor', 4, '4.1'],
    ]);
    run.endOf('tester', [write('test.passed')]);
    run.endOf('linter', [write('lint.passed')]);
    expect(atWork(run)).toEqual(['auditor']);
    run.endOf('auditor', [write('audit.passed')]);
    expect(run.turn()).toMatchObject({ hat: 'closer', iteration: 5 });
    expect(run.turn().copy).toBeUndefined();
    expect(run.turn().events.map(({ topic, iteration }) => [topic, iteration])).toEqual([
      ['test.passed', 3],
      ['lint.passed', 2],
      ['audit.passed', 4],
    ]);
  });

  it('take turns where nobody said otherwise', () => {
    const run = play({ hats: TEAM, routing: 'fanout', coordinator: 'hats' });
    run.end([write('build.done')]);
    expect(atWork(run)).toEqual(['linter']);
    expect(JSON.stringify(run.state())).not.toMatch(/copy|batch|isApart/);
  });

  it('are no more at once than may be: the next begins when one ends', () => {
    const run = begin({ maxParallel: 2 });
    expect(atWork(run)).toEqual(['linter', 'tester']);
    run.endOf('tester', [write('test.passed')]);
    expect(atWork(run)).toEqual(['linter', 'auditor']);
  });

  it('do not share with one that works alone, nor with Ralph', () => {
    const hats = TEAM.map((hat) => (hat.id === 'tester' ? { ...hat, alone: true as const } : hat));
    const run = begin({ hats });
    expect(atWork(run)).toEqual(['linter', 'auditor']);
    run.endOf('linter');
    run.endOf('auditor');
    expect(atWork(run)).toEqual(['tester']);
    expect(run.turn().copy).toBeUndefined();
  });

  it('stay below max_iterations', () => {
    const run = begin({ limits: { maxIterations: 3 } });
    expect(atWork(run)).toEqual(['linter', 'tester']);
    run.endOf('linter');
    expect(atWork(run)).toEqual(['tester']);
    run.endOf('tester');
    expect(ending(run)).toBe('max_iterations');
  });

  it('share the limit of cost: what all have spent ends all of them', () => {
    const run = begin({ limits: { maxCostUsd: 1 } });
    const { usage } = cost(0.6);
    if (usage === undefined) throw new Error('no usage');
    run.post({ type: 'usage-reported', iteration: 2, attempt: 1, usage, others: usage });
    expect(run.all('iteration-stop').map(({ iteration }) => iteration)).toEqual([2, 3, 4]);
    for (const hat of ['linter', 'tester', 'auditor']) run.endOf(hat, [], INTERRUPTED);
    expect(run.state().end).toMatchObject({ reason: 'max_cost', detail: expect.stringContaining('the turns that ran were ended') });
  });
});

describe('what waits for all turns at work', () => {
  it('a completion is decided when the last has ended, and wins over what the others published', () => {
    const run = begin();
    run.endOf('linter', [PROMISE]);
    expect([ending(run), atWork(run)]).toEqual([null, ['tester', 'auditor']]);
    run.endOf('tester', [write('test.passed')]);
    run.endOf('auditor', []);
    expect([ending(run), run.state().end?.detail]).toEqual(['completed', 'linter declared the work complete']);
  });

  it('a completion does not begin more turns', () => {
    const run = begin({ maxParallel: 2 });
    run.endOf('linter', [PROMISE]);
    expect(atWork(run)).toEqual(['tester']);
  });

  it('gates are asked when nothing changes the folder any more', () => {
    const run = begin({ gates: [makeGate(['lint.passed', 'test.passed'])] });
    run.endOf('linter', [write('lint.passed')]);
    expect(run.all('gates-run')).toEqual([]);
    run.endOf('tester', [write('test.passed')]);
    run.endOf('auditor', [write('audit.passed')]);
    expect(run.all('gates-run').map(({ iteration }) => iteration)).toEqual([2, 3]);
    expect(atWork(run)).toEqual([]);
    const [first, second] = run.all('gates-run');
    for (const request of [first?.request ?? 0, second?.request ?? 0])
      run.post({ type: 'gates-finished', request, results: [makeResult(0, true)] });
    expect(run.turn().events.map(({ topic }) => topic)).toEqual(['audit.passed', 'lint.passed', 'test.passed']);
  });

  it('a completion waits for a required event that waits for gates, and is refused where they do not let it through', () => {
    const claim = (isPassed: boolean): Play => {
      const run = begin({ gates: [makeGate(['lint.passed'])], requiredEvents: ['lint.passed'] });
      run.endOf('tester', [PROMISE]);
      run.endOf('linter', [write('lint.passed')]);
      run.endOf('auditor', [PROMISE]);
      expect([refused(run), run.all('gates-run').length]).toEqual([[], 1]);
      run.post({ type: 'gates-finished', request: run.last('gates-run').request, results: [makeResult(0, isPassed)] });
      return run;
    };
    const good = claim(true);
    expect([refused(good), good.all('gates-run').map(({ topics }) => topics)]).toEqual([
      [],
      [['lint.passed'], ['task.complete'], ['task.complete']],
    ]);
    good.post({ type: 'gates-finished', request: good.last('gates-run').request, results: [makeResult(0, true)] });
    expect(ending(good)).toBe('completed');
    const bad = claim(false);
    expect(refused(bad).filter((line) => line.includes('required-events'))).toHaveLength(2);
    expect(ending(bad)).toBeNull();
  });

  it('gates that were not asked yet are asked after a crash, when what is tried again has ended', () => {
    const run = begin({ gates: [makeGate(['lint.passed'])] });
    run.endOf('linter', [write('lint.passed')]);
    run.resume();
    expect(run.all('gates-run')).toEqual([]);
    expect(atWork(run).toSorted()).toEqual(['auditor', 'tester']);
    run.endOf('tester');
    run.endOf('auditor');
    expect(run.all('gates-run')).toHaveLength(1);
  });

  it('a usage limit parks the run when the others have ended', () => {
    const run = begin();
    run.endOf('linter', [], { outcome: { status: 'failed', failure: { class: 'limit', message: 'used up', resetAt: run.now() + 9000 } } });
    expect([run.state().status, run.state().runningSince === null]).toEqual(['running', false]);
    run.endOf('tester', [write('test.passed')]);
    run.endOf('auditor');
    expect([run.state().status, run.state().runningSince]).toEqual(['parked', null]);
    run.ring();
    expect(run.state().activations.map(({ hat, iteration, attempt, copy }) => [hat, iteration, attempt, copy])).toEqual([
      ['linter', 2, 2, '2.1'],
    ]);
  });

  it('an agent that cannot work ends the run when the others have ended', () => {
    const run = begin();
    run.endOf('linter', [], { outcome: { status: 'failed', failure: { class: 'auth', message: 'not signed in' } } });
    expect(ending(run)).toBeNull();
    run.endOf('tester');
    run.endOf('auditor');
    expect([ending(run), run.state().end?.attention === undefined]).toEqual(['parked', false]);
  });

  it('another attempt of one begins while others work, and what they publish waits for it', () => {
    const run = begin();
    run.endOf('linter', [], { outcome: { status: 'failed', failure: { class: 'transient', message: 'overloaded' } } });
    run.endOf('tester', [write('test.passed')]);
    run.endOf('auditor', [write('audit.passed')]);
    expect(atWork(run)).toEqual([]);
    run.ring();
    expect(atWork(run)).toEqual(['linter']);
    run.endOf('linter', [write('lint.passed')]);
    expect(run.turn().events).toHaveLength(3);
  });
});

describe('a stop, a crash, a conflict', () => {
  it('a stop ends all turns at work, and all are taken up in their copies', () => {
    const run = begin();
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    expect(run.all('iteration-stop').map(({ iteration, force }) => [iteration, force])).toEqual([
      [2, false],
      [3, false],
      [4, false],
    ]);
    for (const hat of ['tester', 'linter', 'auditor']) run.endOf(hat, [write('x')], INTERRUPTED);
    expect(ending(run)).toBe('interrupted');
    run.resume();
    expect(
      run
        .state()
        .activations.map(({ hat, copy }) => [hat, copy])
        .toSorted(),
    ).toEqual([
      ['auditor', '4.1'],
      ['linter', '2.1'],
      ['tester', '3.1'],
    ]);
  });

  it.each([
    ['works alone now', { hats: TEAM.map((hat) => ({ ...hat, alone: true as const })) }],
    ['is gone', { hats: TEAM.filter(({ id }) => id === 'lead'), coordinator: 'ralph' as const }],
    ['takes turns now', { maxParallel: 1 }],
  ])('a hat that %s is taken up in the folder itself', (_why, other) => {
    const parts = { hats: TEAM, routing: 'fanout', maxParallel: 3, coordinator: 'hats' } as const;
    const run = begin();
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    run.endOf('linter', [], INTERRUPTED);
    // The others by a process that died.
    run.resume(changed({ ...parts, ...other }));
    for (let turns = 0; turns < 3; turns += 1) {
      expect(run.state().activations.map(({ copy }) => copy)).toEqual([undefined]);
      run.end();
    }
  });

  it('a stop after the turn begins no further one', () => {
    const run = begin({ maxParallel: 2 });
    run.post({ type: 'stop-requested', how: 'after-iteration', by: 'ralph stop' });
    run.endOf('linter', [write('lint.passed')]);
    expect(atWork(run)).toEqual(['tester']);
    run.endOf('tester');
    expect(ending(run)).toBe('interrupted');
  });

  it('what a crash left is taken up, and nothing of it twice', () => {
    const run = begin();
    run.endOf('linter', [write('lint.passed')]);
    run.resume();
    expect(atWork(run).toSorted()).toEqual(['auditor', 'tester']);
    expect(ran(run).filter((hat) => hat === 'linter')).toHaveLength(1);
  });

  it('a conflict withdraws what was published and gives the hat the same events again, before what others published', () => {
    const run = begin();
    run.endOf('linter', [write('lint.passed')]);
    run.endOf('tester', [write('test.passed')], CONFLICT);
    run.endOf('auditor', [write('audit.passed')]);
    expect(refused(run)).toEqual(['test.passed: conflict']);
    expect(notices(run)).toContain('work-conflict');
    expect(atWork(run)).toEqual(['tester']);
    expect(run.turn()).toMatchObject({ iteration: 5, copy: '5.1', feedback: [{ kind: 'conflict', paths: ['a.txt'] }] });
    expect(run.turn().events.map(({ topic }) => topic)).toEqual(['build.done']);
  });

  it('a conflict counts as a turn: the checkpoint that is due by it is made', () => {
    const run = begin({ limits: { checkpointInterval: 2 } });
    run.endOf('tester', [], CONFLICT);
    expect(run.all('checkpoint-make').map(({ iteration }) => iteration)).toEqual([3]);
  });

  it('the second conflict in a row is a failure like any other', () => {
    const run = begin();
    run.endOf('tester', [], CONFLICT);
    const failed = { outcome: { status: 'failed', failure: { class: 'agent', message: 'not taken over' } }, ...CONFLICT } as const;
    run.endOf('tester', [write('test.passed')], failed);
    expect(published(run).at(-1)).toBe('error.cli > ralph');
    expect(refused(run)).toEqual(['test.passed: conflict']);
  });

  it('a person who interrupts one hat ends its turn alone, and it begins again while the others work', () => {
    const run = begin();
    const sender = { pid: 1, user: 'ann', how: 'terminal' } as const;
    run.post({ type: 'told', id: 'c1', text: 'not so', to: 'tester', when: 'interrupt', sender, steeringOffset: 1 });
    expect(run.all('iteration-stop').map(({ iteration }) => iteration)).toEqual([3]);
    run.endOf('tester', [], INTERRUPTED);
    expect(atWork(run)).toEqual(['linter', 'auditor', 'tester']);
    expect(
      run
        .all('iteration-start')
        .at(-1)
        ?.events.map(({ topic }) => topic),
    ).toEqual(['build.done', 'human.guidance']);
  });
});
