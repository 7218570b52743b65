import { describe, expect, it } from 'vitest';
import type { HookAnswer } from '../../core/run/inputs.ts';
import { makeHat } from '../../core/spec-fixtures.ts';
import { ending, type Play, PROMISE, play, published, ran, refused, write } from './decide-fixtures.ts';

const BUILDER = makeHat('builder', ['build.start'], ['build.done', 'build.half']);
const ALL = { publish: ['ralph', 'builder'], complete: ['ralph'] };
const KEEP: HookAnswer = { isDropped: false, reason: '', told: [], runs: [] };
const DROP: HookAnswer = { ...KEEP, isDropped: true, reason: 'guard: not yet' };

function answer(run: Play, ...answers: readonly HookAnswer[]) {
  return run.post({ type: 'hooks-answered', request: run.last('hooks-ask').request, answers });
}

describe('events of a hat with hooks', () => {
  it('wait for the hooks, and are routed as they were where these let them through', () => {
    const run = play({ hats: [BUILDER], hooked: ALL });
    run.end([write('build.start', 'x')]);
    expect([ran(run), run.last('hooks-ask')]).toMatchObject([
      ['ralph'],
      { event: 'EventPublish', hat: 'ralph', drafts: [{ topic: 'build.start', payload: 'x' }] },
    ]);
    answer(run, KEEP);
    expect([run.turn().hat, run.turn().events.map(({ payload }) => payload)]).toEqual(['builder', ['x']]);
  });

  it('are dropped, changed and told of one by one; their author learns of it in its next turn', () => {
    const run = play({ hats: [BUILDER], hooked: ALL });
    run.end([write('build.start', 1), write('build.start', 2)]);
    answer(run, DROP, { ...KEEP, changed: { payload: 'better' }, told: ['say why next time'] });
    expect([refused(run), run.turn().events.map(({ payload }) => payload)]).toEqual([['build.start: hook'], ['better']]);
    run.end();
    expect(run.turn()).toMatchObject({
      hat: 'ralph',
      feedback: expect.arrayContaining([
        { kind: 'hook-dropped', topic: 'build.start', why: 'guard: not yet' },
        { kind: 'hook-told', topic: 'build.start', text: 'say why next time' },
      ]),
    });
  });

  it('become no event that their author may not publish, nor one for a hat that is not there, nor a completion', () => {
    for (const changed of [{ topic: 'review.done' }, { target: 'nobody' }, { topic: 'task.complete' }, { topic: 'no topic!' }]) {
      const run = play({ hats: [BUILDER], hooked: ALL });
      run.end([write('build.start')]);
      answer(run, { ...KEEP, changed });
      expect([changed, refused(run), ending(run)]).toEqual([changed, ['build.start: hook'], null]);
    }
    const idle = play({ hats: [makeHat('builder', ['build.start'], ['build.done'], { defaultPublishes: ['build.done'] })], hooked: ALL });
    idle.end([write('build.start')]);
    answer(idle, KEEP);
    idle.end();
    answer(idle, { ...KEEP, changed: { topic: 'review.done' } });
    expect(refused(idle)).toEqual(['build.done: hook']);

    const run = play({ hats: [BUILDER], hooked: ALL });
    run.end([write('build.start')]);
    answer(run, KEEP);
    run.end([write('build.done')]);
    answer(run, { ...KEEP, changed: { topic: 'build.half' } });
    expect(published(run)).toContain('build.half > ralph');
  });

  it('are asked about before gates, which judge what the hooks made of them', () => {
    const gates = [{ on: ['build.half'], run: 'npm test', timeoutMs: 1000 }];
    const run = play({ hats: [BUILDER], hooked: ALL, gates });
    run.end([write('build.start')]);
    answer(run, KEEP);
    run.end([write('build.done')]);
    expect(run.all('gates-run')).toEqual([]);
    answer(run, { ...KEEP, changed: { topic: 'build.half' } });
    expect(run.last('gates-run').topics).toEqual(['build.half']);
  });

  it('are asked about again by a new process, and once answered never again', () => {
    const run = play({ hats: [BUILDER], hooked: ALL });
    run.end([write('build.start')]);
    run.resume();
    expect(run.all('hooks-ask')).toHaveLength(2);
    answer(run, KEEP);
    answer(run, KEEP);
    expect([ran(run), published(run).filter((event) => event.startsWith('build.start'))]).toEqual([
      ['ralph', 'builder'],
      ['build.start > builder'],
    ]);
  });
});

describe('a completion of a hat with hooks', () => {
  it('ends the run where they agree', () => {
    const run = play({ hats: [BUILDER], hooked: ALL });
    run.end([PROMISE]);
    expect([ending(run), run.last('hooks-ask').event]).toEqual([null, 'CompletionRequested']);
    answer(run, KEEP);
    expect(ending(run)).toBe('completed');
  });

  it('is blocked where one denies: its author goes on and is told why, and after some refusals in a row the run ends', () => {
    const run = play({ hats: [BUILDER], hooked: { publish: [], complete: ['ralph'] }, limits: { maxConsecutiveFailures: 2 } });
    run.end([PROMISE]);
    answer(run, DROP);
    expect([ending(run), refused(run), run.turn().hat]).toEqual([null, ['task.complete: hook'], 'ralph']);
    expect(run.turn().events.map(({ topic }) => topic)).toEqual(['task.blocked']);
    expect(run.turn().feedback).toContainEqual({ kind: 'promise-refused', why: 'a hook holds the end back: guard: not yet' });
    run.end([PROMISE]);
    answer(run, DROP);
    expect(run.last('run-end')).toMatchObject({
      reason: 'gate_refused',
      detail: 'completion was claimed 2 times in a row and held back by a hook each time; the last one: guard: not yet',
    });
  });

  it('that a gate refuses and a hook holds back in turn ends with both; a new process counts anew', () => {
    const gates = [{ on: ['task.complete'], run: 'npm test', timeoutMs: 1000 }];
    const run = play({ hats: [BUILDER], hooked: { publish: [], complete: ['ralph'] }, gates, limits: { maxConsecutiveFailures: 2 } });
    run.end([PROMISE]);
    answer(run, DROP);
    run.end([PROMISE]);
    answer(run, KEEP);
    run.judge(() => false);
    expect(run.last('run-end').detail).toBe(
      'completion was claimed 2 times in a row, refused by a gate and held back by a hook (1 of 2); the last hook: guard: not yet',
    );
    run.resume();
    for (const _ of [1, 2]) {
      run.end([PROMISE]);
      answer(run, KEEP);
      run.judge(() => false);
    }
    expect(run.last('run-end').detail).toBe('completion was claimed 2 times in a row and refused by a gate each time');
  });

  it('still has its gates before it, and people who spoke meanwhile go first', () => {
    const gates = [{ on: ['task.complete'], run: 'npm test', timeoutMs: 1000 }];
    const run = play({ hats: [BUILDER], hooked: ALL, gates });
    run.end([PROMISE]);
    answer(run, KEEP);
    expect(run.last('gates-run').topics).toEqual(['task.complete']);
    const other = play({ hats: [BUILDER], hooked: ALL });
    other.end([PROMISE]);
    other.post({ type: 'events-received', signals: [write('build.start')], problems: [], inboxOffset: 1 });
    answer(other, KEEP);
    expect([ending(other), refused(other)]).toEqual([null, ['task.complete: held']]);
  });
});

it('a solo run goes on after its hooks have answered', () => {
  const run = play({ hooked: { publish: ['ralph'], complete: ['ralph'] } });
  run.end([write('step.done')]);
  answer(run, DROP);
  expect([ran(run), ending(run)]).toEqual([['ralph', 'ralph'], null]);
});
