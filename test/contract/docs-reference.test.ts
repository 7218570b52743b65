import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createJsonSchema } from '../../src/config/index.ts';
import { isJsonObject, type Json } from '../../src/core/values/json.ts';
import { ROOT, readPage } from './markdown-pages.ts';

const REFERENCE = 'docs/reference/configuration.md';
const GUIDE = 'docs/guide/configuration.md';
const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-reference-'));

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** `npm run docs:check` for a schema: the exit code and what it said. */
function checkPage(schema: Json): { readonly exitCode: number | null; readonly said: string } {
  const file = join(FOLDER, 'schema.json');
  writeFileSync(file, JSON.stringify(schema));
  const { status, stderr } = spawnSync(process.execPath, ['scripts/docs.mjs', '--check', '--schema', file], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return { exitCode: status, said: stderr };
}

/** A row of a table of keys. */
interface Row {
  readonly type: string;
  readonly default: string;
}

/** The rows of the tables of keys of a page, by what stands in the first column. */
function listRows(page: string): ReadonlyMap<string, Row> {
  const rows = readPage(page)
    .split(/^##+ /m)
    .flatMap((section) =>
      [...section.matchAll(/^\| (`[^|]+`) \| ([^|]+) \| ([^|]+) \| [^|]+ \|$/gm)].flatMap(([, names = '', type = '', shown = '']) =>
        [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => [name, { type, default: shown }] as const),
      ),
    );
  return new Map(rows);
}

const REFERENCE_ROWS = listRows(REFERENCE);

/** The names of all keys that a schema knows anywhere, those of later versions too. */
function listNames(schema: Json): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(listNames);
  if (!isJsonObject(schema)) return [];
  const own = isJsonObject(schema['properties'] ?? null) ? Object.keys(schema['properties'] as object) : [];
  return [...own, ...Object.values(schema).flatMap((inner) => listNames(inner as Json))];
}

describe('the reference of the configuration', () => {
  test('is the one that the settings table makes', () => {
    expect(checkPage(createJsonSchema())).toEqual({ exitCode: 0, said: '' });
  });

  test('fails its check when the table says something else, and says what to do', () => {
    const changed = JSON.parse(JSON.stringify(createJsonSchema()).replace('"default":100', '"default":101')) as Json;
    expect(checkPage(changed)).toEqual({ exitCode: 1, said: `${REFERENCE} differs from the settings table: run \`npm run docs\`\n` });
  });

  test('names every key of the configuration', () => {
    const page = readPage(REFERENCE);
    const missing = listNames(createJsonSchema()).filter((name) => !new RegExp(`[\`.]${name}\``).test(page));
    expect(missing).toEqual([]);
  });

  test('knows a type for every key, with words for those that have words', () => {
    expect(REFERENCE_ROWS.size).toBeGreaterThan(80);
    const strange = [...REFERENCE_ROWS].filter(([, { type }]) => /undefined|null|object/.test(type) || type === '');
    expect(strange).toEqual([]);
    expect(REFERENCE_ROWS.get('event_loop.max_iterations')).toEqual({ type: 'whole number ≥ 1', default: '`100`' });
    expect(REFERENCE_ROWS.get('event_loop.loop_detection.repetition')?.type).toBe('whole number ≥ 2, or `0`');
    expect(REFERENCE_ROWS.get('event_loop.max_cost_usd')?.type).toBe('money > 0');
    expect(REFERENCE_ROWS.get('event_loop.timeout_seconds')?.type).toBe('duration > 0');
    expect(REFERENCE_ROWS.get('hats.<id>.triggers')?.type).toBe('list of one or more patterns');
    expect(REFERENCE_ROWS.get('core.state_dir')?.type).toBe('path');
    expect(REFERENCE_ROWS.get('gates[].run')).toEqual({ type: 'command line', default: 'required' });
    expect(REFERENCE_ROWS.get('cli.env')?.type).toBe('map of texts');
  });
});

describe('the guide of the configuration', () => {
  test('leaves tables of keys to the reference', () => {
    expect(listRows(GUIDE).size).toBe(0);
    expect(readPage(GUIDE)).toContain('(../reference/configuration.md)');
  });

  test('names no key that is not there', () => {
    const last = new Set([...REFERENCE_ROWS.keys()].map((path) => path.split('.').at(-1)));
    const sections = new Set([...REFERENCE_ROWS.keys()].map((path) => path.split('.')[0]));
    const named = [...readPage(GUIDE).matchAll(/`([a-z_]+(?:\.[a-z_<>]+)+)(?::[^`]*)?`/g)].map((match) => match[1] as string);
    const paths = named.filter((path) => sections.has(path.split('.')[0]) && !/\.ya?ml$/.test(path));
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !last.has(path.split('.').at(-1)))).toEqual([]);
  });
});
