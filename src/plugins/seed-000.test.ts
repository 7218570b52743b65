import { expect, it } from 'vitest';
import { BUILT_IN_CARDS, BUILT_IN_POLICIES, listPluginTools, registerTool, resolveProfile, toPluginCard } from '../core/tools/index.ts';

it('seed 000: new tools are added by registerTool, and are there for the profiles that allow their group', () => {
  const hints = { readOnly: true, destructive: false, idempotent: true, openWorld: true };
  const parameters = { type: 'object' };
  const remove = registerTool({ name: 'ask_oracle', group: 'web', hints, description: 'Asks.', parameters, run: () => ({ text: 'yes' }) });
  const offeredBy = (profile: string): readonly string[] =>
    resolveProfile(BUILT_IN_POLICIES[profile] ?? null, [...BUILT_IN_CARDS, ...listPluginTools().map(toPluginCard)]).flatMap(
      ({ card, isOffered }) => (isOffered ? [card.name] : []),
    );
  try {
    expect(offeredBy('explorer')).toContain('ask_oracle');
    expect(offeredBy('critic')).not.toContain('ask_oracle');
  } finally {
    remove();
  }
  expect(offeredBy('explorer')).not.toContain('ask_oracle');
});
