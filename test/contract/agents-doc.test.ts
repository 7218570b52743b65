import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { listBackends } from '../../src/backends/index.ts';
import type { BackendSpec } from '../../src/core/backends/backend-spec.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/guide/agents.md'), 'utf8');
type Descriptor = ReturnType<typeof listBackends>[number];
type Place = Descriptor['takes'][number];

const OTHER_WAYS: Readonly<Record<Place, string>> = {
  arg: '',
  stdin: 'standard input',
  file: 'a file that the agent is asked to read',
  stream: 'a message of a conversation',
};

/** The columns of a table, by the backends that its first one names. */
function readTable(heading: string): ReadonlyMap<string, readonly string[]> {
  const section = PAGE.split('\n## ').find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.flatMap((row) => {
      const [names = '', ...cells] = row.slice(2, -2).split(' | ');
      return [...names.matchAll(/`([a-z]+)`/g)].map((name) => [name[1] as string, cells.map((cell) => cell.trim())] as const);
    }),
  );
}

const COMMANDS = readTable('What is run');
const PERMISSIONS = readTable('Permissions');

function plan(descriptor: Descriptor, changes: Partial<BackendSpec> = {}, place: Place = descriptor.takes[0] ?? 'arg') {
  const spec: BackendSpec = { type: descriptor.type, args: [], env: {}, permissions: 'bypass', ...changes };
  return descriptor.plan({ spec, prompt: 'PROMPT', promptFile: '/prompt.md', place, isRoot: false, watchesLimits: true, env: {} });
}

describe.each(listBackends().map((descriptor) => [descriptor.type, descriptor] as const))('the guide about %s', (type, descriptor) => {
  const [command = '', otherWay = '', flags = '', , tried = ''] = COMMANDS.get(type) ?? [];

  test('shows the command that is started', () => {
    const { command: program, args } = plan(descriptor);
    expect(command).toBe(`\`${[program, ...args].join(' ')}\``);
  });

  test('says how a prompt goes that is no argument', () => {
    const [first = 'arg', second = 'arg'] = descriptor.takes;
    expect(otherWay).toBe(first === 'arg' ? OTHER_WAYS[second] : `${OTHER_WAYS[first]}, by default`);
  });

  test('names the flags of model and agent', () => {
    const flagBefore = (value: string): string[] => {
      const { args } = plan(descriptor, { model: 'MODEL', agent: 'AGENT' });
      return args.includes(value) ? [`\`${args[args.indexOf(value) - 1]}\``] : [];
    };
    expect(flags).toBe([...flagBefore('MODEL'), ...flagBefore('AGENT')].join(', ') || '–');
  });

  test('names the version that was tried', () => {
    expect(tried).toBe(descriptor.tried?.version ?? 'unverified: from its documentation');
  });

  test('names what bypasses its permissions', () => {
    const [bypass, normal] = (['bypass', 'default'] as const).map((permissions) => plan(descriptor, { permissions }));
    const added = (bypass?.args ?? []).filter((arg) => !normal?.args.includes(arg));
    const shown = PERMISSIONS.get(type)?.[0] ?? '';
    const changesEnv = JSON.stringify(bypass?.env) !== JSON.stringify(normal?.env);
    expect([...shown.matchAll(/`(--[a-z-]+)`/g)].map((match) => match[1])).toEqual(added);
    expect(shown.includes('permission: allow')).toBe(changesEnv);
    if (added.length === 0 && !changesEnv) expect(shown).toContain('nothing');
  });
});
