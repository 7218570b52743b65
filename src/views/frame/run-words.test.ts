import { describe, expect, it } from 'vitest';
import { createScript, type RunScript, START, sampleSpec, sampleUsage } from '../fixtures.ts';
import { toRunFrame } from './run-frame.ts';
import { createRunHistory } from './run-history.ts';
import { toTimeline } from './timeline.ts';
import { toTurnPage } from './turn-rows.ts';
import type { FrameFacts, RunHistory } from './watched-run.ts';

const NOW: FrameFacts = { isAlive: true, now: START + 3_600_000, live: null };

function historyOf({ records }: RunScript): RunHistory {
  const history = createRunHistory();
  for (const record of records) history.take(record);
  return history;
}

const frameOf = (script: RunScript, facts: Partial<FrameFacts> = {}, seq?: number) =>
  toRunFrame(historyOf(script), { ...NOW, ...facts }, seq);

/** The builder works in turn 2, on build.task. */
function begin(): RunScript {
  const script = createScript(sampleSpec({ limits: { ...sampleSpec().limits, maxIterations: 40, maxCostUsd: 5 } }));
  script.publish('task.start', 'system', ['planner']);
  script.startTurn('planner', 1);
  script.endTurn(1, { usage: sampleUsage(0.02) });
  script.publish('build.task', 'planner', ['builder']);
  script.startTurn('builder', 2);
  return script;
}

function ask(script: RunScript, hat: string, iteration: number): void {
  const text = { text: 'Drop the table?', choices: ['yes', 'no'], default: 'no' };
  const question = {
    id: 'q1',
    key: 'k1',
    purpose: 'question' as const,
    hat,
    iteration,
    attempt: 1,
    askedAt: START,
    dueAt: START + 1,
    ...text,
  };
  script.effect({ type: 'question-open', question });
}

function runGates(script: RunScript, request: number, outputTail: string): void {
  script.effect({ type: 'gates-run', request, gates: [0], topics: ['build.done'] });
  const result = { gate: 0, command: 'node --test', passed: false, exitCode: 1, timedOut: false, durationMs: 5, outputTail };
  script.input({ type: 'gates-finished', request, results: [result] });
}

function end(script: RunScript): void {
  script.effect({ type: 'run-end', reason: 'interrupted', detail: 'stopped by ralph stop (ann)' });
}

describe('the one word for how a run is', () => {
  it('is that it waits for its person, and nobody is said to work, where everything that could work waits for an answer', () => {
    const script = begin();
    expect(frameOf(script)).toMatchObject({ state: 'running', word: 'running' });
    ask(script, 'builder', 2);
    const frame = frameOf(script);
    expect(frame).toMatchObject({ state: 'waiting', word: 'waiting for you' });
    expect(frame.said.map(({ state }) => state)).toEqual(['needs_you']);
    // In the past, too: the question came with the last input.
    expect(frameOf(script, {}, 2).word).toBe('running');
    expect(frameOf(script, { isAlive: false }).word).toBe('died');
  });

  it('is that it runs where one agent asks and another works', () => {
    const script = begin();
    script.startTurn('reviewer', 3);
    ask(script, 'builder', 2);
    expect(frameOf(script)).toMatchObject({ state: 'running', word: 'running' });
    expect(frameOf(script).said.map(({ state }) => state)).toEqual(['needs_you', 'working']);
  });

  it('names how it ended', () => {
    const script = begin();
    script.endTurn(2);
    end(script);
    expect(frameOf(script).word).toBe('ended: interrupted');
  });
});

describe('what is said of a run', () => {
  it('puts a red gate behind what a person must do and who works, without anything to do about it', () => {
    const script = begin();
    script.endTurn(2);
    runGates(script, 1, 'not ok 1 - refuses a used token');
    script.startTurn('builder', 3);
    script.endTurn(3);
    runGates(script, 2, 'not ok 1 - refuses a used token');
    script.startTurn('builder', 4);
    const { said } = frameOf(script);
    expect(said.map(({ state }) => state)).toEqual(['working', 'gate_red']);
    expect(said.at(-1)).toMatchObject({
      evidence: 'node --test failed 2 times in a row, last after turn 3, each time with "refuses a used token".',
      action: '',
    });
    ask(script, 'builder', 4);
    expect(frameOf(script).said.map(({ state }) => state)).toEqual(['needs_you', 'gate_red']);
  });

  it('of its cost names the turns that are not in the sum', () => {
    const script = begin();
    expect(frameOf(script).progress).toMatchObject({ costUsd: 0.02, costNote: ' + turn 2' });
    const turn = {
      iteration: 2,
      attempt: 1,
      hat: 'builder',
      startedAt: START,
      begunAt: START,
      lastOutputAt: null,
      idleTimeoutMs: 0,
      tools: [],
    };
    const live = { turn: { ...turn, usage: sampleUsage(0.01) }, gates: null, wait: null };
    expect(frameOf(script, { live }).progress.costNote).toBe('');
    script.endTurn(2, { usage: sampleUsage(null) });
    expect(frameOf(script).progress.costNote).toBe(', 1 turn unknown');
  });

  it('of its gates says whether their verdict still holds', () => {
    const script = begin();
    script.endTurn(2);
    runGates(script, 1, 'x');
    expect(frameOf(script).evidence[0]?.age).toBe('of the files as they are');
    script.startTurn('builder', 3);
    expect(frameOf(script).evidence[0]?.age).toBe('may be old: files may have changed since turn 2');
    script.endTurn(3, { treeChanged: true });
    expect(frameOf(script).evidence[0]?.age).toBe('was red after turn 2, not run since');
  });

  it('of a question says what became of it', () => {
    const script = begin();
    ask(script, 'builder', 2);
    expect(frameOf(script).questions[0]?.fate).toBe('waits for an answer');
    script.endTurn(2, { outcome: { status: 'interrupted' }, exitCode: null });
    end(script);
    expect(frameOf(script).questions[0]?.fate).toBe('open: an answer counts when the run goes on');
  });
});

describe('who works when a run that is over goes on', () => {
  it('is the hat whose turn was interrupted', () => {
    const script = begin();
    script.endTurn(2, { outcome: { status: 'interrupted' }, exitCode: null });
    end(script);
    expect(frameOf(script).next).toBe('After `ralph resume`: builder works again on build.task.');
  });

  it('is the hat that was at work when its process died', () => {
    expect(frameOf(begin(), { isAlive: false }).next).toBe('After `ralph resume`: builder works again on build.task.');
  });

  it('are first the gates that had not answered; the turn that they are about is stopped, and not passed', () => {
    const script = begin();
    script.endTurn(2);
    script.effect({ type: 'gates-run', request: 1, gates: [0], topics: ['build.done'] });
    expect(toTurnPage(historyOf(script), { from: 1, count: 1 }).rows[0]?.mark).toBe('passed');
    end(script);
    expect(frameOf(script).next).toBe('After `ralph resume`: the gates run on build.done of builder.');
    expect(toTurnPage(historyOf(script), { from: 1, count: 1 }).rows[0]?.mark).toBe('stopped');
    expect(toTimeline(historyOf(script), 100).at(-1)?.mark).toBe('stopped');
    script.input({ type: 'run-resumed' });
    runGates(script, 1, 'x');
    expect(toTurnPage(historyOf(script), { from: 1, count: 1 }).rows[0]?.mark).toBe('red');
  });

  it('is the hat that gets what waits', () => {
    const script = begin();
    script.endTurn(2);
    script.publish('build.done', 'builder', ['reviewer']);
    end(script);
    expect(frameOf(script).next).toBe('After `ralph resume`: reviewer works on build.done.');
  });

  it('is the hat that takes task.resume where nothing waits', () => {
    const script = begin();
    script.endTurn(2);
    end(script);
    expect(frameOf(script).next).toBe('After `ralph resume`: planner works on task.resume.');
  });
});

describe('a turn', () => {
  it('bears the number of its attempt only where there is more than one', () => {
    const script = begin();
    script.endTurn(2, { outcome: { status: 'interrupted' }, exitCode: null });
    script.startTurn('builder', 2, { attempt: 2 });
    expect(toTurnPage(historyOf(script), { from: 0, count: 9 }).rows.map(({ label, mark }) => [label, mark])).toEqual([
      ['1', 'passed'],
      ['2', 'stopped'],
      ['2.2', 'running'],
    ]);
  });
});
