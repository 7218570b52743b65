import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../core/values/json.ts';
import { loadText } from '../config-fixtures.ts';
import { parseYamlText } from '../yaml/parse-yaml.ts';
import { createJsonSchema, type JsonSchema } from './create-json-schema.ts';
import { EVENT_LOOP_KEYS } from './event-loop-keys.ts';
import { matchesJsonSchema } from './json-schema-fixtures.ts';
import type { Keys, Setting } from './setting.ts';
import { CORE_KEYS, TOP_KEYS } from './settings-table.ts';

const PRESETS = new URL('../../../presets/', import.meta.url);
const GUIDE = new URL('../../../docs/guide/configuration.md', import.meta.url);

const RIGHT = [
  '',
  'x-own: {anything: [1]}',
  'event_loop: {max_iterations: 5, timeout_seconds: 10m, max_cost_usd: $5, coordinator: hats}',
  'event_loop: {max_iterations: "12", retry: {base_seconds: 500ms}, loop_detection: {repetition: 0}}',
  'event_loop:\n  max_iterations:\ncli:\nhats:\n  a:\n    triggers: x\n    publishes:\n',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the user's own variable
  'event_loop: {max_iterations: "${N:-5}", coordinator: "${WHO}", strict_validation: "${STRICT}"}',
  'hats: {a: {triggers: [build.*, "*"], publishes: [y, {topic: z, target: a}], backend: claude}}',
  'hats: {a: {triggers: x, backend: [claude, {command: ./a.sh, args: [1, true, b]}], x-mine: 1}}',
  'hats: {a: {triggers: x, panel: {agents: [{id: b, backend: {type: claude, model: m}}, {id: c, backend: codex}], timeout: 10m}}}',
  'cli: {backend: claude, model: 4.1, env: {A: 1, B: ""}}',
  'gates: [{run: npm test}, {run: "a\\nb", on: [a, b.*], timeout_seconds: 60}]',
  'prices: {m: {input: 1, output: "2.5"}}',
  'core: {state_dir: .ralph/x, scratchpad: a/..b.md}',
  'hooks: {PreToolUse: [{matcher: "*"}]}',
];

const WRONG = [
  'zebra: 1',
  'event_loop: {max_iteratons: 3}',
  'event_loop: {max_iterations: 0}',
  'event_loop: {max_iterations: 1.5}',
  'event_loop: {max_iterations: ten}',
  'event_loop: {max_iterations: true}',
  'event_loop: {max_cost_usd: 0}',
  'event_loop: {max_cost_usd: free}',
  'event_loop: {timeout_seconds: 10 x}',
  'event_loop: {loop_detection: {repetition: 1}}',
  'event_loop: {completion_promise: ALL DONE}',
  'event_loop: {coordinator: rlaph}',
  'event_loop: {strict_validation: yes}',
  'event_loop: {event_sources: []}',
  'event_loop: {starting_event: build.*}',
  'event_loop: 5',
  'mode: duo',
  'hats: [a]',
  'hats: {}',
  'hats: {"a b": {triggers: [x]}}',
  'hats: {ralph: {triggers: [x]}}',
  'hats: {constructor: {triggers: [x]}}',
  'hats: {a: {triggers: []}}',
  'hats: {a: planner}',
  'hats: {a: {trigers: [x]}}',
  'hats: {a: {triggers: [build*]}}',
  'hats: {a: {triggers: [a..b]}}',
  'hats: {a: {triggers: [x], publishes: [{target: a}]}}',
  'hats: {a: {triggers: [x], backend: claud}}',
  'hats: {a: {triggers: [x], backend: []}}',
  'hats: {a: {triggers: [x], panel: {agents: [{id: b}]}}}',
  'hats: {a: {triggers: [x], panel: {agents: [{id: b, backend: [claude]}, {id: c}]}}}',
  'cli: {env: {"A=B": x}}',
  'cli: {args: [{a: b}]}',
  'core: {state_dir: ../x}',
  'core: {state_dir: /x}',
  'core: {state_dir: .git/x}',
  'gates: [{on: a}]',
  'gates: [npm test]',
  'prices: {m: {input: -1, output: 2}}',
  'prices: {m: {input: 1}}',
];

/** All keys of a table with their paths; those of lists and maps left out. */
function listKeys(keys: Keys, path: readonly string[] = []): readonly (readonly [path: readonly string[], setting: Setting])[] {
  return Object.entries(keys).flatMap(([name, setting]) => [
    [[...path, name], setting] as const,
    ...(setting.kind === 'object' ? listKeys(setting.keys, [...path, name]) : []),
  ]);
}

/** The keys of a map, also of one that may be said in one word. */
function toMap(schema: JsonSchema | undefined): Record<string, JsonSchema> | undefined {
  const choices = [schema, ...((schema?.['anyOf'] ?? []) as readonly JsonSchema[])];
  return choices.map((choice) => choice?.['properties']).find((keys) => keys !== undefined) as Record<string, JsonSchema> | undefined;
}

/** The YAML blocks of a page that are whole configurations without a mistake. */
function listSamples(markdown: string): readonly string[] {
  return [...markdown.matchAll(/```ya?ml\n([\s\S]*?)```/g)]
    .map(([, text]) => text ?? '')
    .filter((text) => loadText(text).diagnostics.every(({ severity }) => severity !== 'error' && severity !== 'warning'));
}

describe('the JSON Schema of a configuration', () => {
  const schema = createJsonSchema();
  const isRight = (yaml: string): boolean => matchesJsonSchema(schema, parseYamlText(yaml, 'sample') as Json);

  it('is one of draft 7 with every key, its words and its default', () => {
    expect(schema['$schema']).toBe('http://json-schema.org/draft-07/schema#');
    for (const [path, setting] of listKeys(TOP_KEYS)) {
      const found = path.reduce<JsonSchema | undefined>((at, name) => toMap(at)?.[name], schema);
      expect(found?.['description'], path.join('.')).toBe(setting.doc);
      expect(found?.['default'], path.join('.')).toEqual(setting.default);
    }
  });

  it.each(RIGHT)('takes `%s`, as the loader does', (yaml) => {
    expect(isRight(yaml)).toBe(true);
  });

  it.each(WRONG)('finds what is wrong in `%s`, as the loader does', (yaml) => {
    expect(isRight(yaml)).toBe(false);
    expect(loadText(yaml).diagnostics.length).toBeGreaterThan(0);
  });

  it('takes every preset', () => {
    const names = readdirSync(PRESETS).filter((name) => name.endsWith('.yml'));
    for (const name of names) expect(isRight(readFileSync(new URL(name, PRESETS), 'utf8')), name).toBe(true);
  });

  it('takes the samples of the guide', () => {
    const samples = listSamples(readFileSync(GUIDE, 'utf8'));
    expect(samples.length).toBeGreaterThan(3);
    for (const sample of samples) expect(isRight(sample), sample).toBe(true);
  });
});

describe('the settings table', () => {
  it('has defaults that its own check accepts', () => {
    const sections: readonly (readonly [string, Keys])[] = [
      ['event_loop', EVENT_LOOP_KEYS],
      ['core', CORE_KEYS],
      ['cli', TOP_KEYS.cli.keys],
    ];
    for (const [name, keys] of sections) {
      const defaults = Object.fromEntries(
        Object.entries(keys).flatMap(([key, { default: value }]) => (value === undefined ? [] : [[key, value]])),
      );
      expect(loadText(JSON.stringify({ [name]: defaults })).diagnostics).toEqual([]);
    }
  });

  it('says of every key what it is for, in a sentence', () => {
    for (const [path, setting] of listKeys(TOP_KEYS)) expect(setting.doc, path.join('.')).toMatch(/^.{5,200}\.$/);
  });
});
