import { describe, expect, it } from 'vitest';
import { completedRun, createScript, failedWith, limitedRun, retryingRun, START } from '../fixtures.ts';
import { toHookRows } from '../report/turn-details.ts';
import { createRunViewFold, foldRunView } from './fold-run-view.ts';
import { MAX_NOTICES } from './run-view.ts';

describe('foldRunView', () => {
  it('tells each turn: who wore which hat, what came of it, who got its events', () => {
    const view = foldRunView(completedRun().records);
    expect(view.turns.map((turn) => [turn.iteration, turn.hat, turn.backend, turn.status])).toEqual([
      [1, 'planner', 'claude', 'succeeded'],
      [2, 'builder', 'claude', 'succeeded'],
      [3, 'planner', 'claude', 'succeeded'],
      [4, 'builder', 'claude', 'succeeded'],
      [5, 'reviewer', 'claude', 'succeeded'],
      [6, 'planner', 'claude', 'succeeded'],
    ]);
    expect(view.turns[1]).toMatchObject({
      durationMs: 45_000,
      toolCalls: 3,
      sessionId: 's-1',
      promptTokens: 612,
      given: [{ id: 'e2', topic: 'build.task' }],
      published: [],
      blocked: [{ topic: 'build.blocked', original: 'build.done', gates: ['node --test'], to: ['planner'] }],
      refused: [{ topic: 'ship.it', why: 'scope', allowed: ['build.done'] }],
      gates: [{ command: 'node --test', passed: false, iteration: 2, topics: ['build.done'] }],
    });
  });

  it('adds up what was used and keeps apart what nobody knows', () => {
    const { totals } = foldRunView(completedRun().records);
    expect(totals).toMatchObject({ iterations: 6, succeeded: 6, failed: 0, refused: 1, unknownCostTurns: 1 });
    expect(totals.usage.costUsd).toBeCloseTo(0.1);
  });

  it('hands nothing on after the completion: what waited is undelivered', () => {
    const view = foldRunView(completedRun().records);
    expect(view.pending).toEqual([]);
    expect(view.undelivered).toMatchObject([{ topic: 'build.task' }]);
    expect(view.end).toMatchObject({ reason: 'completed' });
    expect(view.status).toBe('ended');
  });

  it('keeps what waits for a resume when a limit ended the run', () => {
    expect(foldRunView(limitedRun().records).pending).toEqual([{ id: 'e3', topic: 'error.cli', hat: 'ralph' }]);
  });

  it('shows the wait for another attempt, and forgets it when the attempt begins', () => {
    const script = retryingRun();
    expect(foldRunView(script.records).waiting).toMatchObject({ purpose: 'retry', dueAt: START + 120_000 });
    script.input({ type: 'timer-fired', timer: 2 });
    script.startTurn('builder', 2, { attempt: 2, events: ['e2'] });
    const view = foldRunView(script.records);
    expect(view.waiting).toBeNull();
    expect(view.turns.map((turn) => `${turn.iteration}.${turn.attempt}`)).toEqual(['1.1', '2.1', '2.2']);
  });

  it('tells what hooks of events and of the completion did, beside what those of tools did in the turn', () => {
    const script = createScript();
    const ran = { reason: '', error: null, ms: 1 } as const;
    const counts = [{ name: 'audit', decision: 'allow', count: 2 }] as const;
    script.startTurn('builder', 1);
    script.endTurn(1, { hooks: { counts, runs: [] } });
    const ask = { type: 'hooks-ask', request: 1, hat: 'builder', iteration: 1 } as const;
    const draft = { payload: '', source: 'builder', publishedBy: 'builder' };
    const drafts = ['build.done', 'build.half'].map((topic) => ({ ...draft, topic }));
    script.effect({ ...ask, event: 'EventPublish', drafts });
    const allowed = { name: 'audit', decision: 'allow', ...ran, hasChanged: true } as const;
    const denied = { name: 'evidence', decision: 'deny', ...ran, reason: 'say which tests ran' } as const;
    const answers = [
      { isDropped: false, reason: '', told: [], runs: [allowed] },
      { isDropped: true, reason: 'evidence: say which tests ran', told: [], runs: [denied] },
    ];
    script.input({ type: 'hooks-answered', request: 1, answers });
    script.effect({ ...ask, request: 2, event: 'CompletionRequested', drafts: [{ ...draft, topic: 'task.complete' }] });
    const last = { name: 'last look', decision: 'allow', ...ran, preview: 'thank you' } as const;
    script.input({ type: 'hooks-answered', request: 2, answers: [{ isDropped: false, reason: '', told: ['thank you'], runs: [last] }] });
    expect(toHookRows(foldRunView(script.records).turns[0]?.hooks ?? null).map(({ text }) => text)).toEqual([
      'audit allow 3, evidence deny 1, last look allow 1',
      'audit changed build.done',
      'evidence said deny to build.half: say which tests ran',
      'last look said after task.complete: thank you',
    ]);
  });

  it('counts no iteration that is to be tried again', () => {
    expect(foldRunView(retryingRun().records).totals.iterations).toBe(1);
  });

  it('counts a second attempt as no iteration of its own', () => {
    const script = retryingRun();
    script.startTurn('builder', 2, { attempt: 2, events: ['e2'] });
    script.endTurn(2, { attempt: 2 });
    expect(foldRunView(script.records).totals).toMatchObject({ iterations: 2, succeeded: 2, failed: 1 });
  });

  it('gives an interrupted turn its events back', () => {
    const script = createScript();
    script.publish('task.start', 'system', ['planner']);
    script.startTurn('planner', 1);
    script.endTurn(1, { outcome: { status: 'interrupted' } });
    script.effect({ type: 'run-end', reason: 'interrupted', detail: 'stopped by Ctrl+C' });
    const view = foldRunView(script.records);
    expect(view.pending).toEqual([{ id: 'e1', topic: 'task.start', hat: 'planner' }]);
    expect(view.totals).toMatchObject({ iterations: 0, interrupted: 1 });
  });

  it('counts the time of a run without the nights between', () => {
    const script = limitedRun();
    const before = foldRunView(script.records).elapsedMs;
    script.wait(8 * 3_600_000);
    script.input({ type: 'run-resumed', limits: { maxIterations: 12 } });
    script.wait(59_000);
    script.startTurn('ralph', 3, { events: ['e3'] });
    const view = foldRunView(script.records);
    expect(view.elapsedMs).toBe(before + 60_000);
    expect(view).toMatchObject({ status: 'running', end: null, resumes: 1, limits: { maxIterations: 12 } });
  });

  it('hands the events of an exhausted hat to Ralph', () => {
    const script = createScript();
    script.publish('build.task', 'ralph', ['builder']);
    script.publish('builder.exhausted', 'system', [], { how: 'record' });
    expect(foldRunView(script.records).pending).toEqual([{ id: 'e1', topic: 'build.task', hat: 'ralph' }]);
  });

  it('counts the tool calls and knows the session of a turn that still runs', () => {
    const script = createScript();
    script.publish('task.start', 'system', ['planner']);
    script.startTurn('planner', 1);
    const live = { kind: 'live', iteration: 1, attempt: 1, hat: 'planner' } as const;
    script.records.push({ ...live, event: { type: 'session', sessionId: 's-9', model: null } });
    script.records.push({ ...live, event: { type: 'tool-start', id: 't1', name: 'Bash', summary: 'ls' } });
    expect(foldRunView(script.records).turns[0]).toMatchObject({ status: 'running', toolCalls: 1, sessionId: 's-9' });
  });

  it('does not change a view that it has given out', () => {
    const fold = createRunViewFold();
    const script = completedRun();
    for (const record of script.records.slice(0, 8)) fold.take(record);
    const early = fold.view();
    const kept = structuredClone(early);
    for (const record of script.records.slice(8)) fold.take(record);
    expect(early).toEqual(kept);
  });

  it('keeps the last notices only, however many there are', () => {
    const script = createScript();
    for (let index = 0; index < MAX_NOTICES + 50; index += 1)
      script.effect({ type: 'notice', level: 'info', code: 'x', text: `n${index}` });
    const { notices } = foldRunView(script.records);
    expect(notices).toHaveLength(MAX_NOTICES);
    expect(notices.at(-1)?.text).toBe(`n${MAX_NOTICES + 49}`);
  });

  it('survives records of turns it has never heard of', () => {
    const script = createScript();
    script.endTurn(7, { outcome: failedWith('odd') });
    script.input({ type: 'gates-finished', request: 9, results: [] });
    expect(foldRunView(script.records).turns).toEqual([]);
  });
});
