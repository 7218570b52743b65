import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import type { Feedback } from '../core/run/feedback.ts';
import type { HatSpec } from '../core/run/run-spec.ts';
import { makeHat } from '../core/spec-fixtures.ts';
import type { Topology } from '../topology/routing/compile-topology.ts';
import { planSections } from './build-prompt.ts';
import { FAILED_GATE, SELF_COORDINATED, SETTINGS, sampleEvent, sampleTopology, sampleTurn, TEAM } from './fixtures.ts';
import type { PromptTurn } from './prompt-context.ts';

/** Tokens (o200k_base) that Ralph adds: those of the whole prompt, less those of the user's and other agents' words. */
function addedTokens(topology: Topology, turn: PromptTurn): number {
  const parts = planSections(topology, turn, { ...SETTINGS, promptFile: 'PROMPT.md' });
  const theirs = parts.filter((part) => !part.own).reduce((sum, part) => sum + countTokens(part.text), 0);
  return countTokens(parts.map((part) => part.text).join('')) - theirs;
}

const GATES = [
  { on: ['build.*', 'review.*'], run: 'npm run lint', timeoutMs: 1 },
  { on: ['task.complete'], run: 'npm test', timeoutMs: 1 },
];
/** Everything that can be told of one turn. */
const FEEDBACK: readonly Feedback[] = [
  FAILED_GATE,
  { kind: 'refused', topic: 'ship.it', allowed: ['build.done'] },
  { kind: 'promise-refused', why: 'this hat may not end the run; hand on by an event instead' },
  { kind: 'malformed', where: '.agent/events.jsonl:12', message: 'not valid JSON' },
];
const TASK = sampleEvent('build.task', 'Add the flag.', { source: 'ralph' });
const RESUME = sampleEvent('task.resume');

function chain(length: number): readonly HatSpec[] {
  return Array.from({ length }, (_, index) =>
    makeHat(`hat${index}`, [`step${index}.go`, `step${index}.again`], [`step${index + 1}.go`, `step${index}.failed`], {
      name: `Worker ${index}`,
      description: `Does step ${index}.`,
    }),
  );
}

const team = (hats: readonly HatSpec[]): Topology => sampleTopology({ hats });

describe('the token budget: at most 600 for a hat, 900 for Ralph and 60 for each hat of his team', () => {
  it('an ordinary turn of a hat costs at most 450', () => {
    for (const hat of TEAM) expect(addedTokens(team(TEAM), sampleTurn(hat.id, { events: [TASK] }))).toBeLessThanOrEqual(450);
    expect(addedTokens(team(SELF_COORDINATED), sampleTurn('builder', { events: [TASK] }))).toBeLessThanOrEqual(475);
  });

  it('a conversation that goes on costs at most 20 more to tell', () => {
    for (const hat of ['builder', 'ralph']) {
      const costOf = (keepsContext: boolean): number => addedTokens(team(TEAM), sampleTurn(hat, { events: [TASK], keepsContext }));
      expect(costOf(true) - costOf(false)).toBeLessThanOrEqual(20);
    }
  });

  it('a turn of a hat with feedback, gates and everything else that can be told costs at most 600', () => {
    const topology = sampleTopology({ hats: TEAM, gates: GATES });
    expect(addedTokens(topology, sampleTurn('builder', { events: [TASK, RESUME], feedback: FEEDBACK }))).toBeLessThanOrEqual(600);
    const self = sampleTopology({ hats: SELF_COORDINATED, gates: GATES, requiredEvents: ['build.done'] });
    expect(
      addedTokens(self, sampleTurn('planner', { events: [RESUME], fallback: 'empty-queue', feedback: FEEDBACK.slice(1) })),
    ).toBeLessThanOrEqual(600);
  });

  it('an ordinary turn of Ralph alone costs at most 650, of the classic loop at most 450', () => {
    expect(addedTokens(sampleTopology(), sampleTurn('ralph', { events: [sampleEvent('task.continue')] }))).toBeLessThanOrEqual(650);
    expect(
      addedTokens(sampleTopology({ mode: 'single' }), sampleTurn('default', { events: [sampleEvent('task.continue')] })),
    ).toBeLessThanOrEqual(450);
  });

  it('Ralph costs at most 900 alone, and 60 more for each hat of a team of any size', () => {
    expect(
      addedTokens(sampleTopology({ gates: GATES, requiredEvents: ['x.y'] }), sampleTurn('ralph', { events: [TASK], feedback: FEEDBACK })),
    ).toBeLessThanOrEqual(900);
    for (const hats of [TEAM, SELF_COORDINATED, chain(1), chain(7), chain(40)]) {
      const topology = sampleTopology({ hats, gates: GATES, requiredEvents: ['x.y'], terminalEvents: ['z'] });
      const turn = sampleTurn('ralph', { events: [TASK, RESUME], feedback: FEEDBACK, fallback: 'untaken' });
      expect(addedTokens(topology, turn)).toBeLessThanOrEqual(900 + 60 * hats.length);
    }
  });

  it('each hat more in the team adds at most 60, even with its topics counted', () => {
    const costOf = (length: number): number =>
      planSections(team(chain(length)), sampleTurn('ralph'), SETTINGS).reduce((sum, part) => sum + countTokens(part.text), 0);
    for (const length of [1, 5, 20]) {
      const ownOf = (size: number): number => addedTokens(team(chain(size)), sampleTurn('ralph'));
      expect(ownOf(length + 1) - ownOf(length)).toBeLessThanOrEqual(30);
      expect(costOf(length + 1) - costOf(length)).toBeLessThanOrEqual(120);
    }
  });
});
