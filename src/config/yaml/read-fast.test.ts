import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LocatedValue } from '../findings/located.ts';
import { createSourceFile, type SourceFile } from '../findings/located.ts';
import { parseYaml, parseYamlByLibrary } from './parse-yaml.ts';
import { readFast } from './read-fast.ts';
import { mutation, USUAL_YAML, yamlText } from './yaml-fixtures.ts';

const RUNS = Number(process.env['RALPH_YAML_RUNS'] ?? 400);

function toFile(text: string): SourceFile {
  return createSourceFile('ralph.yml', '/work', text);
}

/** Every value with its place, as plain data that compares well. */
function toPlaces(value: LocatedValue | null): unknown {
  if (value === null) return null;
  const place = `${value.place.start}-${value.place.end}`;
  if (value.kind === 'scalar') return [place, Object.is(value.value, -0) ? '-0' : String(value.value), typeof value.value, value.written];
  if (value.kind === 'list') return [place, value.items.map(toPlaces)];
  return [place, [...value.entries].map(([name, { key, value: inner }]) => [name, `${key.start}-${key.end}`, toPlaces(inner)])];
}

function expectSame(text: string): void {
  const file = toFile(text);
  const ours = parseYaml(file);
  const theirs = parseYamlByLibrary(file);
  expect(toPlaces(ours.root)).toEqual(toPlaces(theirs.root));
  expect(ours.diagnostics).toEqual(theirs.diagnostics);
}

describe('the fast reader', () => {
  it('reads what is usual by itself', () => {
    for (const text of USUAL_YAML) expect(readFast(toFile(text)), text).not.toBeNull();
  });

  it('reads what is usual as the library does, places included', () => {
    for (const text of USUAL_YAML) expectSame(text);
  });

  it.each([
    'a: !tag b',
    '%YAML 1.2\n---\na: 1',
    'a: 1\n---\nb: 2',
    '? a\n: b',
    'a: [b: c]',
    'a: [{b: c}: d]',
    ': b',
    '&a b: c',
    'a: &b',
    'a: &b 1\n*b : 2',
    'a: 1\rb: 2',
    'a: @b',
    'a: [\n  b\n]\n',
    'a: 1\n...\n',
    'a: |2\n    b\n',
    `${'k'.repeat(1001)}: 1`,
    'just text',
  ])('leaves %j to the library', (text) => {
    expect(readFast(toFile(text))).toBeNull();
    expectSame(text);
  });

  it('reads any text as the library does, or leaves it to the library', () => {
    fc.assert(
      fc.property(yamlText, fc.array(mutation, { maxLength: 3 }), (text, edits) => {
        const changed = edits.reduce((before, change) => change(before), text);
        try {
          expectSame(changed);
        } catch (error) {
          throw new Error(`for ${JSON.stringify(changed)}: ${String((error as Error).message).slice(0, 2000)}`);
        }
      }),
      { numRuns: RUNS },
    );
  }, 600_000);
});
