import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const DOCS = readFileSync(new URL('../../docs/ndjson.md', import.meta.url), 'utf8');
const SOURCES = ['run/inputs', 'run/effects', 'backends/backend-event'] as const;

/** The `type`s that a file of core declares. */
function listTypes(name: (typeof SOURCES)[number]): readonly string[] {
  const source = readFileSync(new URL(`../core/${name}.ts`, import.meta.url), 'utf8');
  return [...source.matchAll(/readonly type: '([a-z-]+)'/g)].map((match) => match[1] ?? '');
}

describe('docs/ndjson.md', () => {
  it.each(SOURCES)('describes every type in %s', (name) => {
    const types = listTypes(name);
    expect(types.length).toBeGreaterThan(5);
    expect(types.filter((type) => !DOCS.includes(`| \`${type}\` |`))).toEqual([]);
  });

  it('names every field of inputs and effects', () => {
    for (const name of ['run/inputs', 'run/effects'] as const) {
      const source = readFileSync(new URL(`../core/${name}.ts`, import.meta.url), 'utf8');
      const fields = [...source.matchAll(/^ {2}readonly (\w+)\??:/gm)].map((match) => match[1] ?? '');
      expect(fields.filter((field) => field !== 'type' && !DOCS.includes(`\`${field}\``))).toEqual([]);
    }
  });
});
