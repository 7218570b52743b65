import { describe, expect, it } from 'vitest';
import type { FlowFinding } from '../../core/schema/finding.ts';
import { makeGate, makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { compileTopology } from '../routing/compile-topology.ts';
import { validateTopology } from '../rules/validate-topology.ts';

type Parts = Parameters<typeof makeSpec>[0];

function check(code: string, parts: Parts): readonly FlowFinding[] {
  return validateTopology(compileTopology(makeSpec(parts))).filter((finding) => finding.code === code);
}

describe('a slip of the pen in what ends the run or needs nobody', () => {
  it('is told under Ralph with what would become of the event', () => {
    const hats = [makeHat('a', ['a.go'], ['task.completed', 'LOOP_COMPLETED', 'deploy.complet'])];
    const found = check('event-near-miss', { hats, coordinator: 'ralph', terminalEvents: ['deploy.complete'] });
    expect(found.map(({ message }) => message)).toEqual([
      "No hat takes 'task.completed', published by 'a': did you mean 'task.complete', which ends the run?",
      "No hat takes 'LOOP_COMPLETED', published by 'a': did you mean 'LOOP_COMPLETE', which ends the run?",
      "No hat takes 'deploy.complet', published by 'a': did you mean 'deploy.complete', which is a terminal event?",
    ]);
    expect(found.flatMap(({ repairs }) => repairs ?? []).every(({ isSafe }) => !isSafe)).toBe(true);
  });

  it('is told under hats at the orphan', () => {
    const hats = [makeHat('a', ['task.start', 'task.resume'], ['task.completed', 'deploy.complet', 'ALL_DONEE', 'LOOP_COMPLETED'])];
    const found = check('event-orphan', { hats, coordinator: 'hats', promise: 'ALL_DONE', terminalEvents: ['deploy.complete'] });
    expect(found.map(({ why }) => /Did you mean .*/.exec(why)?.[0])).toEqual([
      "Did you mean 'task.complete', which ends the run?",
      "Did you mean 'deploy.complete', which is a terminal event?",
      "Did you mean 'ALL_DONE', which ends the run?",
      "Did you mean 'ALL_DONE', which ends the run?",
    ]);
  });
});

describe('a slip of the pen beside a pattern', () => {
  it('is told with the topic that the pattern takes', () => {
    const hats = [makeHat('a', ['review.*', 'a.go'], ['reveiw.request'])];
    const [found] = check('event-near-miss', { hats, coordinator: 'ralph' });
    expect(found?.message).toBe("No hat takes 'reveiw.request', published by 'a': did you mean 'review.request'?");
    expect(found?.repairs).toMatchObject([{ isSafe: false, change: { kind: 'replace', text: 'review.request' } }]);
  });
});

describe('a trigger that waits in vain', () => {
  const planner = makeHat('planner', ['task.start', 'task.resume', 'build.done', 'buid.blocked'], ['build.task']);
  const builder = makeHat('builder', ['build.task'], ['build.done']);

  it.each(['hats', 'ralph'] as const)('is told beside live ones where it is nearly what comes up, under %s', (coordinator) => {
    const found = check('trigger-near-miss', { hats: [planner, builder], coordinator, gates: [makeGate(['build.done'])] });
    expect(found).toMatchObject([
      { severity: 'hint', at: { hat: 'planner', list: 'triggers', item: 'buid.blocked' }, topics: ['buid.blocked', 'build.blocked'] },
    ]);
  });

  it('is told beside what a hat publishes, and not where nothing is near', () => {
    const blocked = makeHat('builder', ['build.task'], ['build.done', 'build.blocked'], {});
    const fixer = makeHat('fixer', ['build.blocked'], ['build.done']);
    const found = check('trigger-near-miss', { hats: [planner, blocked, fixer], coordinator: 'hats' });
    expect(found[0]?.why).toBe("'builder' publishes 'build.blocked'; 'buid.blocked' calls nobody.");
    expect(check('trigger-near-miss', { hats: [planner, builder], coordinator: 'hats' })).toEqual([]);
  });
});

describe('repairs of an orphan that says that something went wrong', () => {
  it('offer the recovery hat first, then to let it be terminal', () => {
    const hats = [makeHat('planner', ['task.start', 'task.resume'], ['build.task']), makeHat('builder', ['build.task'], ['build.failed'])];
    const [found] = check('event-orphan', { hats, coordinator: 'hats' });
    expect(found?.repairs?.map(({ change }) => change)).toEqual([
      { kind: 'add-item', to: { kind: 'hat-list', hat: 'planner', list: 'triggers' }, item: 'build.failed' },
      { kind: 'add-item', to: { kind: 'loop', key: 'terminal_events' }, item: 'build.failed' },
    ]);
  });
});

describe('hat-no-way-on', () => {
  it('is told of a listener too, in words that fit where others go on with the same event', () => {
    const hats = [
      makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.task']),
      makeHat('builder', ['build.task'], ['build.done']),
      makeHat('diary', ['build.done', 'build.task']),
    ];
    expect(check('hat-no-way-on', { hats, coordinator: 'hats' })[0]?.why).toContain("'planner' is called with `task.resume`");
    expect(check('hat-no-way-on', { hats, coordinator: 'hats', routing: 'fanout' })[0]?.why).toContain('nobody learns');
  });

  it('advises topics that are topics, whatever the hat is called', () => {
    const hats = [makeHat('a', ['task.start', 'task.resume'], ['b.go']), makeHat('Планер', ['b.go'])];
    expect(check('hat-no-way-on', { hats, coordinator: 'hats' })[0]?.fix).toContain('publishes: ["work.done"]');
  });
});
