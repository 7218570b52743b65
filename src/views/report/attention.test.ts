import { describe, expect, it } from 'vitest';
import type { Question } from '../../core/run/turn.ts';
import {
  completedRun,
  createScript,
  failedWith,
  limitedRun,
  type RunScript,
  retryingRun,
  START,
  sampleSpec,
  sampleUsage,
} from '../fixtures.ts';
import { createLiveFold } from '../fold/fold-live-view.ts';
import { foldRunView } from '../fold/fold-run-view.ts';
import { ATTENTION_STATES, listAttention, toAttention, toAttentionText } from './attention.ts';
import type { StatusFacts } from './running-report.ts';

function attend({ records }: RunScript, facts: Partial<StatusFacts> & { readonly laterMs?: number } = {}) {
  const view = foldRunView(records);
  return toAttention(view, { isAlive: true, now: view.at + (facts.laterMs ?? 0), ...facts });
}

function working(): RunScript {
  const script = createScript();
  script.publish('task.start', 'system', ['planner']);
  script.startTurn('planner', 1);
  return script;
}

function ask(script: RunScript, id = 'q1'): void {
  const question: Question = {
    id,
    hat: 'planner',
    iteration: 1,
    attempt: 1,
    key: id,
    purpose: 'question',
    text: 'Drop the table?',
    choices: ['yes', 'no'],
    default: 'no',
    dueAt: 0,
    askedAt: 77,
  };
  script.effect({ type: 'question-open', question });
}

function judge(script: RunScript, request: number, passed: boolean, outputTail = ''): void {
  script.effect({ type: 'gates-run', request, gates: [0], topics: ['build.done'] });
  const result = { gate: 0, command: 'node --test', passed, exitCode: 1, timedOut: false, durationMs: 1, outputTail };
  script.input({ type: 'gates-finished', request, results: [result] });
}

describe('what a run needs of its person', () => {
  it('is nothing while somebody works, which says who', () => {
    expect(attend(working())).toMatchObject({ state: 'working', evidence: 'planner works in turn 1.' });
    expect(attend(working()).action).toBe('Watch it with `ralph show --follow`.');
  });

  it('is a look at the file of a hook that an agent changed, until that hook was asked again and had its file', () => {
    const hook = { name: 'guard.mjs', event: 'PreToolUse', decision: 'deny', reason: '', ms: 1, preview: '', tool: 'bash' } as const;
    const script = working();
    script.endTurn(1, { hooks: { counts: [], runs: [{ ...hook, error: 'was changed', isFileChanged: true }] } });
    expect(attend(script)).toMatchObject({
      state: 'needs_you',
      evidence: expect.stringMatching(/^The file of the hook guard\.mjs was changed/),
    });
    expect(attend(script).action).toContain('--accept-changes');
    script.startTurn('planner', 2);
    expect(attend(script).state).toBe('needs_you');
    script.endTurn(2, {
      hooks: { counts: [{ name: 'other', decision: 'allow', count: 3 }], runs: [{ ...hook, name: 'one more', error: null }] },
    });
    expect(attend(script).state).toBe('needs_you');
    script.startTurn('planner', 3);
    script.endTurn(3, { hooks: { counts: [{ name: 'guard.mjs', decision: 'allow', count: 1 }], runs: [] } });
    expect(attend(script).state).not.toBe('needs_you');
  });

  it('is that a turn waits for a worker, and since when, until one has begun it', () => {
    const fleet = 'nats://10.0.0.5:4222';
    const script = createScript();
    script.publish('task.start', 'system', ['planner']);
    script.startTurn('planner', 1, { worker: null });
    const live = createLiveFold(() => START);
    for (const record of script.records) live.take(record);
    const started = foldRunView(script.records).turns[0]?.startedAt ?? 0;
    expect(attend(script, { fleet, laterMs: 3_000_000, live: live.view() })).toEqual({
      state: 'working',
      evidence: 'Iteration 1 (planner) waits for a worker of the fleet, for 50 min 00 s: none has begun.',
      since: started,
      action: 'See which workers there are with `ralph fleet`.',
    });
    expect(attend(script, { laterMs: 1000 }).evidence).toBe('planner works in turn 1.');
    const begun = createScript();
    begun.startTurn('planner', 1, { worker: 'w1' });
    expect(attend(begun, { fleet }).evidence).toBe('planner works in turn 1.');
    begun.startTurn('builder', 2, { worker: null });
    expect(attend(begun, { fleet }).evidence).toMatch(
      /^Iteration 2 \(builder\) waits for a worker .*: none has begun\. 1 at work meanwhile\.$/,
    );
  });

  it('is an answer while a question is open, with the command for it, and no longer once it is closed', () => {
    const script = working();
    ask(script);
    expect(attend(script)).toEqual({
      state: 'needs_you',
      evidence: 'planner asks: Drop the table?',
      since: 77,
      action: 'Answer with `ralph answer q1 yes|no`.',
    });
    ask(script, 'q2');
    expect(attend(script).evidence).toBe('planner asks (and 1 more): Drop the table?');
    for (const id of ['q1', 'q2'])
      script.effect({ type: 'question-close', id, key: id, iteration: 1, attempt: 1, choice: 'yes', by: 'person' });
    expect(attend(script).state).toBe('working');
  });

  it('is to go on with a run whose process is gone, by its id where another run is newer', () => {
    expect(attend(working(), { isAlive: false })).toMatchObject({ state: 'needs_you', action: 'Go on with `ralph resume`.' });
    expect(attend(working(), { isAlive: false, isNewest: false }).action).toMatch(/`ralph resume 2026\d+-\w+-\w+`/);
  });

  it('is what a parked run waits for that no other try brings about', () => {
    const script = working();
    script.endTurn(1, { outcome: failedWith('not signed in', 'auth') });
    script.effect({ type: 'run-end', reason: 'parked', detail: 'planner cannot work', attention: 'sign in with `claude`' });
    expect(attend(script)).toMatchObject({ state: 'needs_you', evidence: 'sign in with `claude`.' });
  });

  it('calls an agent stuck that has been silent for half of the time that it may be', () => {
    const script = working();
    const { at } = foldRunView(script.records);
    const fold = createLiveFold(() => at);
    for (const record of script.records) fold.take(record);
    const live = fold.view();
    const idleMs = live.turn?.idleTimeoutMs ?? 0;
    expect(idleMs).toBeGreaterThan(0);
    const start = live.turn?.startedAt ?? 0;
    expect(attend(script, { live, now: start + idleMs / 2 }).state).toBe('working');
    expect(attend(script, { live, now: start + idleMs / 2 + 1 })).toMatchObject({ state: 'stuck', since: start });
  });

  it('calls no agent stuck or at work that waits for an answer: its clock stands', () => {
    const script = working();
    ask(script);
    const { at } = foldRunView(script.records);
    const fold = createLiveFold(() => at);
    for (const record of script.records) fold.take(record);
    const live = fold.view();
    const view = foldRunView(script.records);
    const late = { isAlive: true, now: at + 10 * (live.turn?.idleTimeoutMs ?? 0), live };
    expect(listAttention(view, late).map(({ state }) => state)).toEqual(['needs_you']);
  });

  it('calls a run stuck whose last three turns failed, and not one that a rate limit holds up', () => {
    const fail = (kind: 'agent' | 'transient'): RunScript => {
      const script = createScript();
      for (const number of [1, 2, 3]) {
        script.startTurn('planner', number);
        script.endTurn(number, { outcome: failedWith('it broke', kind) });
      }
      return script;
    };
    expect(attend(fail('agent'))).toMatchObject({ state: 'stuck', evidence: 'The last 3 turns failed: it broke.' });
    expect(attend(fail('transient')).state).toBe('working');
  });

  it('calls a run stuck whose gate was given to somebody to resolve, until the gate passes', () => {
    const script = working();
    judge(script, 1, false);
    script.effect({
      type: 'notice',
      level: 'warning',
      code: 'gate-stuck',
      text: 'node --test failed three times: ralph is asked to resolve it',
    });
    expect(attend(script)).toMatchObject({ state: 'stuck', evidence: 'node --test failed three times: ralph is asked to resolve it.' });
    judge(script, 2, true);
    expect(attend(script).state).toBe('working');
  });

  it('tells of a required gate whose last result is red, since it turned red', () => {
    const script = working();
    judge(script, 1, true);
    judge(script, 2, false);
    const { at } = foldRunView(script.records);
    judge(script, 3, false);
    expect(attend(script)).toMatchObject({
      state: 'gate_red',
      evidence: 'node --test failed 2 times in a row, last after turn 1.',
      since: at,
    });
    judge(script, 4, true);
    expect(attend(script).state).toBe('working');
  });

  it('says that a gate is red for the same reason again and again, by what the lines that tell it have in common', () => {
    const script = working();
    const redden = (request: number, ...lines: readonly string[]): void => judge(script, request, false, lines.join('\n'));
    redden(1, 'not ok 1 - rounds prices (3.1ms)', 'not ok 2 - refuses a used token (1.2ms)', '# fail 2');
    expect(attend(script).evidence).toBe('node --test failed after turn 1.');
    redden(2, 'ok 1 - rounds prices', 'not ok 2 - refuses a used token (0.9ms)', '# fail 1');
    expect(attend(script).evidence).toBe('node --test failed 2 times in a row, last after turn 1, each time with "refuses a used token".');
    redden(3, 'not ok 1 - rounds prices (3.1ms)', 'ok 2 - refuses a used token');
    expect(attend(script).evidence).toBe('node --test failed 3 times in a row, last after turn 1.');
    judge(script, 4, true);
    redden(5, 'not ok 2 - refuses a used token');
    expect(attend(script).evidence).toBe('node --test failed after turn 1.');
  });

  it.each([
    ['in the midst of', true],
    ['after', false],
  ])('names who stopped it, and that it was %s a turn', (where, isCutOff) => {
    const script = working();
    script.input({ type: 'stop-requested', how: isCutOff ? 'interrupt' : 'after-iteration', by: 'ralph stop (ann)' });
    script.endTurn(1, isCutOff ? { outcome: { status: 'interrupted' }, exitCode: null } : {});
    script.effect({ type: 'run-end', reason: 'interrupted', detail: 'stopped by ralph stop (ann)' });
    expect(attend(script, { isAlive: false })).toMatchObject({ state: 'done', evidence: `Stopped by ralph stop (ann) ${where} turn 1.` });
  });

  it('lets a gate be red that is not required', () => {
    const [gate] = sampleSpec().gates;
    const script = createScript(sampleSpec({ gates: gate === undefined ? [] : [{ ...gate, required: false }] }));
    script.startTurn('planner', 1);
    judge(script, 1, false);
    expect(attend(script).state).toBe('working');
  });

  it.each([
    [{ maxIterations: 5 }, 'turns are used'],
    [{ maxIterations: 50, maxCostUsd: 0.1 }, 'are spent'],
    [{ maxIterations: 50, maxRuntimeMs: 220_000 }, 'have passed'],
  ])('tells at four fifths of a limit that it is near: %j', (limits, words) => {
    const script = createScript(sampleSpec({ limits: { ...sampleSpec().limits, ...limits } }));
    for (const number of [1, 2, 3]) {
      script.startTurn('planner', number);
      script.endTurn(number, { usage: sampleUsage(0.02) });
    }
    expect(attend(script).state).toBe('working');
    script.startTurn('planner', 4);
    script.endTurn(4, { usage: sampleUsage(0.02) });
    expect(attend(script)).toMatchObject({ state: 'limit_near', evidence: expect.stringContaining(words) });
  });

  it('is done at every other end, with what can be done next', () => {
    expect(attend(completedRun(), { isAlive: false })).toMatchObject({ state: 'done', action: 'Look at the work: `ralph review`.' });
    expect(attend(limitedRun(), { isAlive: false })).toMatchObject({
      state: 'done',
      action: 'Go on with `ralph resume --max-iterations +10`.',
    });
  });

  it('puts the most urgent first: an open question hides a red gate, and that a limit that is near', () => {
    const script = createScript(sampleSpec({ limits: { ...sampleSpec().limits, maxIterations: 1 } }));
    script.startTurn('planner', 1);
    script.endTurn(1);
    expect(attend(script).state).toBe('limit_near');
    judge(script, 1, false);
    expect(attend(script).state).toBe('gate_red');
    ask(script);
    expect(attend(script).state).toBe('needs_you');
  });

  it('is one of the states with a sentence at every moment of a run', () => {
    for (const script of [completedRun(), limitedRun(), retryingRun()])
      for (let length = 1; length <= script.records.length; length += 1)
        for (const isAlive of [true, false]) {
          const attention = toAttention(foldRunView(script.records.slice(0, length)), { isAlive, now: Date.now() });
          expect(ATTENTION_STATES).toContain(attention.state);
          expect(attention.evidence).toMatch(/^[^\n]+[.!?…]$/);
          expect(toAttentionText(attention)).toMatch(/^[a-z ]+: /);
        }
  });
});
