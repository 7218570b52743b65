import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inFolder, loadSettings } from './config-fixtures.ts';
import type { Keys, Setting } from './keys/setting.ts';
import { SETTINGS_TABLE } from './keys/settings-table.ts';

type Tree = { [key: string]: unknown };
type Path = readonly (string | number)[];

/** Files that samples name. */
const FILES = { 'sample.md': 'Words.', 'sample.yml': 'triggers: [sample.go]\n', 'sample.json': '{"type": "object"}', 'sample.mjs': '' };

/** Keys that say something to people who read the file, and to nobody else. */
const FOR_PEOPLE = ['name', 'description'];

const toSurroundings = ({ type: backend, ...keys }: { readonly type: string; readonly [key: string]: string }): Tree => ({
  cli: { backend, ...keys },
  hats: {
    builder: { triggers: ['task.start'], publishes: ['build.done', { topic: 'look.at' }], backend: { type: backend, ...keys } },
    reviewer: { triggers: ['build.done', 'look.at'], publishes: ['LOOP_COMPLETE'] },
  },
  ralph: { backend: { type: backend, ...keys } },
  gates: [{ run: 'npm test' }],
  prices: { sample: { input: 1, output: 2 } },
  mcp_servers: { sample: backend === 'claude' ? { url: 'https://example.org/mcp' } : { command: 'server' } },
  tools: { search: { provider: 'brave' } },
  notify: { url: 'https://example.org/news' },
});

/** What stands around a key. Some say something only beside a certain other one, or in the place of it, so each is tried in all of these. */
const SURROUNDINGS: readonly unknown[] = [
  toSurroundings({ type: 'claude' }),
  toSurroundings({ type: 'custom', command: 'agent' }),
  { ...toSurroundings({ type: 'native', model: 'claude-sample' }), hooks: { PreToolUse: [{ command: 'true --all' }] } },
  { hats: { builder: { publishes: ['LOOP_COMPLETE'] } } },
  { ...toSurroundings({ type: 'codex' }), event_loop: { routing: 'fanout', parallel: true } },
  ...[{ type: 'claude' }, { type: 'custom', command: 'agent' }, { type: 'native', model: 'claude-sample' }].map((backend) =>
    withValue(toSurroundings({ type: 'codex' }), ['hats', 'builder', 'panel'], {
      agents: [{ id: 'one', backend }, { id: 'two' }, { id: 'sample' }],
      round_timeout: 60,
    }),
  ),
];

/** Every key of the table that this version reads, by its path; names of the user's choice are `sample`, but for a hat. */
function* listKeys(keys: Keys, path: Path): Generator<readonly [Path, Setting]> {
  for (const [name, setting] of Object.entries(keys)) yield* listBelow(setting, [...path, name]);
}

function* listBelow(setting: Setting, path: Path): Generator<readonly [Path, Setting]> {
  if (setting.kind === 'later') return;
  if (setting.kind === 'object') return yield* listKeys(setting.keys, path);
  if (setting.kind === 'map' && setting.values.kind === 'object') {
    return yield* listBelow(setting.values, [...path, setting.hatIds === true ? 'builder' : 'sample']);
  }
  if (setting.kind === 'list' && (setting.items.kind === 'object' || setting.items.kind === 'publish')) {
    // The second event of the sample hat is written as a map.
    return yield* setting.items.kind === 'publish' ? listKeys(setting.items.keys, [...path, 1]) : listBelow(setting.items, [...path, 0]);
  }
  yield [path, setting];
  if (setting.kind === 'backend') yield* listKeys(setting.keys, path);
}

/** Values that a setting takes. */
function listSamples(setting: Setting): readonly unknown[] {
  switch (setting.kind) {
    case 'flag':
      return [true, false];
    case 'choice':
      return setting.values;
    case 'integer':
    case 'number':
    case 'duration':
    case 'money':
      return [7, 2, 0, 100_000];
    case 'topic':
    case 'pattern':
      return ['sample.topic', 'build.done'];
    case 'label':
      return ['sample', 'gpu'];
    case 'text':
    case 'line':
    case 'word':
    case 'command':
    case 'promise':
    case 'variable':
      return ['sample', 'reviewer', 'critic', 'grep', 'http://localhost:1/sample'];
    case 'path':
    case 'file':
      return [...Object.keys(FILES), '/sample'];
    case 'list':
      return listSamples(setting.items).map((item) => [item]);
    case 'map':
      return listSamples(setting.values).map((value) => ({ sample: value }));
    case 'backend':
      return ['codex'];
    case 'schema':
      return [{ type: 'object' }];
    case 'hooks':
      return [{ PreToolUse: [{ command: 'true --sample' }] }];
    case 'object':
    case 'publish':
    case 'later':
      throw new Error(`a ${setting.kind} is not written at once`);
  }
}

function withValue(tree: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(tree)) return tree.map((item, index) => (index === key ? withValue(item, rest, value) : item));
  const map = (tree ?? {}) as Tree;
  return { ...map, [key]: withValue(map[key], rest, value) };
}

/** Whether a tree has what the key stands in: where it has not, the key is seldom read, and never alone. */
function hasRoom(tree: unknown, path: Path): boolean {
  let parent = tree;
  for (const key of path.slice(0, -1)) parent = (parent as Tree | undefined)?.[key];
  return parent !== undefined;
}

/** What a configuration comes to, but for the hash of it all; `null` where it has errors. */
function compile(cwd: string, tree: unknown): string | null {
  writeFileSync(join(cwd, 'ralph.yml'), JSON.stringify(tree));
  const { settings } = loadSettings({ cwd, prompt: 'optional' });
  if (settings === null) return null;
  const { digest: _, ...compiled } = settings;
  return JSON.stringify(compiled);
}

it('each key changes what a configuration comes to: one that nobody reads is a promise that nobody keeps', () => {
  const unread = inFolder(FILES, (cwd) => {
    const before = SURROUNDINGS.map((tree) => compile(cwd, tree));
    expect(before.map((compiled) => compiled === null)).toEqual([false, false, false, true, false, false, false, false]);
    const isReadIn = (tree: unknown, path: Path, setting: Setting): boolean =>
      listSamples(setting).some((sample) => {
        const after = compile(cwd, withValue(tree, path, sample));
        return after !== null && after !== before[SURROUNDINGS.indexOf(tree)];
      });
    // One is enough: the likely ones first, which is half of the work.
    const isRead = (path: Path, setting: Setting): boolean =>
      [true, false].some((likely) =>
        SURROUNDINGS.filter((tree) => hasRoom(tree, path) === likely).some((tree) => isReadIn(tree, path, setting)),
      );
    return [...listKeys(SETTINGS_TABLE.keys, [])].filter(([path, setting]) => !isRead(path, setting)).map(([path]) => path.join('.'));
  });
  expect(unread).toEqual(FOR_PEOPLE);
});
