import { describe, expect, it } from 'vitest';
import type { Effect } from '../core/run/effects.ts';
import type { RunRecord } from '../core/run/run-record.ts';
import type { Question } from '../core/run/turn.ts';
import { createLifeWatch, type LifeMoment } from './life-moments.ts';

const NONE = { backend: 0, events: [], feedback: [], fallback: null, timeoutMs: 0, idleTimeoutMs: 0 } as const;

function effect(effect: Effect, at = 5): RunRecord {
  return { kind: 'effect', seq: 1, at, effect };
}

function startTurn(iteration: number, hat: string): readonly RunRecord[] {
  return [
    effect({ type: 'iteration-start', iteration, attempt: 1, hat, ...NONE }),
    {
      kind: 'input',
      seq: 1,
      input: {
        ...{ type: 'iteration-spawned', at: 7, iteration, attempt: 1, pid: 1, processStart: null },
        ...{ backend: 'claude', argv: [], promptHash: '', promptTokens: 0 },
      },
    },
  ];
}

function endTurn(iteration: number): RunRecord {
  return {
    kind: 'input',
    seq: 2,
    input: {
      ...{ type: 'iteration-ended', at: 9, iteration, attempt: 1, outcome: { status: 'interrupted' }, exitCode: null, durationMs: 0 },
      ...{
        producedOutput: false,
        usage: { inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null, costUsd: null },
      },
      ...{ sessionId: null, finalText: '', toolCalls: null, treeChanged: null, leftovers: 0, signals: [], problems: [], inboxOffset: 0 },
    },
  };
}

function watch(records: readonly RunRecord[], running: Parameters<typeof createLifeWatch>[0] = []): readonly LifeMoment[] {
  const life = createLifeWatch(running);
  return records.flatMap(life.take);
}

describe('the moments of a run', () => {
  it('are its turns by their hat, and a change of the hat only where another one worked before', () => {
    const told = watch([...startTurn(1, 'builder'), endTurn(1), ...startTurn(2, 'builder'), endTurn(2), ...startTurn(3, 'critic')]);
    expect(told.map(({ event, hat, turn, from, to }) => [event, hat, turn, from, to])).toEqual([
      ['TurnStart', 'builder', '1.1', undefined, undefined],
      ['TurnEnd', 'builder', '1.1', undefined, undefined],
      ['TurnStart', 'builder', '2.1', undefined, undefined],
      ['TurnEnd', 'builder', '2.1', undefined, undefined],
      ['HatChange', 'critic', '3.1', 'builder', 'critic'],
      ['TurnStart', 'critic', '3.1', undefined, undefined],
    ]);
  });

  it('know the hat of a turn that another process had begun', () => {
    expect(watch([endTurn(4)], [{ iteration: 4, attempt: 1, hat: 'builder' }])).toMatchObject([
      { event: 'TurnEnd', hat: 'builder', turn: '4.1', reason: 'interrupted' },
    ]);
  });

  it('are that a run needs its person: for an answer, while it is parked, and at an end that only a person can lift', () => {
    const question: Question = {
      ...{ id: 'q1', key: 'k', hat: 'builder', iteration: 1, attempt: 1, text: 'Now?' },
      ...{ choices: ['yes', 'no'], default: 'no', dueAt: 0, askedAt: 0 },
      purpose: 'question',
    };
    const told = watch([
      effect({ type: 'question-open', question }),
      effect({ type: 'notice', level: 'info', code: 'x', text: 'nothing of it' }),
      effect({ type: 'timer-set', timer: 1, dueAt: 9, purpose: 'limit' }),
      effect({ type: 'notice', level: 'warning', code: 'usage-limit', text: 'until five' }),
      effect({ type: 'run-end', reason: 'parked', detail: 'cannot work', attention: 'sign in' }),
    ]);
    expect(told.map(({ event, reason, detail, question: asked }) => [event, reason, detail, asked?.id])).toEqual([
      ['NeedsYou', 'question', undefined, 'q1'],
      ['NeedsYou', 'parked', 'until five', undefined],
      ['NeedsYou', 'ended', 'sign in', undefined],
      ['RunEnd', 'parked', 'cannot work', undefined],
    ]);
    expect(watch([effect({ type: 'run-end', reason: 'completed', detail: '' })]).map(({ event }) => event)).toEqual(['RunEnd']);
  });
});
