import { describe, expect, it } from 'vitest';
import type { TurnReport } from '../../core/run/inputs.ts';
import type { RunSpec } from '../../core/run/run-spec.ts';
import { makeGate, makeHat } from '../../core/spec-fixtures.ts';
import { cost, ending, makeResult, notices, type Play, play, refused, write } from './decide-fixtures.ts';

const several = (parallel: number, parts: Parameters<typeof makeHat>[3] = {}) =>
  makeHat('builder', ['task.ready'], ['task.done'], { takes: 'one', parallel, ...parts });
const TEAM = [
  makeHat('planner', ['task.start', 'task.resume'], ['task.ready', 'LOOP_COMPLETE']),
  several(3),
  makeHat('reviewer', ['task.done'], ['review.done', 'LOOP_COMPLETE']),
];

type Parts = NonNullable<Parameters<typeof play>[0]>;

/** A run whose planner has cut the work into tasks: 1, 2, 3, … */
function begin(parts: Parts = {}, tasks = 5): Play {
  const run = play({ hats: TEAM, coordinator: 'hats', ...parts });
  run.end(Array.from({ length: tasks }, (_, index) => write('task.ready', index + 1)));
  return run;
}

/** The tasks that are worked on, in the order in which they were begun. */
const atWork = (run: Play): unknown[] => run.state().activations.map(({ events }) => events.map(({ payload }) => payload).join('+'));
const INTERRUPTED = { outcome: { status: 'interrupted' }, exitCode: null } as const;
const CONFLICT = { conflict: { paths: ['a.txt'], total: 1, kept: 'copies/kept-3.1' } } as const;

/** The turn that works on a task ends. */
function endTask(run: Play, task: number, report: Partial<TurnReport> = {}, signals = [write('task.done', `done ${task}`)]): void {
  const turn = run.state().activations.find(({ events }) => events.some(({ payload }) => payload === task));
  if (turn === undefined) throw new Error(`nobody works on ${task}`);
  const { iteration, attempt } = turn;
  const { outcome = { status: 'succeeded' }, ...more } = report;
  run.post({
    type: 'iteration-ended',
    ...{ iteration, attempt, outcome, signals, problems: [], exitCode: 0, durationMs: 1, producedOutput: true, usage: cost(0).usage },
    ...{ sessionId: null, finalText: '', toolCalls: null, treeChanged: null, leftovers: 0, inboxOffset: 0, ...more },
  } as Parameters<Play['post']>[0]);
}

describe('a hat with several turns at once', () => {
  it('works on so many of the events that wait for it, each in a copy and with one of them; of more the next begins when one ends', () => {
    const run = begin();
    expect(atWork(run)).toEqual(['1', '2', '3']);
    expect(run.state().activations.map(({ copy, place }) => [copy, place])).toEqual([
      ['2.1', 2],
      ['3.1', 3],
      ['4.1', 4],
    ]);
    endTask(run, 1);
    expect(atWork(run)).toEqual(['2', '3', '4']);
    endTask(run, 2);
    endTask(run, 3);
    expect(atWork(run)).toEqual(['4', '5']);
  });

  it('has what it publishes handed on when all have ended that waited when they began', () => {
    const run = begin();
    for (const task of [1, 2, 3, 4]) endTask(run, task);
    expect(run.state().activations.map(({ hat }) => hat)).toEqual(['builder']);
    endTask(run, 5);
    expect([run.turn().hat, run.turn().events.map(({ payload }) => payload)]).toEqual([
      'reviewer',
      ['done 1', 'done 2', 'done 3', 'done 4', 'done 5'],
    ]);
    expect([run.turn().copy, run.state().batch, run.state().batchHat]).toEqual([undefined, null, null]);
  });

  it('takes a single event in the folder itself', () => {
    const run = begin({}, 1);
    expect([atWork(run), run.turn().copy]).toEqual([['1'], undefined]);
    expect(JSON.stringify(run.state())).not.toMatch(/copy|batch|place/);
  });

  it('with one at once takes its events one after the other, in the folder', () => {
    const run = begin({ hats: [...TEAM.slice(0, 1), several(1), ...TEAM.slice(2)] }, 3);
    for (const task of [1, 2, 3]) {
      expect([atWork(run), run.turn().copy]).toEqual([[String(task)], undefined]);
      endTask(run, task);
    }
    expect(run.turn().hat).toBe('reviewer');
  });

  it('that something holds to the folder takes them one after the other, too', () => {
    const run = begin({ hats: [...TEAM.slice(0, 1), several(3, { alone: true }), ...TEAM.slice(2)] }, 2);
    expect([atWork(run), run.turn().copy]).toEqual([['1'], undefined]);
  });

  it('shares with no other hat, unless hats work at the same time', () => {
    const other = makeHat('tester', ['task.ready'], ['test.done']);
    const hats = [...TEAM, other];
    const run = begin({ hats, routing: 'fanout' }, 2);
    expect(run.state().activations.map(({ hat }) => hat)).toEqual(['builder', 'builder']);
    const all = begin({ hats, routing: 'fanout', maxParallel: 4 }, 5);
    expect(all.state().activations.map(({ hat }) => hat)).toEqual(['builder', 'tester', 'builder', 'builder']);
  });

  it('is with others at once no more often than all may', () => {
    const run = begin({ routing: 'fanout', maxParallel: 2 });
    expect(atWork(run)).toEqual(['1', '2']);
    endTask(run, 2);
    expect(atWork(run)).toEqual(['1', '3']);
  });

  it('gives what people told to one of the turns, which is no task', () => {
    const run = play({ hats: TEAM, coordinator: 'hats' });
    const sender = { pid: 1, user: 'ann', how: 'terminal' } as const;
    run.post({ type: 'told', id: 'c1', text: 'be quick', to: 'builder', when: 'next', sender, steeringOffset: 1 });
    run.end([write('task.ready', 1), write('task.ready', 2)]);
    expect(atWork(run)).toEqual(['be quick+1', '2']);
  });

  it('is not given another task with one that is taken up, also where a person published it', () => {
    const run = begin({}, 3);
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    for (const task of [1, 2, 3]) endTask(run, task, INTERRUPTED, []);
    const sender = { pid: 1, user: 'ann', how: 'terminal' } as const;
    const signals = [{ ...write('task.ready', 9), sender }];
    run.resume({ external: { signals, problems: [], outsideOffset: 10 } });
    expect(atWork(run)).toEqual(['1', '2', '3']);
    expect(run.state().pending.map(({ event }) => event.payload)).toEqual([9]);
  });
});

describe('a hat that takes one event at a time, without several turns at once', () => {
  const one = makeHat('builder', ['task.ready'], ['task.done'], { takes: 'one' });
  const sender = { pid: 1, user: 'ann', how: 'terminal' } as const;
  const published = (task: number) => ({ ...write('task.ready', task), sender });
  const beginOne = (tasks: number): Play => begin({ hats: [...TEAM.slice(0, 1), one, ...TEAM.slice(2)] }, tasks);

  it('is given no other one with a turn that is made again, also where people published it', () => {
    const run = beginOne(1);
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    endTask(run, 1, INTERRUPTED, []);
    run.resume({ external: { signals: [published(8), published(9)], problems: [], outsideOffset: 10 } });
    expect(atWork(run)).toEqual(['1']);
    endTask(run, 1);
    expect(atWork(run)).toEqual(['8']);
    endTask(run, 8);
    expect(atWork(run)).toEqual(['9']);
  });

  it('is given what people told it with a turn that is made again', () => {
    const run = beginOne(2);
    run.post({ type: 'told', id: 'c1', text: 'be quick', to: 'builder', when: 'interrupt', sender, steeringOffset: 1 });
    endTask(run, 1, INTERRUPTED, []);
    expect(atWork(run)).toEqual(['1+be quick']);
  });
});

describe('limits of several turns at once', () => {
  it('max_iterations counts each, and those at work', () => {
    const run = begin({ limits: { maxIterations: 4 } });
    endTask(run, 1);
    expect(atWork(run)).toEqual(['2', '3']);
    endTask(run, 2);
    endTask(run, 3);
    expect([ending(run), run.state().counters.counted]).toEqual(['max_iterations', 4]);
  });

  it('max_activations counts each: what is left goes to Ralph', () => {
    const run = begin({ hats: [...TEAM.slice(0, 1), several(3, { maxActivations: 2 }), ...TEAM.slice(2)] });
    expect(atWork(run)).toEqual(['1', '2']);
    endTask(run, 1);
    endTask(run, 2);
    expect(notices(run)).toContain('hat-exhausted');
    expect([run.turn().hat, run.turn().events.map(({ payload }) => payload)]).toEqual(['ralph', [3, 4, 5]]);
  });

  it('the limit of cost ends all of them', () => {
    const run = begin({ limits: { maxCostUsd: 1 } });
    const { usage } = cost(0.6);
    if (usage === undefined) throw new Error('no usage');
    run.post({ type: 'usage-reported', iteration: 2, attempt: 1, usage, others: usage });
    expect(run.all('iteration-stop').map(({ iteration }) => iteration)).toEqual([2, 3, 4]);
    for (const task of [1, 2, 3]) endTask(run, task, INTERRUPTED, []);
    expect(ending(run)).toBe('max_cost');
  });

  it('failures in a row are counted as turns end', () => {
    const run = begin({ limits: { maxConsecutiveFailures: 2 } });
    const failed = { outcome: { status: 'failed', failure: { class: 'agent', message: 'no' } } } as const;
    endTask(run, 2, failed, []);
    endTask(run, 1, failed, []);
    expect(atWork(run)).toEqual(['3', '4']);
    endTask(run, 3, failed, []);
    endTask(run, 4, failed, []);
    expect(ending(run)).toBe('consecutive_failures');
  });
});

describe('the same words of several turns at once', () => {
  const same = [write('task.done', 'ok')];

  it('are no loop where each was given something else', () => {
    const run = begin();
    for (const task of [1, 2, 3, 4, 5]) endTask(run, task, {}, same);
    expect([ending(run), run.turn().hat]).toEqual([null, 'reviewer']);
  });

  it('are none where its default is published for each, which changed nothing', () => {
    const run = begin({ hats: [...TEAM.slice(0, 1), several(3, { defaultPublishes: ['task.done'] }), ...TEAM.slice(2)] });
    for (const task of [1, 2, 3, 4, 5]) endTask(run, task, { treeChanged: false }, []);
    expect([ending(run), run.turn().hat]).toEqual([null, 'reviewer']);
  });

  it('are one where all were given the same', () => {
    const run = play({ hats: TEAM, coordinator: 'hats' });
    run.end([write('task.ready', 'again'), write('task.ready', 'again'), write('task.ready', 'again')]);
    for (let turns = 0; turns < 3; turns += 1) run.endOf('builder', same);
    expect(ending(run)).toBe('loop_detected');
  });
});

describe('gates on what several turns publish', () => {
  const judge = (run: Play, isPassed: boolean): void => {
    for (const { request } of run.state().gateWaits) run.post({ type: 'gates-finished', request, results: [makeResult(0, isPassed)] });
  };

  it('are asked when all have ended, and what they show of all together is one failure in a row of the hat', () => {
    const run = begin({ gates: [makeGate(['task.done'])] });
    for (const task of [1, 2, 3, 4, 5]) endTask(run, task);
    expect(run.all('gates-run').map(({ iteration }) => iteration)).toEqual([2, 3, 4, 5, 6]);
    judge(run, false);
    expect(run.state().gateStreaks['builder']?.map(({ count }) => count)).toEqual([1]);
    expect(notices(run)).not.toContain('gate-stuck');
    // Each has what was blocked of it back.
    expect(run.state().activations.map(({ hat }) => hat)).toEqual(['builder', 'builder', 'builder']);
    for (const again of [2, 3]) {
      while (run.state().gateWaits.length < 5) run.endOf('builder', [write('task.done', `try ${again}`)]);
      judge(run, false);
      expect(run.state().gateStreaks['builder']?.map(({ count }) => count)).toEqual([again]);
    }
    expect(notices(run)).toContain('gate-stuck');
  });
});

describe('what has to be done again', () => {
  it('comes before the next events, with its place', () => {
    const run = begin();
    endTask(run, 2, CONFLICT);
    expect(refused(run)).toEqual(['task.done: conflict']);
    expect(atWork(run)).toEqual(['1', '3', '2']);
    expect(run.state().activations.map(({ iteration, place }) => [iteration, place])).toEqual([
      [2, 2],
      [4, 4],
      [5, 3],
    ]);
  });

  it('is taken up in the order of the events, after Ctrl+C and after a crash', () => {
    const run = begin();
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    for (const task of [2, 3, 1]) endTask(run, task, INTERRUPTED, []);
    run.resume();
    expect(atWork(run)).toEqual(['1', '2', '3']);
    expect(run.state().activations.map(({ place, copy }) => [place, copy])).toEqual([
      [2, '2.1'],
      [3, '3.1'],
      [4, '4.1'],
    ]);
    endTask(run, 1);
    expect(atWork(run)).toEqual(['2', '3', '4']);
    run.resume();
    expect(atWork(run)).toEqual(['2', '3', '4']);
    for (const task of [2, 3, 4, 5]) endTask(run, task);
    expect(run.turn().events.map(({ payload }) => payload)).toEqual(['done 1', 'done 2', 'done 3', 'done 4', 'done 5']);
  });

  it.each([
    ['that takes turns now', { hats: [...TEAM.slice(0, 1), several(1), ...TEAM.slice(2)] }],
    ['that is held to the folder now', { hats: [...TEAM.slice(0, 1), several(3, { alone: true }), ...TEAM.slice(2)] }],
  ])('by a hat %s is done one after the other, in the folder', (_why, other) => {
    const run = begin({}, 3);
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    for (const task of [1, 2, 3]) endTask(run, task, INTERRUPTED, []);
    run.resume({ spec: { ...run.topology().spec, ...other } as RunSpec });
    for (const task of [1, 2, 3]) {
      expect([atWork(run), run.turn().copy]).toEqual([[String(task)], undefined]);
      endTask(run, task);
    }
  });

  it('each turn that wrote only what it may not has its own second chance, with its own refusal', () => {
    const run = begin({}, 3);
    endTask(run, 1, {}, [write('gossip')]);
    expect(atWork(run)).toEqual(['2', '3', '1']);
    expect(
      run
        .all('iteration-start')
        .at(-1)
        ?.feedback.map(({ kind }) => kind),
    ).toEqual(['refused']);
    endTask(run, 2, {}, [write('gossip')]);
    expect(atWork(run)).toEqual(['3', '1', '2']);
    endTask(run, 3);
    endTask(run, 2);
    endTask(run, 1, {}, [write('gossip')]);
    expect(notices(run)).toContain('refused-twice');
    expect([run.turn().hat, run.turn().events.map(({ payload }) => payload)]).toEqual(['planner', [1]]);
  });

  it('what a person told one of them is not told the next, while it may still hear it', () => {
    const run = begin({}, 2);
    const sender = { pid: 1, user: 'ann', how: 'terminal' } as const;
    run.post({ type: 'told', id: 'c1', text: 'be quick', to: 'builder', when: 'now', sender, steeringOffset: 1 });
    expect(run.last('tell-offer').iteration).toBe(2);
    endTask(run, 2);
    expect([run.state().tells.length, run.all('tell-offer').length]).toEqual([1, 1]);
    run.post({ type: 'tell-given', iteration: 2, attempt: 1, ids: ['c1'], call: 1, isKept: true });
    endTask(run, 1);
    expect(run.turn().events.map(({ topic }) => topic)).toEqual(['task.done', 'task.done']);
  });

  it('what each of them asks has its own answer, also where they ask the same', () => {
    const run = begin({}, 2);
    const asked = { attempt: 1, key: 'k', purpose: 'question', text: 'Drop it?', choices: ['yes', 'no'], default: 'no' } as const;
    for (const iteration of [2, 3]) run.post({ type: 'asked', iteration, ...asked, dueAt: run.now() + 60_000 });
    const sender = { pid: 1, user: 'ann', how: 'terminal' } as const;
    run.post({ type: 'answered', id: 'c1', question: 'q2', choice: 'yes', sender, steeringOffset: 1 });
    endTask(run, 1);
    expect(run.all('question-close').map(({ id, iteration, choice, by }) => [id, iteration, choice, by])).toEqual([
      ['q2', 3, 'yes', 'person'],
      ['q1', 2, 'no', 'withdrawn'],
    ]);
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    endTask(run, 2, INTERRUPTED, []);
    run.resume();
    run.post({ type: 'asked', iteration: run.turn().iteration, ...asked, dueAt: run.now() + 60_000 });
    expect([run.all('question-open').length, run.last('question-close')]).toEqual([
      2,
      expect.objectContaining({ id: 'q2', choice: 'yes' }),
    ]);
  });

  it('what one of them was not given before it ended is offered to another one at work', () => {
    const run = begin({}, 2);
    const sender = { pid: 1, user: 'ann', how: 'terminal' } as const;
    run.post({ type: 'told', id: 'c1', text: 'be quick', to: 'builder', when: 'now', sender, steeringOffset: 1 });
    endTask(run, 1);
    expect(run.all('tell-offer').map(({ iteration }) => iteration)).toEqual([2, 3]);
    endTask(run, 2);
    expect(run.state().pending.map(({ event }) => event.topic)).toContain('human.guidance');
  });
});
