import { describe, expect, it } from 'vitest';
import { makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { ending, given, makeResult, notices, type Play, PROMISE, play, published, ran, refused, write } from './decide-fixtures.ts';

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

  it('come once to whoever stands in for two of their takers after a new declaration', () => {
    const run = play({ hats: [makeHat('planner', ['human.note'], []), makeHat('builder', ['human.note'], [])], routing: 'fanout' });
    receive(run, write('human.note', 'read me'));
    run.end();
    expect(run.turn().hat).toBe('planner');
    run.resume({ spec: makeSpec({ hats: [makeHat('tester', ['test.start'], [])] }) });
    expect([run.turn().hat, run.turn().events.map(({ payload }) => payload), run.state().pending]).toEqual(['ralph', ['read me'], []]);
  });

  it('refused ones call nobody', () => {
    const run = play({ hats: [BUILDER] });
    receive(run, write('gossip'));
    run.end([write('build.start')]);
    expect(ran(run)).toEqual(['ralph', 'builder']);
  });
});

const LISTENER = makeHat('listener', ['human.note'], ['note.read']);
const says = (run: Play): readonly unknown[] => run.turn().feedback;

describe('a completion that is claimed while a person waits to be heard', () => {
  it('is held: who takes the event gets it in one more turn and is told, and the completion is declared anew', () => {
    const run = play({ hats: [BUILDER] });
    receive(run, write('build.start', 'wait', 'ralph'));
    run.end([PROMISE]);
    expect([ending(run), refused(run), notices(run)]).toEqual([null, ['task.complete: held'], ['completion-held']]);
    expect([ran(run), given(run)]).toEqual([['ralph', 'ralph'], ['build.start']]);
    expect(says(run)).toEqual([{ kind: 'completion-held', by: 'ralph', topics: ['build.start'] }]);
    run.end([PROMISE]);
    expect(ending(run)).toBe('completed');
  });

  it('is held for another hat too, and who claimed it is told in its own next turn', () => {
    const run = play({ hats: [BUILDER, LISTENER] });
    receive(run, write('human.note', 'look'));
    run.end([PROMISE, write('build.start')]);
    expect([run.turn().hat, says(run)]).toEqual(['listener', [{ kind: 'completion-held', by: 'ralph', topics: ['human.note'] }]]);
    run.end([write('note.read')]);
    expect(run.turn().hat).toBe('builder');
    run.end([write('build.done')]);
    expect([run.turn().hat, says(run)]).toEqual(['ralph', [{ kind: 'completion-held', by: 'ralph', topics: ['human.note'] }]]);
    run.end([PROMISE]);
    expect(ending(run)).toBe('completed');
  });

  it('is held when the event comes while gates look at it, and what else the turn said is routed', () => {
    const gates = [{ on: ['task.complete'], run: 'npm test', timeoutMs: 1000 }];
    const run = play({ hats: [BUILDER], gates });
    run.end([PROMISE, write('build.start')]);
    receive(run, write('build.start', 'wait', 'ralph'));
    run.judge(() => true);
    expect([ending(run), ran(run), given(run)]).toEqual([null, ['ralph', 'ralph'], ['build.start']]);
    expect(published(run)).toContain('build.start > builder');
  });

  it('is held while a gate looks at the event of the person', () => {
    const gates = [{ on: ['build.start'], run: 'npm test', timeoutMs: 1000 }];
    const run = play({ hats: [BUILDER], gates });
    receive(run, write('build.start', 'again'));
    run.end([PROMISE]);
    expect([ending(run), refused(run)]).toEqual([null, ['task.complete: held']]);
    run.post({ type: 'gates-finished', request: 1, results: [makeResult(0, true)] });
    expect(run.turn()).toMatchObject({ hat: 'builder', feedback: [{ kind: 'completion-held' }], events: [{ payload: 'again' }] });
  });

  it('is not accepted when a limit ends the run meanwhile: the run ends for the limit, and a resume begins with the event', () => {
    const run = play({ hats: [BUILDER], limits: { maxIterations: 1 } });
    receive(run, write('build.start', 'late'));
    run.end([PROMISE]);
    expect([ending(run), run.state().pending.map(({ hat, event }) => [hat, event.payload])]).toEqual([
      'max_iterations',
      [['builder', 'late']],
    ]);
    run.resume({ limits: { maxIterations: 5 } });
    expect([run.turn().hat, given(run)]).toEqual(['builder', ['build.start']]);
  });

  it('is accepted where what the person said was refused, or has been handed over', () => {
    const run = play({ hats: [BUILDER] });
    receive(run, write('gossip'), write('build.start', 'x', 'ralph'));
    run.end();
    expect(given(run)).toEqual(['build.start']);
    run.end([PROMISE]);
    expect(ending(run)).toBe('completed');
  });
});

describe('what a person says', () => {
  const external = (...signals: readonly ReturnType<typeof write>[]) => ({ signals, problems: [], outsideOffset: 7 });

  it('while nobody was at work comes first at a resume, and nobody is asked to go on beside it', () => {
    const run = play({ hats: [BUILDER] });
    run.post({ type: 'stop-requested', how: 'after-iteration', by: 'ralph stop' });
    run.end();
    run.resume({ external: external(write('build.start', 'first')) });
    expect([run.turn().hat, given(run), run.state().outsideOffset]).toEqual(['builder', ['build.start'], 7]);
    expect(published(run).filter((row) => row.startsWith('task.resume'))).toEqual([]);
  });

  it('comes before older events of agents at a resume', () => {
    const run = play({ hats: [BUILDER, LISTENER], limits: { maxIterations: 1 } });
    run.end([write('build.start', 'agent')]);
    run.resume({ limits: { maxIterations: 9 }, external: external(write('human.note', 'person')) });
    expect(ran(run)).toEqual(['ralph', 'listener']);
  });

  it('reaches a hat that is tried again in that very attempt', () => {
    const run = play({ hats: [BUILDER] });
    run.end([write('build.start', 1)]);
    receive(run, write('build.start', 'mind the gap'));
    run.fail({ class: 'transient' });
    run.ring();
    expect([run.turn().attempt, run.turn().events.map((event) => event.payload)]).toEqual([2, [1, 'mind the gap']]);
    expect(run.state().pending).toEqual([]);
  });

  it('reaches the turn whose prompt is not written yet', () => {
    const run = play();
    const opening = { iteration: 1, attempt: 1 };
    run.post({ type: 'events-received', signals: [write('human.note', 'hi')], problems: [], inboxOffset: 0, opening });
    expect(run.turn()).toMatchObject({ iteration: 1, attempt: 1, events: [{ topic: 'task.start' }, { payload: 'hi' }] });
    expect([run.state().pending, run.state().activations.map(({ events }) => events.length)]).toEqual([[], [2]]);
  });

  it('waits for the next turn where the prompt is written', () => {
    const run = play();
    receive(run, write('human.note', 'hi'));
    expect([run.turn().events.length, run.state().pending.length]).toEqual([1, 1]);
  });

  it('is looked at by a gate that is only for some hats', () => {
    const gates = [{ on: ['build.start'], run: 'npm test', timeoutMs: 1000, hats: ['builder'] }];
    const run = play({ hats: [BUILDER], gates });
    receive(run, write('build.start'));
    expect([run.all('gates-run').length, run.state().pending]).toEqual([1, []]);
  });

  it('is on record as not delivered where it came after the end', () => {
    const run = play({ hats: [BUILDER] });
    run.end([PROMISE]);
    receive(run, write('build.start', 'too late'));
    expect(run.last('event-publish')).toMatchObject({ how: 'undelivered', event: { payload: 'too late', source: 'external' } });
    expect(notices(run)).toContain('undelivered-events');
  });
});
