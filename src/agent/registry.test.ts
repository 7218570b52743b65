import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ToolGroup } from '../core/index.ts';
import { createRegistry } from './registry.ts';
import { defineTool, succeed } from './tool.ts';

const HINTS = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

function makeTool(name: string, group: string = 'fs_read') {
  return defineTool<object>({
    name,
    group: group as ToolGroup,
    hints: HINTS,
    description: '',
    parameters: z.object({}),
    run: async () => succeed('done'),
  });
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
