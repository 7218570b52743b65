import { describe, expect, it } from 'vitest';
import { buildPrompt } from './build-prompt.ts';
import { SETTINGS, sampleTopology, sampleTurn, TEAM } from './fixtures.ts';

const cases = [
  ['ralph', sampleTopology()],
  ['ralph', sampleTopology({ hats: TEAM })],
  ['builder', sampleTopology({ hats: TEAM })],
  ['default', sampleTopology({ mode: 'single' })],
] as const;

describe('guardrails', () => {
  it('are built in for every kind of prompt', () => {
    for (const [hat, topology] of cases)
      expect(buildPrompt(topology, sampleTurn(hat), SETTINGS)).toContain('## GUARDRAILS\n\n- Nobody answers questions');
  });

  it('are replaced by the user’s, each on one line', () => {
    for (const [hat, topology] of cases) {
      const prompt = buildPrompt(topology, sampleTurn(hat), { ...SETTINGS, guardrails: ['Never touch\n  `main`.', ' ', 'Use pnpm.'] });
      expect(prompt).toContain('## GUARDRAILS\n\n- Never touch `main`.\n- Use pnpm.\n\n');
      expect(prompt).not.toContain('Nobody answers questions');
    }
  });

  it('are left out where the user wants none', () => {
    for (const [hat, topology] of cases)
      expect(buildPrompt(topology, sampleTurn(hat), { ...SETTINGS, guardrails: [] })).not.toContain('GUARDRAILS');
  });
});
