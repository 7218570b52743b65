import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CALL_ARGUMENTS } from '../core/hooks/called-tool.ts';
import { BUILT_IN_CARDS } from '../core/tools/built-in-cards.ts';
import { createRegistry } from './tool/registry.ts';
import { createBuiltInTools } from './tool-list.ts';

/** Seed 000's 22 tools with their groups. */
const SEED = {
  fs_read: ['read_file', 'list_files', 'glob', 'grep'],
  fs_write: ['write_file'],
  git_read: ['git_status', 'git_diff', 'git_log'],
  git_write: ['git_init', 'git_commit', 'git_remote_add', 'git_push'],
  github: ['github_create_repo', 'github_create_pr'],
  web: ['web_search', 'web_fetch'],
  runtime: ['bash', 'list_runtimes'],
  quality: ['run_tests', 'run_lint', 'run_build'],
  complete: ['task_complete'],
};

describe('the built-in tools', () => {
  const registry = createRegistry(createBuiltInTools(['build.done']));

  it('have the cards that profiles are checked with: run `npm run tools` when this fails', () => {
    const cards = registry.tools.map(({ name, group, hints, description }) => ({ name, group, hints, description }));
    expect(BUILT_IN_CARDS).toEqual(cards);
  });

  it('are the 22 of the seed in its nine groups, one for edits and three for coordination', () => {
    const groups = Object.entries(SEED).map(([group, names]) => [group, names.map((name) => registry.find(name)?.group)]);
    expect(groups).toEqual(Object.entries(SEED).map(([group, names]) => [group, names.map(() => group)]));
    const others = registry.tools.map(({ name, group }) => `${name} ${group}`);
    expect(others).toEqual(
      expect.arrayContaining([
        'edit_file fs_write',
        'emit_event coordination',
        'update_todos coordination',
        'write_scratchpad coordination',
      ]),
    );
  });

  it('have the hints that the seed gives as examples', () => {
    expect(registry.find('read_file')?.hints).toMatchObject({ readOnly: true, destructive: false, idempotent: true });
    expect(registry.find('write_file')?.hints).toMatchObject({ readOnly: false, destructive: true, idempotent: true });
    expect(registry.find('git_push')?.hints).toEqual({ readOnly: false, destructive: false, idempotent: false, openWorld: true });
    expect(registry.find('web_fetch')?.hints).toEqual({ readOnly: true, destructive: false, idempotent: false, openWorld: true });
  });

  it.each(registry.tools.map((tool) => [tool.name, tool] as const))(
    '%s has a schema of an object that providers take, and a description',
    (_, tool) => {
      const schema = z.toJSONSchema(tool.parameters, { io: 'input' });
      expect(schema).toMatchObject({ type: 'object' });
      expect(tool.description.length).toBeGreaterThan(20);
      expect(tool.description.length).toBeLessThan(1000);
    },
  );

  it('have the arguments that permissions are about: a path, a command line or an address is in their table', () => {
    const properties = (name: string): object => {
      const tool = registry.find(name);
      return tool === undefined ? {} : (z.toJSONSchema(tool.parameters, { io: 'input', unrepresentable: 'any' }).properties ?? {});
    };
    for (const [name, { key, unsaid }] of Object.entries(CALL_ARGUMENTS)) {
      expect([name, Object.keys(properties(name))]).toEqual([name, expect.arrayContaining([key])]);
      const { [key]: schema } = properties(name) as Readonly<Record<string, { readonly default?: unknown }>>;
      if (typeof schema?.default === 'string') expect([name, unsaid]).toEqual([name, schema.default]);
    }
    const telling = registry.tools.flatMap(({ name }) => {
      const key = ['command', 'path', 'paths', 'url'].find((word) => Object.hasOwn(properties(name), word));
      return key === undefined ? [] : [[name, key]];
    });
    expect(telling.length).toBeGreaterThan(8);
    expect(telling.map(([name = '']) => [name, CALL_ARGUMENTS[name]?.key])).toEqual(telling);
  });
});
