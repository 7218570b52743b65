import { describe, expect, it } from 'vitest';
import { makeHat } from '../core/spec-fixtures.ts';
import { buildPrompt } from './build-prompt.ts';
import { SETTINGS, sampleTopology, sampleTurn } from './fixtures.ts';

const ask = (triggers: readonly string[], publishes: readonly string[], instructions = ''): string =>
  buildPrompt(sampleTopology({ hats: [makeHat('worker', triggers, publishes, { instructions })] }), sampleTurn('worker'), SETTINGS);

describe('a hat without instructions', () => {
  it.each([
    ['build.task', /`build\.task`: do exactly what it asks/],
    ['build.done', /`build\.done`: check it against the files/],
    ['build.blocked', /`build\.blocked`: clear what blocks/],
    ['review.rejected', /`review\.rejected`: fix every point/],
    ['review.changes_requested', /`review\.changes_requested`: fix every point/],
    ['review.approved', /`review\.approved`: take the next open step/],
    ['review.requested', /`review\.requested`: read the change as a stranger/],
    ['review.*', /`review\.\*`: act on the verdict/],
    ['error.cli', /`error\.cli`: a turn failed/],
    ['error.*', /`error\.\*`: a turn failed/],
  ])('is told what %s asks of who is called by it', (trigger, words) => {
    expect(ask([trigger], ['x.y'])).toMatch(words);
  });

  it.each([
    ['build.task', /Payload: ONE small task: what/],
    ['build.done', /`build\.done`: only when the checks are green/],
    ['review.rejected', /`review\.rejected` names each fault/],
    ['review.approved', /`review\.approved` says what you checked/],
  ])('is told what publishing %s says', (topic, words) => {
    expect(ask(['go'], [topic])).toMatch(words);
  });

  it('is told both where it hands on tasks and results', () => {
    expect(ask(['go'], ['build.task', 'build.done'])).toMatch(/`build\.task`: ONE small task[\s\S]*Payload: what you did/);
  });

  it('says a rule once for topics of one kind', () => {
    const prompt = ask(['build.task', 'docs.task'], ['build.done']);
    expect(prompt).toMatch(/`build\.task`, `docs\.task`: do exactly what it asks/);
    expect(prompt.match(/do exactly what it asks/g)).toHaveLength(1);
  });

  it('is told nothing of topics that say nothing by their name', () => {
    expect(ask(['go'], ['went'])).not.toMatch(/do exactly what it asks|only when the checks are green/);
  });

  it('is told of no topic where the user wrote instructions', () => {
    expect(ask(['build.task'], ['build.done'], 'Do as you like.')).not.toMatch(/do exactly what it asks|only when the checks are green/);
  });
});
