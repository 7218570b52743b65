import { describe, expect, test } from 'vitest';
import type { HatSpec } from '../../core/run/run-spec.ts';
import { makeHat } from '../../core/spec-fixtures.ts';
import { handOn, play, published, ran, say } from './decide-fixtures.ts';

/** The five hats of the seed's sample, the creator with the topic that its example leaves out. */
const HATS: readonly HatSpec[] = [
  makeHat('planner', ['task.ready', 'plan.requested', 'task.resume'], ['plan.complete', 'implementation.ready']),
  makeHat('creator', ['implementation.ready', 'fix.requested', 'review.changes_requested'], ['implementation.done', 'review.requested']),
  makeHat('critic', ['review.requested', 'implementation.*'], ['review.approved', 'review.changes_requested']),
  makeHat('editor', ['review.approved', 'polish.requested'], ['task.complete']),
];

describe('seed 000, event coordination', () => {
  test('the event history is tracked, with ids, sources and the turn in which each came up', () => {
    const run = play({ hats: HATS });
    run.end([say('implementation.ready')]);
    run.end([say('implementation.done')]);
    expect(run.all('event-publish').map(({ event: { id, topic, source, iteration } }) => `${id} ${topic} ${source} ${iteration}`)).toEqual([
      'e1 task.ready system 0',
      'e2 implementation.ready planner 1',
      'e3 implementation.done creator 2',
    ]);
    expect(run.all('iteration-start').map(({ events }) => events.map(({ id }) => id))).toEqual([['e1'], ['e2'], ['e3']]);
  });

  test('terminal events are handled: task.complete marks the task done', () => {
    const run = play({ hats: HATS });
    for (const topic of ['implementation.ready', 'implementation.done', 'review.approved', 'task.complete']) run.end([say(topic)]);
    expect([run.state().status, run.last('run-end').reason]).toEqual(['ended', 'completed']);
    expect(ran(run)).toEqual(['planner', 'creator', 'critic', 'editor']);
  });

  test('a failure of a quality gate transforms the event: task.complete becomes task.blocked, with blocked_by and original', () => {
    const run = play({ hats: HATS, gates: [{ on: ['task.complete'], run: 'npm test', timeoutMs: 1000 }] });
    for (const topic of ['implementation.ready', 'implementation.done', 'review.approved', 'task.complete']) run.end([say(topic)]);
    run.judge(() => false);
    expect(run.last('event-publish').event).toMatchObject({
      topic: 'task.blocked',
      source: 'quality_gate',
      payload: { blocked_by: 'npm test', original: 'task.complete', published_by: 'editor' },
    });
    // It is transformed, not accompanied: nobody sees the event itself, and the run goes on.
    expect(published(run).map((line) => line.split(' > ')[0])).toEqual([
      'task.ready',
      'implementation.ready',
      'implementation.done',
      'review.approved',
      'task.blocked',
    ]);
    expect([run.state().status, run.all('run-end')]).toEqual(['running', []]);
    expect(run.turn()).toMatchObject({ hat: 'editor', feedback: [{ kind: 'gate-failed', topic: 'task.complete' }] });
  });

  test('HAT_TRANSITION is backward compatible: legacy.hat_transition.<hat> is recorded with the hat that wrote it as source, taken before the switch', () => {
    const run = play({ hats: HATS });
    run.end([handOn('creator')], { finalText: 'Build it.' });
    expect(run.last('event-publish').event).toMatchObject({
      topic: 'legacy.hat_transition.creator',
      source: 'planner',
      payload: 'Build it.',
    });
    expect([ran(run), published(run).length]).toEqual([['planner', 'creator'], 2]);
    run.end([handOn('planner')]);
    expect(run.last('event-reject')).toMatchObject({ topic: 'legacy.hat_transition.planner', why: 'scope' });
  });

  test.each([
    ['an event', [handOn('creator'), say('plan.complete')], ['plan.complete > ralph']],
    ['an event that hands on to the same hat', [say('implementation.ready'), handOn('creator')], ['implementation.ready > creator']],
  ])('HAT_TRANSITION is what is fallen back on: beside %s it is recorded and not followed', (_, signals, followed) => {
    const run = play({ hats: HATS, terminalEvents: [] });
    run.end(signals, { finalText: 'Go.' });
    expect(published(run)).toEqual(['task.ready > planner', 'legacy.hat_transition.creator >', ...followed]);
  });

  test('HAT_TRANSITION is followed beside an event that was refused', () => {
    const run = play({ hats: HATS });
    run.end([say('review.approved'), handOn('creator')]);
    expect(ran(run)).toEqual(['planner', 'creator']);
  });
});
