import { describe, expect, it } from 'vitest';
import { makeGate, makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import { checkBlockedEvents } from './check-blocked-events.ts';
import { checkGateTopics } from './check-gate-topics.ts';
import { checkSameInstructions } from './check-same-instructions.ts';
import { checkWaysOn } from './check-ways-on.ts';
import { askRule } from './rule-fixtures.ts';

function check(rule: FlowRule, spec: Parameters<typeof makeSpec>[0]) {
  return askRule(rule, makeSpec(spec));
}

function messagesOf(rule: FlowRule, spec: Parameters<typeof makeSpec>[0]): readonly string[] {
  return check(rule, spec).map((finding) => finding.message);
}

const PLANNER = makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.task']);

describe('blocked-without-recovery', () => {
  const builder = makeHat('builder', ['build.task'], ['build.done', 'build.blocked']);
  const resolver = makeHat('resolver', ['build.blocked'], ['build.done']);

  it('hints at a blocked event that only another hat takes, with its trigger', () => {
    expect(check(checkBlockedEvents, { hats: [PLANNER, builder, resolver] })).toMatchObject([
      {
        code: 'blocked-without-recovery',
        severity: 'hint',
        message: "'build.blocked' goes to 'resolver', not to the recovery hat 'planner'.",
        at: { kind: 'hat-item', hat: 'builder', list: 'publishes', item: 'build.blocked' },
        hats: ['builder', 'resolver'],
        topics: ['build.blocked'],
        related: [{ at: { hat: 'resolver', list: 'triggers', item: 'build.blocked' } }],
      },
    ]);
  });

  it('is silent where the recovery hat takes it, where nobody does, and where Ralph coordinates', () => {
    const planner = makeHat('planner', ['task.start', 'task.resume', '*.blocked'], ['build.task']);
    expect(messagesOf(checkBlockedEvents, { hats: [planner, builder] })).toEqual([]);
    expect(messagesOf(checkBlockedEvents, { hats: [PLANNER, builder] })).toEqual([]);
    expect(messagesOf(checkBlockedEvents, { hats: [PLANNER, builder, resolver], coordinator: 'ralph' })).toEqual([]);
    expect(
      messagesOf(checkBlockedEvents, { hats: [PLANNER, builder, resolver], terminalEvents: ['build.blocked'], recoveryHat: 'resolver' }),
    ).toEqual([]);
  });

  it('tells a topic of several hats once', () => {
    const other = makeHat('tester', ['test.task'], ['build.blocked']);
    expect(check(checkBlockedEvents, { hats: [PLANNER, builder, other, resolver] })[0]?.hats).toEqual(['builder', 'tester', 'resolver']);
  });
});

describe('hat-no-way-on', () => {
  it('warns of a hat of a team that neither publishes nor may end', () => {
    expect(check(checkWaysOn, { hats: [PLANNER, makeHat('builder', ['build.task'])] })).toMatchObject([
      { code: 'hat-no-way-on', severity: 'warning', at: { kind: 'hat', hat: 'builder' }, hats: ['builder'] },
    ]);
  });

  it('is silent about a lone hat, the recovery hat, hats that call others, and under Ralph', () => {
    expect(messagesOf(checkWaysOn, { hats: [makeHat('worker', ['task.start'])] })).toEqual([]);
    expect(messagesOf(checkWaysOn, { hats: [makeHat('planner', ['task.start']), makeHat('builder', ['x'], ['y'])] })).toEqual([]);
    expect(messagesOf(checkWaysOn, { hats: [PLANNER, makeHat('builder', ['build.task'], [], { transitions: ['planner'] })] })).toEqual([]);
    expect(messagesOf(checkWaysOn, { hats: [makeHat('a', ['x']), makeHat('b', ['y'])] })).toEqual([]);
  });
});

describe('instructions-same', () => {
  it('warns of hats that are told the same but for white space, once for each text', () => {
    const hats = [
      makeHat('a', ['x'], [], { instructions: 'Review it.\n  Be strict.' }),
      makeHat('b', ['y'], [], { instructions: 'Review it.\nBe strict.\n' }),
      makeHat('c', ['z'], [], { instructions: 'Review it. Be strict.' }),
      makeHat('d', ['w'], [], { instructions: 'Review it. Be kind.' }),
    ];
    expect(check(checkSameInstructions, { hats })).toMatchObject([
      {
        code: 'instructions-same',
        severity: 'warning',
        message: "Hats 'a' and 'b' have the same instructions, and so do 1 more.",
        at: { kind: 'hat-words', hat: 'b', words: 'Review it.' },
        hats: ['a', 'b', 'c'],
        related: [{ at: { hat: 'a' } }, { at: { hat: 'c' } }],
      },
    ]);
  });

  it('is silent about hats without instructions', () => {
    expect(messagesOf(checkSameInstructions, { hats: [makeHat('a', ['x']), makeHat('b', ['y'], [], { instructions: '  ' })] })).toEqual([]);
  });
});

describe('gate-unused', () => {
  const builder = makeHat('builder', ['build.task'], ['build.done']);
  const hats = [PLANNER, builder];

  it('warns of a gate on a topic that nobody publishes', () => {
    expect(check(checkGateTopics, { hats, gates: [makeGate(['task.complete']), makeGate(['build.done', 'deploy.done'])] })).toMatchObject([
      { code: 'gate-unused', severity: 'warning', at: { kind: 'gate', index: 1, topic: 'deploy.done' }, topics: ['deploy.done'] },
    ]);
    expect(messagesOf(checkGateTopics, { hats, gates: [makeGate(['deploy.*'])] })).toHaveLength(1);
    // What the loop itself publishes passes no gate.
    expect(messagesOf(checkGateTopics, { hats, gates: [makeGate(['task.start'])] })).toHaveLength(1);
  });

  it('offers what was meant', () => {
    expect(check(checkGateTopics, { hats, gates: [makeGate(['biuld.done'])] })).toMatchObject([
      {
        message: "Nobody publishes 'biuld.done', which this gate guards: did you mean 'build.done'?",
        repairs: [{ isSafe: true, change: { kind: 'replace', text: 'build.done' } }],
      },
    ]);
    expect(check(checkGateTopics, { hats, gates: [makeGate(['task.completed'])] })[0]?.message).toContain("did you mean 'task.complete'");
  });

  it.each(['task.complete', 'LOOP_COMPLETE', 'build.*', '*', '*.done', 'build.done'])('is silent about %s', (on) => {
    expect(messagesOf(checkGateTopics, { hats, gates: [makeGate([on])] })).toEqual([]);
  });

  it('counts what hats publish by patterns and by default', () => {
    const open = makeHat('deployer', ['x'], ['deploy.*'], { defaultPublishes: ['shipped'] });
    expect(messagesOf(checkGateTopics, { hats: [PLANNER, open], gates: [makeGate(['deploy.done']), makeGate(['shipped'])] })).toEqual([]);
  });

  it('knows under Ralph that he publishes what hats take and what the loop waits for', () => {
    const team = [makeHat('builder', ['build.task'], ['build.done'])];
    const gates = [makeGate(['build.task']), makeGate(['a.required']), makeGate(['b.terminal'])];
    expect(messagesOf(checkGateTopics, { hats: team, gates, requiredEvents: ['a.required'], terminalEvents: ['b.terminal'] })).toEqual([]);
    expect(messagesOf(checkGateTopics, { hats: team, gates: [makeGate(['deploy.done'])] })).toHaveLength(1);
  });

  it('says alone only that the completion has another name', () => {
    expect(messagesOf(checkGateTopics, { gates: [makeGate(['build.done'])] })).toEqual([]);
    expect(messagesOf(checkGateTopics, { gates: [makeGate(['task.completed'])] })).toHaveLength(1);
    expect(messagesOf(checkGateTopics, { gates: [makeGate(['LOOP_COMPLETED'])] })).toHaveLength(1);
  });
});
