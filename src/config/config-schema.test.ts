import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { loadText } from './config-fixtures.ts';
import { createConfigSchema } from './config-schema.ts';
import { EVENT_LOOP_KEYS } from './event-loop-keys.ts';
import type { Keys, Setting } from './setting.ts';
import { CORE_KEYS, TOP_KEYS } from './settings-table.ts';

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: unknown;
  readonly description?: string;
  readonly default?: unknown;
}

/** All keys of a table with their paths; those of lists and maps left out. */
function listKeys(keys: Keys, path: readonly string[] = []): readonly (readonly [path: readonly string[], setting: Setting])[] {
  return Object.entries(keys).flatMap(([name, setting]) => [
    [[...path, name], setting] as const,
    ...(setting.kind === 'object' ? listKeys(setting.keys, [...path, name]) : []),
  ]);
}

describe('the settings table', () => {
  const schema = z.toJSONSchema(createConfigSchema(), { io: 'input' }) as JsonSchema;

  it('makes a JSON Schema with every key, its words and its default', () => {
    for (const [path, setting] of listKeys(TOP_KEYS)) {
      const found = path.reduce<JsonSchema | undefined>((at, name) => at?.properties?.[name], schema);
      expect(found?.description, path.join('.')).toBe(setting.doc);
      expect(found?.default, path.join('.')).toEqual(setting.default);
    }
    expect(schema.additionalProperties).toBe(false);
  });

  it('makes a check that agrees with the loader about what is right', () => {
    const check = createConfigSchema();
    expect(
      check.safeParse({
        event_loop: { max_iterations: 5, timeout_seconds: '10m' },
        hats: { a: { triggers: 'x', publishes: ['y'], backend: 'claude' } },
      }).success,
    ).toBe(true);
    for (const wrong of [{ zebra: 1 }, { mode: 'duo' }, { event_loop: { max_iterations: 0 } }, { gates: [{ on: 'a' }] }]) {
      expect(check.safeParse(wrong).success).toBe(false);
    }
  });

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
