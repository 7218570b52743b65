import { expect, it } from 'vitest';
import { createScript, sampleSpec } from './fixtures.ts';
import { foldRunView } from './fold-run-view.ts';
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
