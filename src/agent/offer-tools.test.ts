import { expect, it } from 'vitest';
import { z } from 'zod';
import type { ToolGroup } from '../core/index.ts';
import { offerTools } from './offer-tools.ts';
import { createRegistry } from './registry.ts';
import { type AnyTool, succeed } from './tool.ts';

const HINTS = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const FACTS = { env: {}, quality: {}, search: null };

function makeTool(name: string, group: ToolGroup, whyMissing?: () => string | null): AnyTool {
  const tool = { name, group, hints: HINTS, description: '', parameters: z.object({}), run: async () => succeed('') };
  return whyMissing === undefined ? tool : { ...tool, whyMissing };
}

it('offers what the profile lets in and what can be used here, in the order of the registry', () => {
  const registry = createRegistry([
    makeTool('search', 'web', () => 'no search is configured'),
    makeTool('fetch', 'web', () => null),
    makeTool('look', 'fs_read'),
  ]);
  const policy = { allow: ['web'], deny: [], exempt: [], requireReadOnly: false, denyDestructive: false };
  const { tools, names, verdicts } = offerTools(registry, policy, FACTS);
  expect(tools.map((tool) => tool.name)).toEqual(['fetch']);
  expect([...names]).toEqual(['fetch']);
  expect(verdicts.map(({ card, isOffered, why }) => [card.name, isOffered, why])).toEqual([
    ['search', false, 'no search is configured'],
    ['fetch', true, 'allowed by web'],
    ['look', false, 'not allowed'],
  ]);
});

it('does not ask a tool that the profile keeps out', () => {
  const asked: string[] = [];
  const registry = createRegistry([makeTool('look', 'fs_read', () => String(asked.push('look')))]);
  offerTools(registry, { allow: [], deny: [], exempt: [], requireReadOnly: false, denyDestructive: false }, FACTS);
  expect(asked).toEqual([]);
});
