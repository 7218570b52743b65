import { describe, expect, it } from 'vitest';
import { makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { checkPromiseOrders } from './check-promise-orders.ts';
import { askRule } from './rule-fixtures.ts';

/** What is said about a builder with these instructions, in a team whose planner may end the run. */
function wordsToldTo(instructions: string, promise = 'LOOP_COMPLETE', publishes: readonly string[] = ['build.done']): readonly string[] {
  const hats = [
    makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.task'], { name: 'Chief Planner' }),
    makeHat('builder', ['build.task'], publishes, { instructions }),
  ];
  const findings = askRule(checkPromiseOrders, makeSpec({ hats, promise }));
  return findings.map((finding) => finding.topics?.[0] ?? '');
}

describe('a hat that may not end the run', () => {
  it.each([
    'When all tasks are complete, output: LOOP_COMPLETE',
    'When done output LOOP_COMPLETE',
    'Output LOOP_COMPLETE when the tests pass.',
    'Implement it.\n\nWhen done, print:\n\n    LOOP_COMPLETE\n',
    'Implement it. Finally, you must say `LOOP_COMPLETE`.',
    'Work through the list.\n\nLOOP_COMPLETE',
    'When everything is finished:\n- run the tests\n- emit **LOOP_COMPLETE**',
    'When no tasks remain, reply with "LOOP_COMPLETE".',
    'If the tests do not fail, end your message with LOOP_COMPLETE',
    'Hand over to the planner, or output LOOP_COMPLETE.',
    'Done -> LOOP_COMPLETE',
    'Only output LOOP_COMPLETE when you have seen the tests pass.',
    'Signal the end by printing LOOP_COMPLETE.',
  ])('is told to: %j', (instructions) => {
    expect(wordsToldTo(instructions)).toEqual(['LOOP_COMPLETE']);
  });

  it.each([
    'Implement the task. Publish build.done.',
    'Never output LOOP_COMPLETE.',
    'Do not output LOOP_COMPLETE.',
    "Don't print LOOP_COMPLETE, that is the planner's job.",
    'You must not, under any circumstances, output LOOP_COMPLETE.',
    'You are not allowed to say LOOP_COMPLETE.',
    'Only the planner outputs LOOP_COMPLETE.',
    'The planner will output LOOP_COMPLETE when everything is done.',
    'Ask the planner to output LOOP_COMPLETE.',
    'Let Ralph print LOOP_COMPLETE.',
    'Publish build.done instead of LOOP_COMPLETE.',
    'The run ends with LOOP_COMPLETE, which is not your business.',
    'When you see LOOP_COMPLETE in the log, stop.',
    'Emit build.done. Do not write:\n\nLOOP_COMPLETE',
    'Output LOOP_COMPLETED_TASKS as a table.',
    'Write NOT_LOOP_COMPLETE at the top.',
  ])('is not told to: %j', (instructions) => {
    expect(wordsToldTo(instructions)).toEqual([]);
  });

  it('may be told by the topic or by another promise, as whole words', () => {
    expect(wordsToldTo('Finally emit task.complete.')).toEqual(['task.complete']);
    expect(wordsToldTo('Finally emit task.completed and my.task.complete.')).toEqual([]);
    expect(wordsToldTo('When done, output DONE.', 'DONE')).toEqual(['DONE']);
    expect(wordsToldTo('The definition of DONE is in the README.', 'DONE')).toEqual([]);
    expect(wordsToldTo('Output <promise>DONE</promise>.', '<promise>DONE</promise>')).toEqual(['<promise>DONE</promise>']);
  });
});

it('is silent about hats that may end the run', () => {
  expect(wordsToldTo('Output LOOP_COMPLETE.', 'LOOP_COMPLETE', ['build.done', 'LOOP_COMPLETE'])).toEqual([]);
  const lone = makeHat('worker', ['task.start'], [], { instructions: 'When done, output: LOOP_COMPLETE' });
  expect(askRule(checkPromiseOrders, makeSpec({ hats: [lone] }))).toEqual([]);
});

it('holds under `ralph` too, points at the words, and offers to let the hat end the run', () => {
  const hats = [makeHat('builder', ['build.task'], ['build.done'], { instructions: 'Build.\nOutput LOOP_COMPLETE when done.' })];
  const [finding] = askRule(checkPromiseOrders, makeSpec({ hats }));
  expect(finding).toMatchObject({
    code: 'promise-not-allowed',
    severity: 'warning',
    at: { kind: 'hat-words', hat: 'builder', words: 'LOOP_COMPLETE' },
    hats: ['builder'],
    repairs: [{ isSafe: false, change: { kind: 'add-item', item: 'LOOP_COMPLETE' } }],
  });
  expect(finding?.why).toContain("'ralph' may end it");
});
