import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildPrompt } from './build-prompt.ts';
import { FAILED_GATE, MERGE_FACTS, OBJECTIVE, SETTINGS, sampleEvent, sampleTopology, sampleTurn, TEAM } from './fixtures.ts';
import { buildMergeObjective, MERGE_RULES } from './merge-task.ts';

/** `UPDATE_GOLDEN=1 npx vitest run src/prompts/golden.test.ts` writes the files anew; read the difference before you keep it. */
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';

const GATES = [
  { on: ['build.done'], run: 'npm run lint', timeoutMs: 1000 },
  { on: ['task.complete'], run: 'npm test', timeoutMs: 1000 },
];

const CASES = {
  solo: () =>
    buildPrompt(sampleTopology(), sampleTurn('ralph', { iteration: 1, events: [sampleEvent('task.start', OBJECTIVE)] }), SETTINGS),
  team: () =>
    buildPrompt(
      sampleTopology({ hats: TEAM, gates: GATES }),
      sampleTurn('ralph', {
        fallback: 'untaken',
        events: [sampleEvent('review.approved', 'Diff of 3f2a read; `npm test`: 14 passed.', { source: 'reviewer' })],
      }),
      { ...SETTINGS, promptFile: 'PROMPT.md' },
    ),
  hat: () =>
    buildPrompt(
      sampleTopology({ hats: TEAM, gates: GATES }),
      sampleTurn('builder', {
        feedback: [FAILED_GATE, { kind: 'refused', topic: 'ship.it', allowed: ['build.done', 'build.blocked'] }],
        events: [
          sampleEvent('build.task', 'Add the flag to src/list.ts.\nDone when `list --json` prints one object a line.', { source: 'ralph' }),
        ],
      }),
      SETTINGS,
    ),
  'hat-carried': () =>
    buildPrompt(
      sampleTopology({ hats: TEAM }),
      sampleTurn('builder', {
        keepsContext: true,
        events: [sampleEvent('build.task', 'Add the flag to src/list.ts.', { source: 'ralph' })],
      }),
      SETTINGS,
    ),
  merge: () => {
    const objective = buildMergeObjective(MERGE_FACTS);
    const hats = TEAM.slice(0, 1).map((hat) => ({
      ...hat,
      triggers: ['task.start'],
      publishes: [],
      defaultPublishes: [],
      instructions: MERGE_RULES,
    }));
    const turn = sampleTurn('builder', { iteration: 1, maxIterations: 1, events: [sampleEvent('task.start', objective)] });
    return buildPrompt(sampleTopology({ hats, objective, coordinator: 'hats' }), turn, { ...SETTINGS, agentsCommit: false });
  },
  classic: () =>
    buildPrompt(sampleTopology({ mode: 'single' }), sampleTurn('default', { events: [sampleEvent('task.continue')] }), {
      ...SETTINGS,
      promptFile: 'PROMPT.md',
    }),
};

describe('typical prompts, as people can read them in golden/', () => {
  it.each(Object.keys(CASES) as (keyof typeof CASES)[])('%s.md is what an agent reads', (name) => {
    const file = new URL(`./golden/${name}.md`, import.meta.url);
    if (UPDATE) writeFileSync(file, CASES[name]());
    expect(CASES[name]()).toBe(readFileSync(file, 'utf8'));
  });
});
