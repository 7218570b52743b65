import { afterEach, describe, expect, it } from 'vitest';
import { BUILT_IN_CARDS } from '../core/tools/built-in-cards.ts';
import { listPluginTools, type PluginTool, registerTool, toPluginCard } from '../core/tools/plugin-tool.ts';
import { BUILT_IN_POLICIES } from '../core/tools/tool-profiles.ts';
import { countTools } from './plugin-files.ts';

const DEPLOY: PluginTool = {
  name: 'deploy',
  group: 'runtime',
  description: 'Deploys.',
  parameters: { type: 'object' },
  run: () => ({ text: 'done' }),
};

let taken: (() => void)[] = [];

function register(tool: PluginTool): () => void {
  const remove = registerTool(tool);
  taken.push(remove);
  return remove;
}

/** A schema that holds itself. */
function toCircle(): object {
  const circle: Record<string, unknown> = { type: 'object' };
  return Object.assign(circle, { properties: { again: circle } });
}

afterEach(() => {
  for (const remove of taken) remove();
  taken = [];
});

describe('a tool that a program registers', () => {
  it('is there until it is taken away', () => {
    const remove = register(DEPLOY);
    expect(listPluginTools()).toEqual([DEPLOY]);
    expect(listPluginTools().map(toPluginCard)).toEqual([
      {
        name: 'deploy',
        group: 'runtime',
        description: 'Deploys.',
        hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
      },
    ]);
    remove();
    expect(listPluginTools()).toEqual([]);
    const again = register({ ...DEPLOY });
    remove();
    expect(listPluginTools()).toHaveLength(1);
    again();
  });

  it('cannot have the name of another one', () => {
    register(DEPLOY);
    expect(() => registerTool(DEPLOY)).toThrow(expect.objectContaining({ code: 'tool-twice' }));
    expect(() => registerTool({ ...DEPLOY, name: 'bash' })).toThrow(expect.objectContaining({ code: 'tool-twice' }));
  });

  it.each<[string, unknown]>([
    ['is nothing', null],
    ['has no name', { ...DEPLOY, name: undefined }],
    ['has an odd name', { ...DEPLOY, name: 'a b' }],
    ['looks like a tool of a server', { ...DEPLOY, name: 'mcp__docs__find' }],
    ['is in no group', { ...DEPLOY, group: 'files' }],
    ['is in the group that every hat has', { ...DEPLOY, group: 'coordination' }],
    ['is in the group of a server', { ...DEPLOY, group: 'mcp:docs' }],
    ['is not described', { ...DEPLOY, description: ' ' }],
    ['takes nobody knows what', { ...DEPLOY, parameters: 'x' }],
    ['does nothing', { ...DEPLOY, run: 'x' }],
    ['has an odd hint', { ...DEPLOY, hints: { read_only: true } }],
    ['has a hint that is no truth value', { ...DEPLOY, hints: { readOnly: 'yes' } }],
    ['has hints that are none', { ...DEPLOY, hints: null }],
    ['takes something else than an object', { ...DEPLOY, parameters: { type: 'string' } }],
    ['takes what cannot be told to a model', { ...DEPLOY, parameters: toCircle() }],
  ])('is refused when it %s', (_, tool) => {
    expect(() => registerTool(tool as PluginTool)).toThrow(expect.objectContaining({ code: 'tool-invalid' }));
    expect(listPluginTools()).toEqual([]);
  });
});

describe('the number of tools of a hat', () => {
  const policies = { critic: BUILT_IN_POLICIES['critic'] ?? null, creator: BUILT_IN_POLICIES['creator'] ?? null, free: null };

  it('is what its profile offers, for an agent CLI as for the native agent', () => {
    const groups = ['fs_read', 'git_read', 'quality', 'coordination'];
    const expected = BUILT_IN_CARDS.filter(({ name, group }) => groups.includes(group) || name === 'list_runtimes').length;
    for (const agent of ['native', 'claude'] as const) expect(countTools({ policies }, 'critic', agent)).toBe(expected);
    for (const agent of ['custom', 'acp', 'kiro'] as const) expect(countTools({ policies }, 'critic', agent)).toBeNull();
  });

  it('is that of all tools for a native agent without a profile, and not known for an agent CLI', () => {
    expect(countTools({ policies }, 'free', 'native')).toBe(BUILT_IN_CARDS.length);
    expect(countTools({ policies }, 'free', 'claude')).toBeNull();
    expect(countTools({ policies }, 'constructor', 'claude')).toBeNull();
  });

  it('grows with a tool in a group that the profile allows, and not with another', () => {
    const before = [countTools({ policies }, 'critic', 'native'), countTools({ policies }, 'creator', 'native') ?? 0];
    register(DEPLOY);
    expect([countTools({ policies }, 'critic', 'native'), countTools({ policies }, 'creator', 'native')]).toEqual([
      before[0],
      Number(before[1]) + 1,
    ]);
    expect(countTools({ policies }, 'creator', 'claude')).toBe(before[1]);
  });
});
