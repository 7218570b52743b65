import { expect, it } from 'vitest';
import { BUILT_IN_CARDS } from '../core/tools/built-in-cards.ts';
import { listPluginTools, registerTool, toPluginCard } from '../core/tools/plugin-tool.ts';
import { BUILT_IN_POLICIES, resolveProfile } from '../core/tools/tool-profiles.ts';

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
