import { describe, expect, it } from 'vitest';
import { makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { checkInstructionCommands } from './check-instruction-commands.ts';
import { askRule } from './rule-fixtures.ts';

function findingsFor(instructions: string) {
  const hats = [
    makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.task']),
    makeHat('builder', ['build.task'], ['build.done'], { instructions }),
  ];
  return askRule(checkInstructionCommands, makeSpec({ hats }));
}

describe('a command that instructions call and this version does not have', () => {
  it.each([
    ['Run `ralph tools task add "x"` first.', 'ralph tools task', /scratchpad/],
    ['Begin with ralph tools memory search auth', 'ralph tools memory', /scratchpad/],
    ['$ ralph tools skill load tdd', 'ralph tools skill', /instructions/],
    ['Tell people by `ralph tools interact progress "half"`.', 'ralph tools interact', /final message/],
    ['```\nralph wave emit review.file --payloads a b\n```', 'ralph wave emit', /ralph emit/],
    ['Call `"$RALPH_BIN" tools task close 3`.', '"$RALPH_BIN" tools task', /scratchpad/],
    ['See `ralph loops list` before you merge.', 'ralph loops', /worktrees/],
    ['Use `ralph task ready`.', 'ralph task', /scratchpad/],
    ['Look with `ralph loops` first.', 'ralph loops', /worktrees/],
    ['```\nralph loops list\n```', 'ralph loops', /worktrees/],
    ['$ ralph task ready', 'ralph task', /scratchpad/],
    ['Do not wait. Run `ralph tools task add`.', 'ralph tools task', /scratchpad/],
    ['Do not skip `ralph tools task close`.', 'ralph tools task', /scratchpad/],
  ])('%s', (instructions, command, fix) => {
    expect(findingsFor(instructions).map((finding) => [finding.code, finding.severity, finding.at, finding.fix])).toEqual([
      ['instruction-command', 'warning', { kind: 'hat-words', hat: 'builder', words: command }, expect.stringMatching(fix)],
    ]);
  });

  it('is told once, however often it is called', () => {
    expect(findingsFor('`ralph tools task add`, then `ralph tools task close`, then `ralph tools memory add`')).toHaveLength(2);
  });

  it.each([
    'Publish with `ralph emit build.done "x"`.',
    'Do not use any task list; Ralph tools are not for you.',
    'ralph tasks people with work',
    'The ralph memory is good.',
    'ralph loops until the work is done.',
    'Here ralph loops list by list.',
    'ralph task show must go on',
    'Do not use `ralph tools task`.',
    'Never call `ralph loops list` or `ralph tools memory add`.',
    "Don't run ralph tools task add here.",
    'You must not use `ralph wave emit`.',
    'Run `my-ralph tools task`, or ./ralph/tools/task.',
    '',
  ])('is not: %s', (instructions) => {
    expect(findingsFor(instructions)).toEqual([]);
  });
});
