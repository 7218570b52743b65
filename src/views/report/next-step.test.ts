import { expect, it } from 'vitest';
import { createScript, sampleSpec } from '../fixtures.ts';
import { foldRunView } from '../fold/fold-run-view.ts';
import { toNextStep, toPersonNotes } from './next-step.ts';

it('a run that went round is told what to change, and how the detection is switched off', () => {
  const script = createScript();
  script.effect({
    type: 'run-end',
    reason: 'loop_detected',
    detail: 'a published to.a ("x") 3 times in a row, with the same payload each time',
  });
  const view = foldRunView(script.records);
  expect(toPersonNotes(view)).toEqual([
    expect.stringContaining('a topic of its own for being stuck'),
    expect.stringMatching(/event_loop\.loop_detection.*0 switches one off/),
  ]);
  expect(toNextStep(view, true)).toContain('`ralph events --graph --last 12`');
});

it('a run without hats that went round is told how its work is declared complete', () => {
  const script = createScript(sampleSpec({ hats: null, promise: 'ALL_DONE' }));
  script.effect({ type: 'run-end', reason: 'loop_detected', detail: 'ralph published task.continue 3 times in a row' });
  const [first, ...others] = toPersonNotes(foldRunView(script.records));
  expect(first).toMatch(/No completion was declared.*ALL_DONE alone on a line/);
  expect([first, ...others].join(' ')).not.toMatch(/hats|build\.blocked/);
  expect(others).toEqual([expect.stringMatching(/event_loop\.loop_detection.*0 switches one off/)]);
});

it('a run that ended otherwise is told nothing of loops', () => {
  const script = createScript();
  script.effect({ type: 'run-end', reason: 'max_iterations', detail: '' });
  expect(toPersonNotes(foldRunView(script.records))).toEqual([]);
});

it('a run whose completion a gate refused is told what shows the output of that gate', () => {
  const script = createScript();
  script.startTurn('planner', 1);
  script.endTurn(1);
  script.effect({ type: 'run-end', reason: 'gate_refused', detail: '' });
  const view = foldRunView(script.records);
  expect(toNextStep(view, true)).toContain('See the gate’s output: `ralph gates --run`.');
  const evidence = {
    number: 7,
    treeBefore: null,
    tree: null,
    outputHash: 'h',
    isCached: false,
    isFresh: true,
    isCut: false,
    attempts: 1,
    log: '.ralph/runs/r/evidence/7.log',
  };
  const gate = { gate: 0, command: 'npm test', iteration: 1, at: 0, topics: [], outputTail: '', durationMs: 1, timedOut: false };
  const refused = { ...gate, exitCode: 1, passed: false, evidence };
  const passed = { ...gate, exitCode: 0, passed: true, evidence: { ...evidence, number: 8, log: '.ralph/runs/r/evidence/8.log' } };
  const turns = view.turns.map((turn) => ({ ...turn, gates: [refused, passed] }));
  expect(toNextStep({ ...view, turns }, true)).toContain('See the gate’s output: `cat .ralph/runs/r/evidence/7.log`.');
});

it('a run whose completion a hook held back is sent to what the hook said, and to no gate', () => {
  const script = createScript();
  script.startTurn('planner', 1);
  script.endTurn(1);
  script.effect({ type: 'event-reject', id: 'x1', iteration: 1, hat: 'planner', topic: 'task.complete', why: 'hook', allowed: [] });
  script.effect({ type: 'run-end', reason: 'gate_refused', detail: '' });
  expect(toNextStep(foldRunView(script.records), true)).toBe(
    'See what the hooks said: `ralph show`. Do what they ask for, then `ralph resume`; or fix them, then `ralph resume --accept-changes`.',
  );
});

it('a run that ended as its fleet could not be asked is told that a worker may have gone on with it, and how it comes home', () => {
  const stepOf = (detail: string, isNewest = true): string => {
    const script = createScript();
    script.effect({ type: 'run-end', reason: 'storage_failed', detail });
    return toNextStep({ ...foldRunView(script.records), runId: 'r7' }, isNewest);
  };
  const away = stepOf('the fleet could not be asked: timeout', false);
  expect(away).toMatch(/a worker may go on with it.*`ralph fleet runs r7`.*`ralph resume r7` brings home/);
  expect(stepOf('another process goes on with this run: it had been given up')).toMatch(
    /`ralph fleet runs r7`.*`ralph resume` brings it home/,
  );
  expect(stepOf('no space left on device')).toBe('Fix what it names, then `ralph resume`.');
});
