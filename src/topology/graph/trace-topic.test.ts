import { describe, expect, it } from 'vitest';
import { makeGate, makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { compileTopology } from '../routing/compile-topology.ts';
import { type TopicTrace, type TraceRequest, traceTopic } from './trace-topic.ts';

const HATS = [
  makeHat('planner', ['task.start', 'task.resume', 'build.*', 'build.blocked'], ['build.task']),
  makeHat('builder', ['build.task'], ['build.done', 'ship.done'], { defaultPublishes: ['build.done'] }),
  makeHat('reviewer', ['build.done'], [{ topic: 'note.taken', target: 'planner' }]),
  makeHat('watcher', ['*']),
];

function trace(request: Omit<TraceRequest, 'depth'> & { readonly depth?: number }, parts: Parameters<typeof makeSpec>[0] = {}): TopicTrace {
  return traceTopic(compileTopology(makeSpec({ hats: HATS, ...parts })), { depth: 1, ...request });
}

describe('tracing an event', () => {
  it('says who may publish it, who takes it by which trigger, and who else matches', () => {
    expect(trace({ topic: 'build.done' })).toMatchObject({
      outcome: 'taken',
      publishers: [{ who: 'builder', by: 'build.done', isDefault: true }],
      takers: [{ hat: 'reviewer', trigger: 'build.done', why: 'exact' }],
      others: [
        { hat: 'planner', trigger: 'build.*', why: 'lower-precedence' },
        { hat: 'watcher', trigger: '*', why: 'lower-precedence' },
      ],
    });
  });

  it('names the loop for the event that begins the run, and only for that one', () => {
    const byLoop = (topic: string, startingEvent: string | null) =>
      trace({ topic }, { startingEvent }).publishers.some(({ who }) => who === 'system');
    expect([byLoop('task.start', null), byLoop('task.ready', null), byLoop('task.resume', null)]).toEqual([true, false, true]);
    expect([byLoop('task.start', 'kick.off'), byLoop('kick.off', 'kick.off')]).toEqual([false, true]);
  });

  it('names the hat that would have taken it, had it stood first in the file', () => {
    const hats = [makeHat('one', ['task.start', 'task.resume', 'x.y'], ['x.y']), makeHat('two', ['x.y'])];
    expect(trace({ topic: 'x.y' }, { hats }).others).toEqual([{ hat: 'two', trigger: 'x.y', why: 'later' }]);
    expect(trace({ topic: 'x.y' }, { hats, routing: 'fanout' })).toMatchObject({ takers: [{ hat: 'one' }, { hat: 'two' }], others: [] });
  });

  it('follows what may come of it, each hat once, as deep as it is told', () => {
    const hops = trace({ topic: 'task.start', depth: 9 }).next.map((hop) => [hop.depth, hop.hat]);
    expect(hops).toEqual([
      [1, 'planner'],
      [2, 'builder'],
      [3, 'reviewer'],
      [3, 'watcher'],
    ]);
    expect(trace({ topic: 'task.start', depth: 1 }).next).toHaveLength(1);
  });

  it('tells the gates that are run first, and who gets the blocked event', () => {
    const gates = [makeGate(['build.done'], 'npm test'), makeGate(['task.complete'], 'npm run lint')];
    expect(trace({ topic: 'build.done' }, { gates })).toMatchObject({
      gates: ['npm test'],
      blocked: { topic: 'build.blocked', to: ['planner'] },
    });
    const hats = HATS.slice(0, 2);
    expect(trace({ topic: 'ship.done', from: 'builder' }, { hats, gates: [makeGate(['ship.*'])] }).blocked).toEqual({
      topic: 'ship.blocked',
      to: ['builder'],
    });
    expect(trace({ topic: 'LOOP_COMPLETE' }, { gates })).toMatchObject({ gates: ['npm test', 'npm run lint'], outcome: 'completes' });
  });

  it('names the events that a completion needs', () => {
    expect(trace({ topic: 'task.complete' }, { requiredEvents: ['build.done'] }).requires).toEqual(['build.done']);
    expect(trace({ topic: 'build.done' }, { requiredEvents: ['build.done'] }).requires).toEqual([]);
  });

  it('refuses what the author may not publish', () => {
    expect(trace({ topic: 'build.done', from: 'reviewer' })).toMatchObject({ outcome: 'refused', takers: [], next: [] });
    expect(trace({ topic: 'LOOP_COMPLETE', from: 'builder' }).outcome).toBe('refused');
    expect(trace({ topic: 'LOOP_COMPLETE', from: 'planner' }).outcome).toBe('completes');
  });

  it('follows a target that the author lists', () => {
    expect(trace({ topic: 'note.taken', from: 'reviewer' }).takers).toEqual([{ hat: 'planner', trigger: null, why: 'target' }]);
  });

  it('follows the targets of all who may publish it where no author is named', () => {
    const hats = [
      makeHat('a', ['task.start', 'task.resume'], [{ topic: 'b.go', target: 'b' }]),
      makeHat('b', ['x']),
      makeHat('c', ['c.go'], ['b.go']),
    ];
    const target = { hat: 'b', trigger: null, why: 'target' };
    expect(trace({ topic: 'b.go' }, { hats: hats.slice(0, 2) })).toMatchObject({ outcome: 'taken', takers: [target] });
    expect(trace({ topic: 'b.go' }, { hats }).takers).toEqual([target, { hat: 'ralph', trigger: null, why: 'net' }]);
    expect(trace({ topic: 'b.go', from: 'c' }, { hats }).outcome).toBe('safety-net');
  });

  it('gives the event that begins the run to the hat that begins, where no hat takes it', () => {
    const parts = { startingEvent: 'kick.off', startingHat: 'builder' };
    const hats = HATS.slice(0, 3);
    expect(trace({ topic: 'kick.off' }, { hats, ...parts })).toMatchObject({
      outcome: 'taken',
      takers: [{ hat: 'builder', trigger: null, why: 'entry' }],
      next: [{ depth: 1, hat: 'builder' }],
    });
    expect(trace({ topic: 'kick.off', from: 'ralph' }, { hats, ...parts }).takers).toEqual([]);
  });

  it('tells where an event goes that no hat takes', () => {
    const hats = HATS.slice(0, 3);
    expect(trace({ topic: 'ship.done' }, { hats })).toMatchObject({ outcome: 'safety-net', takers: [{ hat: 'ralph', why: 'net' }] });
    expect(trace({ topic: 'ship.done' }, { hats, terminalEvents: ['ship.done'] })).toMatchObject({ outcome: 'terminal', takers: [] });
    expect(trace({ topic: 'odd.one' }, { hats }).publishers).toEqual([]);
  });
});
