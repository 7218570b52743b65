import { describe, expect, it } from 'vitest';
import { makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { checkInstructionTopics } from './check-instruction-topics.ts';
import { askRule } from './rule-fixtures.ts';

function findingsFor(instructions: string) {
  const hats = [
    makeHat('planner', ['task.start', 'task.resume', 'build.done', 'build.blocked'], ['build.task', 'plan.md']),
    makeHat('builder', ['build.task', 'plan.md'], ['build.done', 'build.blocked'], { instructions }),
    makeHat('reviewer', ['review.*'], ['review.approved']),
  ];
  const spec = makeSpec({ hats, terminalEvents: ['deploy.done'] });
  return askRule(checkInstructionTopics, spec);
}

function topicsToldTo(instructions: string): readonly string[] {
  return findingsFor(instructions).map((finding) => finding.topics?.[0] ?? '');
}

describe('a topic that the hat may not publish', () => {
  it.each([
    ['When finished, emit `deploy.done`.', ['deploy.done']],
    ['Publish deploy.done with the evidence.', ['deploy.done']],
    ['When done emit deploy.done', ['deploy.done']],
    ['You must publish the event "deploy.done".', ['deploy.done']],
    ['Emit one of:\n- `build.done` when the tests pass\n- `deploy.done` when it is live\n', ['deploy.done']],
    ['Publish build.done with the evidence, or `deploy.done` if it is live.', ['deploy.done']],
    ['Run `ralph emit deploy.done "it is live"`.', ['deploy.done']],
    ['Write on a line of its own:\n\nEVENT:deploy.done', ['deploy.done']],
    ['End with <event topic="deploy.done">…</event>', ['deploy.done']],
    ['Append {"topic": "deploy.done", "payload": "…"} to the events file.', ['deploy.done']],
    ['Emit review.request when the tests pass.', ['review.request']],
    ['Emit `review.request` or `deploy.done`.', ['review.request', 'deploy.done']],
    ['Do the work, then publish review.request.', ['review.request']],
    ['Run `ralph emit build.nope "it is done"`.', ['build.nope']],
    ['Write EVENT:build.nope on a line of its own.', ['build.nope']],
    ['End with <event topic="build.nope">…</event>', ['build.nope']],
    ['Run `ralph emit build.task` again.', ['build.task']],
    ['When you see that it is wrong, go back by `ralph emit build.task`.', ['build.task']],
    ['End with <event topic="build.task">…</event>', ['build.task']],
    ['Write EVENT:review.go when you are done.', ['review.go']],
  ])('is told: %j', (instructions, topics) => {
    expect(topicsToldTo(instructions)).toEqual(topics);
  });

  it.each([
    'Emit `build.done` when done, `build.blocked` when stuck.',
    'When build.task arrives, do it.',
    'You get deploy.done from nobody; publish build.done.',
    'Never publish deploy.done.',
    'Do not run `ralph emit deploy.done`.',
    'The reviewer emits review.approved.',
    'Reviewers may publish review.approved.',
    'Ask the reviewer to publish review.approved.',
    'When the reviewer publishes review.approved, go on.',
    'Publish build.done so that the reviewer emits review.approved.',
    'Emit the report in plan.md and package.json.',
    'Publish to docs.example.com.',
    'Emit e.g. a summary. Send README.md along, i.e. all of it.',
    'Publish a release to npm v1.2.3.',
    'The trigger build.task wakes you.',
    'Emit review.log.txt.',
    'Publish build.task again if it was wrong.',
    'Emit LOOP_COMPLETE and task.complete.',
    'Emit something.unknown.',
    'Use ralph emit to publish what you found.',
    'Write EVENT:your.topic or <event topic="topic.name">.',
    'You get <event topic="build.task"> with the plan.',
    'On EVENT:build.task build it.',
    'Never write EVENT:build.nope.',
    'Append {"topic": "kafka.orders"} to the settings.',
  ])('is not told: %j', (instructions) => {
    expect(topicsToldTo(instructions)).toEqual([]);
  });

  it('that is a slip of the pen is told with what was meant', () => {
    const [finding] = findingsFor('Emit `biuld.done`.');
    expect(finding?.message).toBe("Hat 'builder' is told to publish 'biuld.done', which it may not: did you mean 'build.done'?");
    expect(finding?.repairs).toBeUndefined();
  });

  it('is shown at its words, with the list that it could join', () => {
    expect(findingsFor('Emit deploy.done.')).toMatchObject([
      {
        code: 'instruction-topic',
        severity: 'warning',
        at: { kind: 'hat-words', hat: 'builder', words: 'deploy.done' },
        hats: ['builder'],
        repairs: [{ isSafe: false, change: { kind: 'add-item', to: { hat: 'builder', list: 'publishes' }, item: 'deploy.done' } }],
      },
    ]);
  });
});
