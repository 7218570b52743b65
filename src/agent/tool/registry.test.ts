import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ToolGroup } from '../../core/tools/tool-card.ts';
import { createRegistry, offerTools } from './registry.ts';
import { type AnyTool, succeed } from './tool.ts';

const HINTS = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const FACTS = { env: {}, quality: {}, search: null };

function makeTool(name: string, group = 'fs_read', whyMissing?: () => string | null): AnyTool {
  const tool = { name, group: group as ToolGroup, hints: HINTS, description: '', parameters: z.object({}), run: async () => succeed('') };
  return whyMissing === undefined ? tool : { ...tool, whyMissing };
}

describe('the registry', () => {
  it('keeps the order of the tools and finds each by its name', () => {
    const [look, write] = [makeTool('look'), makeTool('write', 'fs_write')];
    const registry = createRegistry([write, look]);
    expect(registry.tools).toEqual([write, look]);
    expect(registry.find('look')).toBe(look);
    expect([registry.find('Look'), registry.find('constructor'), registry.find('')]).toEqual([undefined, undefined, undefined]);
  });

  it('refuses a name that is taken', () => {
    expect(() => createRegistry([makeTool('look'), makeTool('look')])).toThrow(expect.objectContaining({ code: 'tool-twice' }));
  });

  it.each(['', 'a b', '9look', 'läuft', 'a'.repeat(65), 'a/b', '__proto__\n'])('refuses the name %j', (name) => {
    expect(() => createRegistry([makeTool(name)])).toThrow(expect.objectContaining({ code: 'tool-invalid' }));
  });

  it.each(['', 'fs', 'FS_READ', 'mcp:', 'mcp:a b', 'toString'])('refuses the group %j', (group) => {
    expect(() => createRegistry([makeTool('look', group)])).toThrow(expect.objectContaining({ code: 'tool-invalid' }));
  });

  it.each(['mcp:docs', 'coordination', 'complete'])('takes the group %j', (group) => {
    expect(createRegistry([makeTool('look', group)]).tools).toHaveLength(1);
  });
});

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
