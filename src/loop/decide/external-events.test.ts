import { describe, expect, it } from 'vitest';
import { makeHat } from '../../core/spec-fixtures.ts';
import { ending, given, notices, type Play, play, published, ran, refused, write } from './decide-fixtures.ts';

const BUILDER = makeHat('builder', ['build.start'], ['build.done']);

/** Somebody outside appends events. */
function receive(run: Play, ...signals: readonly ReturnType<typeof write>[]) {
  return run.post({ type: 'events-received', signals, problems: [], inboxOffset: 42 });
}

describe('events from outside', () => {
  it('are routed with `external` as their source, after the turn that runs', () => {
    const run = play({ hats: [BUILDER] });
    receive(run, write('build.start', 'please'));
    expect([run.last('event-publish').event.source, ran(run)]).toEqual(['external', ['ralph']]);
    run.end();
    expect(run.turn()).toMatchObject({ hat: 'builder', events: [{ payload: 'please', source: 'external' }] });
  });

  it('do not disturb the end of the turn that runs', () => {
    const run = play({ hats: [BUILDER] });
    receive(run, write('build.start', 1));
    run.end([write('build.start', 2)]);
    expect(run.turn().events.map((event) => [event.payload, event.source])).toEqual([
      [1, 'external'],
      [2, 'ralph'],
    ]);
  });

  it('may publish what Ralph may, and nothing else', () => {
    const run = play({ hats: [BUILDER], terminalEvents: ['deployed'] });
    receive(run, write('gossip'), write('deployed'), write('build.start'));
    expect([refused(run), published(run).slice(1), run.state().feedback]).toEqual([
      ['gossip: scope'],
      ['deployed >', 'build.start > builder'],
      {},
    ]);
  });

  it('may not end the run: people stop it', () => {
    const run = play();
    receive(run, write('task.complete'), write('LOOP_COMPLETE'));
    expect([ending(run), refused(run)]).toEqual([null, ['task.complete: may-not-end']]);
  });

  it('wake a run up that has nothing else to do', () => {
    const run = play({ hats: [BUILDER], limits: { cooldownMs: 1000 } });
    run.end();
    receive(run, write('build.start'));
    run.ring();
    expect([ran(run), given(run)]).toEqual([['ralph', 'builder'], ['build.start']]);
  });

  it('move the place up to which the file was read', () => {
    const run = play();
    receive(run);
    expect(run.state().inboxOffset).toBe(42);
  });

  it('that cannot be read are told, at most twenty of them', () => {
    const run = play();
    const problems = Array.from({ length: 100 }, () => ({ where: '.agent/events.jsonl:1', message: 'not valid JSON', excerpt: '{' }));
    run.post({ type: 'events-received', signals: [], problems, inboxOffset: 1 });
    expect([notices(run).length, run.state().feedback]).toEqual([20, {}]);
  });

  it('refused ones call nobody', () => {
    const run = play({ hats: [BUILDER] });
    receive(run, write('gossip'));
    run.end([write('build.start')]);
    expect(ran(run)).toEqual(['ralph', 'builder']);
  });
});
