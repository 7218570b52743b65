import { describe, expect, it } from 'vitest';
import type { GateSpec } from '../core/gates/gate-spec.ts';
import type { Effect } from '../core/run/effects.ts';
import type { Input } from '../core/run/inputs.ts';
import type { RunRecord } from '../core/run/run-record.ts';
import type { RunSpec } from '../core/run/run-spec.ts';
import { makeSpec } from '../core/spec-fixtures.ts';
import { createNewsWatch, type RunNews } from './watch-news.ts';

const GATE: GateSpec = { on: ['task.complete'], run: 'npm test', timeoutMs: 1000 };
const USAGE = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

function input(input: Input): RunRecord {
  return { kind: 'input', seq: input.at, input };
}

function effect(effect: Effect, at = 1): RunRecord {
  return { kind: 'effect', seq: at, at, effect };
}

function start(spec: RunSpec): RunRecord {
  return input({ type: 'run-started', at: 0, runId: 'r', spec, flags: [], inboxOffset: 0 });
}

function endTurn(iteration: number, at: number, costUsd: number, status: 'succeeded' | 'interrupted' = 'succeeded'): RunRecord {
  return input({
    ...{ type: 'iteration-ended', at, iteration, attempt: 1, outcome: { status }, exitCode: 0, durationMs: 1, producedOutput: true },
    ...{ usage: { ...USAGE, costUsd }, sessionId: null, finalText: '', toolCalls: null, treeChanged: null, leftovers: 0 },
    ...{ signals: [], problems: [], inboxOffset: 0 },
  });
}

function judge(at: number, passed: boolean): RunRecord {
  const result = { gate: 0, command: 'npm test', passed, exitCode: 1, timedOut: false, durationMs: 1, outputTail: '' };
  return input({ type: 'gates-finished', at, request: at, results: [result] });
}

function watch(records: readonly RunRecord[], gates: readonly GateSpec[] = []): readonly RunNews[] {
  const told: RunNews[] = [];
  const take = createNewsWatch(null, gates, (news) => void told.push(news));
  for (const record of records) take(record);
  return told;
}

function withLimits(limits: Partial<RunSpec['limits']>): RunSpec {
  const spec = makeSpec({});
  return { ...spec, limits: { ...spec.limits, maxIterations: 100, maxRuntimeMs: 1e9, maxCostUsd: null, ...limits } };
}

describe('news of a run', () => {
  it('tell of each open question once, with what answers it', () => {
    const question = {
      ...{ key: 'k', hat: 'builder', iteration: 1, attempt: 1, text: 'Now?', choices: ['yes', 'no'], default: 'no', dueAt: 0, askedAt: 0 },
      purpose: 'question' as const,
    };
    const ask = (id: string): RunRecord => effect({ type: 'question-open', question: { ...question, id } });
    expect(watch([ask('q1'), ask('q1'), ask('q2')]).map(({ event, detail, attention }) => [event, detail, attention])).toEqual([
      ['needs_you', 'builder asks: Now?', 'answer with `ralph answer q1 yes|no`'],
      ['needs_you', 'builder asks: Now?', 'answer with `ralph answer q2 yes|no`'],
    ]);
  });

  it('tell of each time that a run is parked, with what it cost so far', () => {
    const park = [
      effect({ type: 'timer-set', timer: 1, dueAt: 9, purpose: 'limit' }, 3),
      effect({ type: 'notice', level: 'warning', code: 'usage-limit', text: 'until five' }, 3),
      effect({ type: 'notice', level: 'info', code: 'x', text: 'something else' }, 4),
    ];
    expect(watch([start(withLimits({})), endTurn(1, 2, 0.5), ...park])).toEqual([
      { id: 'parked:3', event: 'parked', detail: 'until five', costUsd: 0.5 },
    ]);
  });

  it('tell of a required gate that is red three times in a row, once, until it has passed', () => {
    const gates = [GATE];
    const results = [false, false, true, false, false, false, false, true, false, false, false];
    const records = results.map((passed, index) => judge(index + 1, passed));
    expect(watch(records, gates).map(({ id, detail }) => [id, detail])).toEqual([
      ['gate_red:0:6', 'npm test failed 3 times in a row.'],
      ['gate_red:0:11', 'npm test failed 3 times in a row.'],
    ]);
    expect(watch(records, [{ ...GATE, required: false }])).toEqual([]);
  });

  it.each([
    [{ maxIterations: 5 }, 'near_limit:iterations:5'],
    [{ maxCostUsd: 0.5 }, 'near_limit:cost:0.5'],
    [{ maxRuntimeMs: 50 }, 'near_limit:runtime:50'],
  ])('tell once that four fifths of a limit are used: %j', (limits, id) => {
    const turns = [1, 2, 3, 4, 5].map((iteration) => endTurn(iteration, iteration * 10, 0.1));
    const records = [start(withLimits(limits)), ...turns];
    expect(watch(records.slice(0, 4))).toEqual([]);
    expect(watch(records).map((news) => news.id)).toEqual([id]);
  });

  it('count no interrupted turn, and not the time while a run is parked', () => {
    const park = [
      effect({ type: 'timer-set', timer: 1, dueAt: 9, purpose: 'limit' }, 10),
      effect({ type: 'notice', level: 'warning', code: 'usage-limit', text: 'until five' }, 10),
      input({ type: 'timer-fired', at: 900, timer: 1 }),
    ];
    const told = watch([start(withLimits({ maxIterations: 1, maxRuntimeMs: 100 })), endTurn(1, 5, 0, 'interrupted'), ...park]);
    expect(told.map(({ event }) => event)).toEqual(['parked']);
  });
});
