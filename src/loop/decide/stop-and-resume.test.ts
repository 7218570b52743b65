import { describe, expect, it } from 'vitest';
import { makeHat } from '../../core/spec-fixtures.ts';
import { changed, ending, given, handOn, type Play, PROMISE, play, published, ran, refused, say, write } from './decide-fixtures.ts';

const PLANNER = makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.start']);
const BUILDER = makeHat('builder', ['build.start'], ['build.done']);

/** A team that coordinates itself; its builder runs. */
function building(parts: Parameters<typeof play>[0] = {}): Play {
  const run = play({ hats: [PLANNER, BUILDER], ...parts });
  run.end([write('build.start', 'the roof')]);
  return run;
}

type How = 'interrupt' | 'terminate' | 'hangup' | 'after-iteration' | 'kill';

function stop(run: Play, how: How, by = 'somebody') {
  return run.post({ type: 'stop-requested', how, by });
}

describe('a wish to stop', () => {
  it.each([
    ['interrupt', 'interrupted', false],
    ['terminate', 'terminated', false],
    ['hangup', 'hangup', false],
    ['kill', 'interrupted', true],
  ] as const)('%s ends the running turn, then the run as %s', (how, reason, force) => {
    const run = building();
    expect(stop(run, how, 'a signal')).toEqual([{ type: 'iteration-stop', iteration: 2, attempt: 1, force }]);
    expect(ending(run)).toBeNull();
    run.interrupt();
    expect(run.last('run-end')).toEqual({ type: 'run-end', reason, detail: 'stopped by a signal' });
  });

  it('orders no turn again for what is told while it begins: its end is ordered already, and the next turn of its hat hears that', () => {
    const run = building();
    stop(run, 'terminate', 'SIGTERM');
    const told = {
      id: 'c1',
      text: 'use slate',
      to: null,
      when: 'now',
      sender: { pid: 1, user: 'ann', how: 'terminal' },
      steeringOffset: 1,
    } as const;
    const effects = run.post({ type: 'told', ...told, opening: { iteration: 2, attempt: 1 } });
    expect(effects.map(({ type }) => type)).toEqual(['event-publish']);
    run.interrupt();
    expect(ending(run)).toBe('terminated');
    run.resume();
    expect(given(run)).toContain('human.guidance');
  });

  it('after-iteration lets the turn end by itself, with all that it says', () => {
    const run = building();
    expect(stop(run, 'after-iteration')).toEqual([]);
    run.end([write('build.done')]);
    expect([ending(run), published(run).at(-1), ran(run).length]).toEqual(['interrupted', 'build.done > planner', 2]);
  });

  it('a second one kills at once, and the first reason stays', () => {
    const run = building();
    stop(run, 'terminate');
    expect(stop(run, 'kill')).toEqual([{ type: 'iteration-stop', iteration: 2, attempt: 1, force: true }]);
    run.interrupt();
    expect(ending(run)).toBe('terminated');
  });

  it('where nothing runs ends the run at once', () => {
    const run = play({ limits: { cooldownMs: 1000 } });
    run.end();
    stop(run, 'after-iteration');
    expect(ending(run)).toBe('interrupted');
  });

  it('after the end changes nothing', () => {
    const run = play();
    run.end([PROMISE]);
    expect([stop(run, 'interrupt'), ending(run)]).toEqual([[], 'completed']);
  });

  it('that a turn outruns is a turn like any other', () => {
    const run = building();
    stop(run, 'interrupt');
    run.end([write('build.done')]);
    expect([ending(run), run.state().pending.map((entry) => entry.event.topic)]).toEqual(['interrupted', ['build.done']]);
  });
});

describe('the ground under the run', () => {
  it.each([
    ['workspace', 'workspace_gone'],
    ['storage', 'storage_failed'],
  ] as const)('is gone (%s): the turn is ended at once, then the run as %s', (what, reason) => {
    const run = building();
    expect(run.post({ type: 'environment-failed', what, message: 'no space left' })).toEqual([
      { type: 'iteration-stop', iteration: 2, attempt: 1, force: true },
    ]);
    run.interrupt();
    expect(run.last('run-end')).toEqual({ type: 'run-end', reason, detail: 'no space left' });
  });

  it('is gone while nothing runs: the run ends at once', () => {
    const run = play({ limits: { cooldownMs: 1000 } });
    run.end();
    run.post({ type: 'environment-failed', what: 'workspace', message: 'gone' });
    expect(ending(run)).toBe('workspace_gone');
  });
});

describe('an interrupted turn', () => {
  it('the interrupted hat runs again with the same events, in a new iteration', () => {
    const run = building();
    stop(run, 'interrupt');
    run.interrupt();
    run.resume();
    expect(run.turn()).toMatchObject({
      hat: 'builder',
      iteration: 3,
      attempt: 1,
      fallback: null,
      events: [{ id: 'e2', payload: 'the roof' }],
    });
    expect(published(run)).toEqual(['task.start > planner', 'build.start > builder']);
  });

  it('what it had already appended is withdrawn: recorded with that iteration, not routed, and shown to the new turn', () => {
    const run = building();
    stop(run, 'interrupt');
    run.interrupt([write('build.done', 'half'), say('build.done', 'half'), PROMISE, handOn('planner')]);
    run.resume();
    expect(refused(run)).toEqual(['build.done: withdrawn', 'LOOP_COMPLETE: withdrawn', 'legacy.hat_transition.planner: withdrawn']);
    expect(run.all('event-reject').map((effect) => [effect.iteration, effect.hat])).toEqual([
      [2, 'builder'],
      [2, 'builder'],
      [2, 'builder'],
    ]);
    expect(run.turn().feedback).toEqual([{ kind: 'withdrawn', topics: ['build.done', 'LOOP_COMPLETE', 'legacy.hat_transition.planner'] }]);
    expect(published(run)).toEqual(['task.start > planner', 'build.start > builder']);
  });

  it('tells the new turn that it was interrupted, also where it had written nothing', () => {
    const run = building();
    run.resume();
    run.resume();
    expect(run.turn().feedback).toEqual([
      { kind: 'withdrawn', topics: [] },
      { kind: 'withdrawn', topics: [] },
    ]);
  });

  it('keeps what it was told, for the new turn', () => {
    const run = building();
    run.end([write('gossip'), write('build.done')]);
    run.end([write('build.start')]);
    stop(run, 'interrupt');
    run.interrupt([write('build.done')]);
    run.resume();
    expect(run.turn().feedback.map((entry) => entry.kind)).toEqual(['refused', 'withdrawn']);
  });

  it('of a fallback is a fallback again', () => {
    const run = play({ hats: [BUILDER] });
    run.end();
    run.resume();
    expect(run.turn()).toMatchObject({ hat: 'ralph', fallback: 'empty-queue', events: [{ topic: 'task.resume' }] });
  });

  it('runs before everything that is pending', () => {
    const run = play({ hats: [PLANNER, BUILDER, makeHat('other', ['x'])] });
    run.end([write('build.start', 1)]);
    run.post({ type: 'events-received', signals: [write('x')], problems: [], inboxOffset: 1 });
    run.resume();
    run.end();
    expect(ran(run)).toEqual(['planner', 'builder', 'builder', 'other']);
  });
});

describe('a run that is resumed', () => {
  it('after the death of its process goes on: the turn that was left open ends as interrupted, and its hat runs again', () => {
    const run = building();
    run.resume({}, [write('build.done')]);
    expect(run.turn()).toMatchObject({ hat: 'builder', iteration: 3, feedback: [{ kind: 'withdrawn', topics: ['build.done'] }] });
  });

  it.each([-5, Number.NaN, 1.5, null, '7', {}] as readonly unknown[])(
    'reads on where it was where its record of another folder says no place in a file (%j)',
    (place) => {
      const run = building();
      run.post({ type: 'events-received', signals: [], problems: [], inboxOffset: 70, outsideOffset: 80 });
      const toMoved = (inboxOffset: unknown, outsideOffset: unknown) =>
        ({ inboxOffset, outsideOffset }) as { inboxOffset: number; outsideOffset: number };
      run.post({ type: 'run-resumed', moved: toMoved(place, 7) });
      expect([run.state().inboxOffset, run.state().outsideOffset]).toEqual([70, 7]);
      run.post({ type: 'run-resumed', moved: toMoved(7, place) });
      expect([run.state().inboxOffset, run.state().outsideOffset]).toEqual([7, 7]);
    },
  );

  it.each([null, 'x', 7, []] as readonly unknown[])('reads on where it was where that record is none (%j)', (moved) => {
    const run = building();
    run.post({ type: 'events-received', signals: [], problems: [], inboxOffset: 70, outsideOffset: 80 });
    run.post({ type: 'run-resumed', moved: moved as { inboxOffset: number; outsideOffset: number } });
    expect([run.state().inboxOffset, run.state().outsideOffset]).toEqual([70, 80]);
  });

  it('begins nothing new before the open turn has ended', () => {
    const run = building();
    const effects = run.post({ type: 'run-resumed' });
    expect(effects.filter((effect) => effect.type === 'iteration-start' || effect.type === 'event-publish')).toEqual([]);
  });

  it('after its process died while it was to stop goes on nevertheless', () => {
    const run = building();
    stop(run, 'interrupt');
    run.resume();
    expect([ending(run), run.turn().iteration, run.all('run-end')]).toEqual([null, 3, []]);
  });

  it('by a process that dies before it has ended the open turn is resumed by the next one', () => {
    const run = building();
    run.post({ type: 'run-resumed' });
    run.resume();
    expect([run.turn().iteration, run.turn().hat, published(run).length]).toEqual([3, 'builder', 2]);
  });

  it('again and again never runs two turns at a time', () => {
    const run = building();
    for (let count = 0; count < 5; count += 1) run.resume();
    expect([run.all('iteration-start').map((start) => start.iteration), run.state().activations.length]).toEqual([
      [1, 2, 3, 4, 5, 6, 7],
      1,
    ]);
  });

  it('with nothing interrupted and nothing pending publishes task.resume', () => {
    const run = play({ hats: [PLANNER, BUILDER], limits: { maxIterations: 1 } });
    run.end();
    run.resume({ limits: { maxIterations: 9 } });
    expect([published(run).slice(1), run.turn().fallback]).toEqual([['task.resume > planner'], 'empty-queue']);
  });

  it('with something pending publishes no task.resume', () => {
    const run = building();
    stop(run, 'after-iteration');
    run.end([write('build.done')]);
    run.resume();
    expect([published(run).filter((line) => line.startsWith('task.resume')), given(run)]).toEqual([[], ['build.done']]);
  });

  it.each([
    [null, 'task.resume > ralph'],
    ['single', 'task.continue > default'],
  ] as const)('without anything to do, under mode %s, publishes %s', (mode, expected) => {
    const run = play({ mode });
    run.end([PROMISE]);
    run.resume();
    expect([published(run).at(-1), ending(run)]).toEqual([expected, null]);
  });

  it('ids go on growing', () => {
    const run = building();
    stop(run, 'interrupt');
    run.interrupt([write('build.done')]);
    run.resume();
    run.end([write('build.done')]);
    expect(run.last('event-publish').event.id).toBe('e4');
  });

  it('takes the limits of the new declaration, and those of the command line above them', () => {
    const run = building();
    run.resume({ ...changed({ hats: [PLANNER, BUILDER], limits: { maxIterations: 7, maxCostUsd: 3 } }), limits: { maxIterations: 9 } });
    expect(run.state().limits).toMatchObject({ maxIterations: 9, maxCostUsd: 3 });
  });
});

describe('a run that is resumed with another team', () => {
  it('sends what waits for a hat that is no more to who takes it now, else to Ralph', () => {
    const run = play({ hats: [PLANNER, BUILDER, makeHat('gone', ['audit', 'build.*'])] });
    run.post({ type: 'events-received', signals: [write('audit'), write('build.more')], problems: [], inboxOffset: 1 });
    stop(run, 'interrupt');
    run.end();
    run.resume(changed({ hats: [PLANNER, makeHat('builder', ['build.*'])] }));
    expect(run.state().pending.map((entry) => [entry.hat, entry.event.topic])).toEqual([['builder', 'build.more']]);
    expect([run.turn().hat, given(run)]).toEqual(['ralph', ['audit']]);
  });

  it('a turn that was interrupted under a hat that is no more is the fallback’s', () => {
    const run = building();
    run.resume(changed({ hats: [PLANNER, makeHat('painter', ['paint'])] }));
    expect(run.turn()).toMatchObject({ hat: 'planner', events: [{ topic: 'build.start' }] });
  });

  it('a planned turn of a hat that is no more is the fallback’s, as an iteration of its own', () => {
    const run = building();
    run.fail({ class: 'transient' });
    stop(run, 'interrupt');
    run.pass(60_000);
    run.resume(changed({ hats: [PLANNER, makeHat('painter', ['paint'])] }));
    expect(run.turn()).toMatchObject({ hat: 'planner', iteration: 3, attempt: 1, events: [{ topic: 'build.start' }] });
  });

  it('and its own backends begins with the first of them', () => {
    const hats = [makeHat('a', ['task.start'], [], { backends: ['x', 'y'] })];
    const run = play({ hats, onLimit: 'switch' });
    run.fail({ class: 'limit' });
    expect(run.turn().backend).toBe(1);
    run.resume(changed({ hats: [makeHat('a', ['task.start'], [], { backends: ['z'] })] }));
    expect(run.turn().backend).toBe(0);
  });

  it('turned into mode: single has the default hat go on with everything', () => {
    const run = building();
    run.resume(changed({ mode: 'single' }));
    expect(run.turn()).toMatchObject({ hat: 'default', events: [{ topic: 'build.start' }] });
  });
});

describe('inputs out of their time', () => {
  it('the end of a turn that does not run, or that came already, changes nothing', () => {
    const run = building();
    const late = { type: 'iteration-ended', attempt: 1, inboxOffset: 5 } as const;
    const report = { outcome: { status: 'succeeded' }, signals: [PROMISE, write('build.done')], problems: [], exitCode: 0 } as const;
    const rest = {
      durationMs: 1,
      producedOutput: true,
      usage: run.state().usage,
      sessionId: null,
      finalText: '',
      toolCalls: null,
      treeChanged: null,
      leftovers: 0,
    };
    for (const iteration of [0, 1, 3, 99]) expect(run.post({ ...late, ...report, ...rest, iteration })).toEqual([]);
    expect([run.state().inboxOffset, ran(run).length]).toEqual([0, 2]);
  });

  it('nothing follows after the end until the run is resumed', () => {
    const run = play({ limits: { maxIterations: 1, checkpointInterval: 1 }, gates: [] });
    run.end();
    const happenings = [
      { type: 'timer-fired', timer: 1 },
      { type: 'gates-finished', request: 1, results: [] },
      { type: 'events-received', signals: [write('x')], problems: [], inboxOffset: 77 },
      { type: 'checkpoint-finished', iteration: 1, commit: null, leftOut: ['a'], note: 'x' },
      { type: 'environment-failed', what: 'storage', message: '' },
      { type: 'stop-requested', how: 'kill', by: '' },
      {
        type: 'iteration-spawned',
        iteration: 1,
        attempt: 1,
        pid: 1,
        processStart: null,
        backend: '',
        argv: [],
        promptHash: '',
        promptTokens: 0,
      },
    ] as const;
    expect(happenings.flatMap((happening) => run.post(happening))).toEqual([]);
    expect([ending(run), run.state().inboxOffset]).toEqual(['max_iterations', 0]);
  });
});
