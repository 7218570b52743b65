import { describe, expect, it } from 'vitest';
import { makeHat } from '../../core/spec-fixtures.ts';
import type { ScopeViolations } from '../../core/tools/scope-violations.ts';
import { notices, type Play, play, published, write } from './decide-fixtures.ts';

const PLANNER = makeHat('planner', ['task.start', 'task.resume', 'review.done'], ['review.start']);
const CRITIC = makeHat('critic', ['review.start'], ['review.done']);

const CHANGED: ScopeViolations = {
  changes: [
    { path: 'src/a.ts', what: 'changed' },
    { path: 'x.txt', what: 'created' },
  ],
  total: 2,
  diffFile: 'scope.diff',
  reverted: null,
  notes: [],
};

/** A team whose critic, who may not write, is at work. */
function team(): Play {
  const run = play({ hats: [PLANNER, CRITIC] });
  run.end([write('review.start')]);
  return run;
}

describe('a hat that may not write and has written', () => {
  it('leaves an event on record that nobody gets, and its own events are routed all the same', () => {
    const run = team();
    run.end([write('review.done')], { violations: CHANGED });
    expect(published(run)).toEqual(['task.start > planner', 'review.start > critic', 'critic.scope_violation >', 'review.done > planner']);
    const [record] = run.all('event-publish').filter(({ event }) => event.topic === 'critic.scope_violation');
    expect(record).toMatchObject({
      how: 'record',
      event: {
        source: 'critic',
        payload: { total: 2, diff: 'scope.diff', reverted: null, changes: [{ path: 'src/a.ts', what: 'changed' }, {}] },
      },
    });
  });

  it('is told to people, and to the hat at its next turn', () => {
    const run = team();
    run.end([write('review.done')], { violations: CHANGED });
    expect(notices(run)).toContain('tree-changed');
    expect(run.last('notice').text).toBe('critic may not write, and changed src/a.ts, x.txt. They stand.');
    run.end([write('review.start')]);
    expect(run.turn()).toMatchObject({
      hat: 'critic',
      feedback: [{ kind: 'tree-changed', paths: ['src/a.ts', 'x.txt'], total: 2, reverted: null }],
    });
  });

  it('is told so also when its turn was interrupted', () => {
    const run = team();
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    run.end([], { outcome: { status: 'interrupted' }, violations: CHANGED });
    expect(published(run)).toContain('critic.scope_violation >');
  });

  it('is told what could not be taken back', () => {
    const run = team();
    run.end([], { violations: { ...CHANGED, reverted: 1, notes: ['x.txt: it was changed again meanwhile'] } });
    const texts = run.all('notice').map((notice) => notice.text);
    expect(texts).toContain(
      'critic may not write, and changed src/a.ts, x.txt. 1 of 2 taken back (x.txt: it was changed again meanwhile).',
    );
  });

  it('is taken for one where nobody could look, and is told so', () => {
    const run = team();
    const notes = ['The working tree could not be compared: x'];
    run.end([write('review.done')], { violations: { ...CHANGED, changes: [], total: 0, notes, isUnseen: true } });
    expect([notices(run).includes('tree-unseen'), published(run).includes('critic.scope_violation >')]).toEqual([true, true]);
    run.end([write('review.start')]);
    expect(run.turn()).toMatchObject({ hat: 'critic', feedback: [{ kind: 'tree-changed', paths: [], total: 0 }] });
  });

  it('is no violation where only a part was not looked at', () => {
    const run = team();
    run.end([write('review.done')], { violations: { ...CHANGED, changes: [], total: 0, notes: ['Git ignores more than 10000 files'] } });
    expect([notices(run).includes('tree-unseen'), published(run).includes('critic.scope_violation >')]).toEqual([true, false]);
  });

  it('is no violation where something was changed before its turn, which people are told', () => {
    const run = team();
    const between = { paths: ['src/late.ts'], total: 1 };
    run.end([write('review.done')], { violations: { ...CHANGED, changes: [], total: 0, between } });
    expect([notices(run).includes('tree-between'), published(run).includes('critic.scope_violation >')]).toEqual([true, false]);
    const texts = run.all('notice').map((notice) => notice.text);
    expect(texts.find((text) => text.includes('src/late.ts'))).toContain('changed between turns');
  });
});

it('says which uses of tools were stopped, and by what', () => {
  const run = team();
  const denials = [
    { tool: 'Write', layer: 'flags', reason: 'No such tool' },
    { tool: 'Bash', layer: 'os', reason: 'Read-only file system' },
  ] as const;
  run.end([write('review.done')], { denials });
  const texts = run.all('notice').map((notice) => notice.text);
  expect(texts).toContain('critic: 2 uses of tools were stopped: Write by the rules of its CLI, Bash by the operating system');
  const many = team();
  many.end([write('review.done')], { denials, denied: 31 });
  expect(many.last('notice').text).toContain('critic: 31 uses of tools were stopped: ');
});

describe('a hat that changed what Ralph itself runs or believes', () => {
  it('is named to people, on record, and told, also where it may write', () => {
    const run = team();
    const paths = ['.ralph/bin/ralph', "filter.x.clean of git's configuration"];
    run.end([write('review.done')], { violations: { changes: [], total: 0, diffFile: null, reverted: null, notes: [], trusted: paths } });
    expect(notices(run)).toContain('trusted-changed');
    expect(notices(run)).not.toContain('tree-changed');
    expect(run.last('notice').text).toContain('critic changed what Ralph itself runs or believes: .ralph/bin/ralph, filter.x.clean');
    expect(published(run)).toContain('critic.scope_violation >');
    run.end([write('review.start')]);
    expect(run.turn()).toMatchObject({ hat: 'critic', feedback: [{ kind: 'trusted-changed', paths }] });
  });
});
