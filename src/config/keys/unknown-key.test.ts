import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { propertyRuns, takeShare } from '../../core/property-fixtures.ts';
import { loadText } from '../config-fixtures.ts';
import { SETTINGS_TABLE } from './settings-table.ts';

type Tree = { [key: string]: unknown };

const BASE = { hats: { a: { triggers: ['task.start'] } } };
/** Where keys are tried, with the way to the map that holds them. */
const PLACES: readonly (readonly [place: string, way: readonly (string | number)[], beside: Tree])[] = [
  ['at the top', [], {}],
  ['in a hat', ['hats', 'a'], { triggers: ['task.start'] }],
  ['in a hat with an agent', ['hats', 'a'], { triggers: ['task.start'], backend: 'claude' }],
  ['in ralph', ['ralph'], {}],
  ['in event_loop', ['event_loop'], {}],
  ['in cli', ['cli'], { backend: 'claude' }],
  ['in core', ['core'], {}],
  ['in a gate', ['gates', 0], {}],
  ['in a gate with a command', ['gates', 0], { run: 'npm test' }],
  ['in a profile', ['profiles', 'p'], { allow: ['fs_read'] }],
  ['in worktree', ['worktree'], {}],
];
const VALUES: readonly unknown[] = ['npm test', 'opus', 'task.done', 7, true, ['a.b'], { A: 'b' }];
/** They have errors about what stands elsewhere, or about what is in them, whatever their place. */
const APART = ['mode', 'coordinator', 'prompt', 'prompt_file', 'hooks', 'notify'];

function withKey(way: readonly (string | number)[], beside: Tree, key: string, value: unknown): Tree {
  const root: Tree = structuredClone(BASE);
  let map: Tree = root;
  for (const [index, step] of way.entries()) {
    const next = way[index + 1] === 0 ? [] : ((map[step] as Tree | undefined) ?? {});
    map[step] = next;
    map = next as Tree;
  }
  Object.assign(map, beside, { [key]: value });
  return root;
}

function holderOf(root: Tree, way: readonly (string | number)[]): Tree {
  return way.reduce<Tree>((map, step) => map[step] as Tree, root);
}

function merge(into: Tree, from: Tree): void {
  for (const [key, value] of Object.entries(from)) {
    const known = into[key];
    if (isTree(known) && isTree(value)) merge(known, value);
    else into[key] = value;
  }
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is wrong after doing what the fix of a key says, the value itself aside; `null` where it only says to remove the key. */
function follow(way: readonly (string | number)[], beside: Tree, key: string, value: unknown): readonly string[] | null {
  const root = withKey(way, beside, key, value);
  const before = loadText(stringify(root)).diagnostics;
  const finding = before.find(({ code, message }) => /key-(unknown|misplaced)/.test(code) && message.includes(key));
  const fix = finding?.fix ?? '';
  const holder = holderOf(root, way);
  delete holder[key];
  const renamed = /^Write `(\w+):`\.$/.exec(fix)?.[1];
  const atTop = /^Write `(\w+):` at the beginning/.exec(fix)?.[1];
  const block = /^Write:\n\n([\s\S]+)$/.exec(fix)?.[1];
  if (renamed !== undefined) holder[renamed] = value;
  else if (atTop !== undefined) root[atTop] = value;
  else if (block !== undefined && !fix.includes('profile: mine')) merge(root, parse(block.replaceAll('…', JSON.stringify(value))) as Tree);
  else return null;
  const known = before.map(({ message }) => message);
  const isValue = (message: string): boolean => message.includes(String(value));
  return loadText(stringify(root))
    .diagnostics.filter(({ severity, message }) => severity === 'error' && !known.includes(message) && !isValue(message))
    .map(({ message }) => message);
}

describe('an unknown key', () => {
  it.each([
    ['gates: [{command: npm test}]', 'run'],
    ['gates: [{cmd: npm test}]', 'run'],
    ['hats: {a: {triggers: [x], prompt: Do it.}}', 'instructions'],
    ['hats: {a: {triggers: [x], emits: [y]}}', 'publishes'],
    ['hats: {a: {on: [x]}}', 'triggers'],
    ['ralph: {prompt: Do it.}', 'instructions'],
    ['event_loop: {max_turns: 3}', 'max_iterations'],
  ])('%s means %s, and is mended in one way only', (text, meant) => {
    const [finding, ...others] = loadText(text).diagnostics.filter(({ severity }) => severity === 'error');
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ code: 'key-unknown', fix: `Write \`${meant}:\`.` });
    expect(finding?.repairs).toMatchObject([{ isSafe: true, change: { kind: 'replace', text: meant } }]);
  });

  it('a misspelt key of the agent of a hat belongs below its backend, whose name is kept', () => {
    const [finding] = loadText('hats:\n  a:\n    triggers: [x]\n    backend: claude\n    modle: opus\n').diagnostics;
    expect(finding?.message).toBe('Unknown key "modle": did you mean `model`?');
    expect(finding?.fix).toBe('Write:\n\nhats:\n  a:\n    backend:\n      type: claude\n      model: opus');
  });

  it('what its fix says is valid where it says it, for every key of every place', () => {
    const names = new Set<string>();
    const collect = (keys: Readonly<Record<string, unknown>>): void => {
      for (const [name, setting] of Object.entries(keys)) {
        names.add(name);
        if (isTree(setting) && isTree(setting['keys'])) collect(setting['keys']);
        for (const part of ['values', 'items']) {
          const inner = isTree(setting) ? setting[part] : undefined;
          if (isTree(inner) && isTree(inner['keys'])) collect(inner['keys']);
        }
      }
    };
    collect(SETTINGS_TABLE.keys);
    for (const name of ['prompt', 'emits', 'modle', 'command', 'cmd', 'on', 'timeout', 'max_turns', 'system_prompt', 'iterations'])
      names.add(name);
    let followed = 0;
    const wrong: string[] = [];
    for (const [place, way, beside] of PLACES) {
      for (const [index, name] of takeShare([...names]).entries()) {
        if (Object.hasOwn(beside, name) || APART.includes(name)) continue;
        const value = VALUES[index % VALUES.length];
        const errors = follow(way, beside, name, value);
        if (errors !== null) followed += 1;
        if (errors !== null && errors.length > 0) wrong.push(`${name}: ${JSON.stringify(value)} ${place}: ${errors.join(' ')}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(followed).toBeGreaterThan(propertyRuns(100) - 10);
  });
});
