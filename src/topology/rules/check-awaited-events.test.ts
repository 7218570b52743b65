import { describe, expect, it } from 'vitest';
import { makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { checkAwaitedEvents } from './check-awaited-events.ts';
import { askRule } from './rule-fixtures.ts';

const HATS = [makeHat('a', ['task.start', 'task.resume', 'work.start', 'b.done'], ['b.go']), makeHat('b', ['b.go'], ['b.done', 'test.*'])];

function codesOf(parts: Parameters<typeof makeSpec>[0]): readonly string[] {
  return askRule(checkAwaitedEvents, makeSpec({ hats: HATS, ...parts })).map(({ code, topics }) => `${code} ${topics?.join(' ')}`);
}

describe('what the loop waits for', () => {
  it('has to be published by some hat, also by a pattern', () => {
    expect(codesOf({ requiredEvents: ['b.done', 'test.green', 'task.complete'] })).toEqual([]);
    expect(codesOf({ requiredEvents: ['b.done', 'docs.done'] })).toEqual(['required-unpublished docs.done']);
  });

  it('is not asked where Ralph coordinates, who may publish it', () => {
    expect(codesOf({ requiredEvents: ['docs.done'], coordinator: 'ralph' })).toEqual([]);
  });
});

describe('what begins the run', () => {
  it('has to be taken by some hat, unless a hat is named', () => {
    expect(codesOf({ startingEvent: 'work.start' })).toEqual([]);
    expect(codesOf({ startingEvent: 'work.strat' })).toEqual(['starting-event-untaken work.strat']);
    expect(codesOf({ startingEvent: 'work.strat', startingHat: 'b' })).toEqual([]);
    expect(codesOf({ startingEvent: 'work.strat', coordinator: 'ralph' })).toEqual([]);
  });
});
