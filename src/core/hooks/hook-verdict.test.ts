import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../values/json.ts';
import type { HookOutcome } from './hook-spec.ts';
import { judgeHook, readHookAnswer } from './hook-verdict.ts';

const answer = (value: Json) => readHookAnswer(value, 'PreToolUse');
const read = (value: Json) => {
  const result = answer(value);
  return result.ok ? result.value : result.refused;
};

describe('an answer of a hook', () => {
  it('that says nothing allows', () => {
    for (const nothing of [null, {}]) expect(read(nothing)).toEqual({ decision: 'allow', reason: '', injects: [] });
  });

  it('denies by `allowed: false`, whatever else it decides', () => {
    for (const decision of ['allow', 'ask', 'deny']) expect(read({ allowed: false, decision })).toMatchObject({ decision: 'deny' });
    expect(read({ continue: false, stopReason: 'enough' })).toMatchObject({ decision: 'deny', reason: 'enough' });
  });

  it('may be that of a hook for Claude Code or Gemini', () => {
    expect(
      read({
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'ask',
          permissionDecisionReason: 'big',
          updatedInput: { a: 1 },
        },
      }),
    ).toEqual({ decision: 'ask', reason: 'big', updatedInput: { a: 1 }, injects: [] });
    expect(read({ decision: 'block', hookSpecificOutput: { tool_input: { b: 2 } } })).toMatchObject({
      decision: 'deny',
      mergedInput: { b: 2 },
    });
    expect(read({ hookSpecificOutput: { additionalContext: 'note' } })).toMatchObject({
      injects: [{ content: 'note', strategy: 'tool_result' }],
    });
  });

  it('keeps the strategy of each text that it injects, `tool_result` by default', () => {
    expect(
      read({
        inject: { content: 'a' },
        injects: [{ content: 'b', strategy: 'user_message' }, { content: ' ' }, { content: 'c', strategy: 'system_message' }],
      }),
    ).toMatchObject({
      injects: [
        { content: 'a', strategy: 'tool_result' },
        { content: 'b', strategy: 'user_message' },
        { content: 'c', strategy: 'system_message' },
      ],
    });
  });

  it('that cannot be understood is no allow', () => {
    expect(read('yes')).toBe('it answered with something else than a JSON object');
    expect(read({ decision: 'maybe' })).toBe('"maybe" is no decision: allow, deny or ask');
    expect(read({ allowed: 'no' })).toBe('`allowed` is neither true nor false');
    expect(read({ updated_input: 'x' })).toBe('`updated_input` is no object');
    expect(read({ inject: 'x' })).toBe('`inject` has no text `content`');
    expect(read({ hookSpecificOutput: { hookEventName: 'PostToolUse' } })).toBe('its answer is for PostToolUse, and this is PreToolUse');
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void answer(value as Json)));
  });
});

describe('an outcome of a hook', () => {
  const judge = (outcome: HookOutcome, isFailClosed = false) => {
    const { verdict, error } = judgeHook({ event: 'PreToolUse', timeoutMs: 30_000, isFailClosed }, outcome);
    return [verdict.decision, verdict.reason, error];
  };

  it('denies by exit code 2, with its own reason before what it printed as an error', () => {
    expect(judge({ kind: 'denied', reason: 'on stderr', answer: { decision: 'allow' } })).toEqual(['deny', 'on stderr', null]);
    expect(judge({ kind: 'denied', reason: 'on stderr', answer: { reason: 'own' } })).toEqual(['deny', 'own', null]);
  });

  it('of one that cannot be started denies', () => {
    expect(judge({ kind: 'not-started', problem: 'it is not there' })).toEqual(['deny', 'it is not there', 'it is not there']);
  });

  it('of one that fails or is late allows, and denies where the hook is to fail closed', () => {
    const late = 'it gave no answer within 30 s';
    expect(judge({ kind: 'timed-out', answer: null })).toEqual(['allow', '', late]);
    expect(judge({ kind: 'timed-out', answer: null }, true)).toEqual(['deny', late, late]);
    expect(judge({ kind: 'failed', problem: 'exit code 1', answer: null })).toEqual(['allow', '', 'exit code 1']);
    expect(judge({ kind: 'failed', problem: 'exit code 1', answer: null }, true)).toEqual(['deny', 'exit code 1', 'exit code 1']);
    expect(judge({ kind: 'answered', answer: { decision: 'perhaps' } }, true)[0]).toBe('deny');
  });

  it('keeps a denial that was printed before the failure', () => {
    expect(judge({ kind: 'failed', problem: 'exit code 1', answer: { decision: 'deny', reason: 'no' } })).toEqual([
      'deny',
      'no',
      'exit code 1',
    ]);
  });

  it('keeps a denial that was printed before the time was over', () => {
    const answer = { decision: 'deny', reason: 'no' };
    expect(judge({ kind: 'timed-out', answer })).toEqual(['deny', 'no', 'it gave no answer within 30 s']);
  });

  it('keeps a denial and a question beside what cannot be understood', () => {
    const rests: readonly JsonObject[] = [
      { inject: 'x' },
      { injects: {} },
      { updated_input: 'x' },
      { hookSpecificOutput: 'x' },
      { hookSpecificOutput: { hookEventName: 'PostToolUse' } },
      { hookSpecificOutput: { permissionDecision: 'defer' } },
      { permissionDecision: 3 },
    ];
    for (const rest of rests)
      for (const decision of ['deny', 'ask'])
        expect(judge({ kind: 'answered', answer: { decision, reason: 'no', ...rest } })).toEqual([decision, 'no', expect.any(String)]);
    expect(judge({ kind: 'answered', answer: { allowed: 'no', decision: 'deny' } })[0]).toBe('deny');
    expect(judge({ kind: 'answered', answer: { allowed: false, inject: 'x' } })[0]).toBe('deny');
  });

  it('leaves nothing to a person where the hook is to fail closed and failed', () => {
    expect(judge({ kind: 'failed', problem: 'exit code 1', answer: { decision: 'ask' } }, true)[0]).toBe('deny');
  });
});
