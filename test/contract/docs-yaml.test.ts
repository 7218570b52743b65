import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { parseYamlText } from '../../src/config/index.ts';
import { isJsonObject, type Json } from '../../src/core/index.ts';
import { type CheckedConfig, checkConfig } from '../../src/validation/index.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GUIDE = 'docs/guide/configuration.md';
const WRONG_MARK = '# wrong on purpose';
const FOREIGN_MARK = '# what ralph-orchestrator reads';
const DEFAULTS_MARK = '# the defaults';
const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-docs-'));

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** A fenced block of YAML in a page. */
interface Block {
  readonly page: string;
  readonly line: number;
  readonly text: string;
}

function listBlocks(): readonly Block[] {
  const pages = readdirSync(join(ROOT, 'docs'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    // rule-pages.test.ts looks at these: each has a wrong example.
    .filter((page) => !page.startsWith('docs/rules/'));
  return ['README.md', ...pages].flatMap((page) => {
    const source = readFileSync(join(ROOT, page), 'utf8');
    return [...source.matchAll(/^([ \t]*)```ya?ml\n([\s\S]*?)^[ \t]*```/gm)].map((match) => ({
      page,
      line: source.slice(0, match.index).split('\n').length,
      text: (match[2] as string).replaceAll(new RegExp(`^${match[1] as string}`, 'gm'), ''),
    }));
  });
}

function load(text: string): CheckedConfig {
  const cwd = mkdtempSync(join(FOLDER, 'case-'));
  writeFileSync(join(cwd, 'ralph.yml'), text);
  for (const [, file] of text.matchAll(/instructions_file: (\S+)/g)) {
    mkdirSync(dirname(join(cwd, file as string)), { recursive: true });
    writeFileSync(join(cwd, file as string), 'Do it.\n');
  }
  return checkConfig({ cwd, prompt: 'optional' });
}

/** What an unknown key of a section is answered with names every key that is known there. */
function listKnownKeys(section: string): readonly string[] {
  const { diagnostics } = load(section.replace('HERE', 'qqqqqqqq: 1'));
  const fix = diagnostics.find((entry) => entry.code === 'key-unknown')?.fix ?? '';
  const keys = /: (.*)\.$/.exec(fix)?.[1];
  if (keys === undefined) throw new Error(`no list of known keys in: ${fix}`);
  return keys.split(', ').sort();
}

/** The keys in the first column of the table under a heading. */
function listRows(heading: string): ReadonlyMap<string, string> {
  const text = readFileSync(join(ROOT, GUIDE), 'utf8');
  const section = text.split(/^##+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const rows = [...section.matchAll(/^\| (`[^|]+`) \| [^|]+ \| ([^|]+) \|/gm)];
  return new Map(
    rows.flatMap((row) =>
      [...(row[1] as string).matchAll(/`([^`]+)`/g)].map((key) => [key[1] as string, (row[2] as string).trim()] as const),
    ),
  );
}

const BLOCKS = listBlocks();
const TOP_KEYS = listKnownKeys('HERE');

/** True for a ralph.yml, whole or in part; `name` and `description` stand at the top of other files as well. */
function isConfiguration({ text }: Block): boolean {
  const telling = TOP_KEYS.filter((key) => key !== 'name' && key !== 'description');
  return [...text.matchAll(/^([a-z_]+):/gm)].some((match) => telling.includes(match[1] as string));
}

const CONFIGURATIONS = BLOCKS.filter(isConfiguration);

test('every configuration in README and docs loads without an error or a warning, and the wrong ones do not', () => {
  const surprising = CONFIGURATIONS.filter(({ text }) => {
    const isWrong = load(text).diagnostics.some((entry) => entry.severity === 'error' || entry.severity === 'warning');
    return isWrong !== (text.includes(WRONG_MARK) || text.includes(FOREIGN_MARK));
  });
  expect(CONFIGURATIONS.length).toBeGreaterThan(10);
  expect(surprising.map(({ page, line, text }) => [`${page}:${line}`, load(text).diagnostics.map((entry) => entry.message)])).toEqual([]);
});

const SECTIONS: readonly (readonly [heading: string, section: string])[] = [
  ['Top level', 'HERE'],
  ['`event_loop`', 'event_loop:\n  HERE'],
  ['`cli`', 'cli:\n  HERE'],
  ['`core`', 'core:\n  HERE'],
  ['`hats`', 'hats:\n  a:\n    triggers: [task.start]\n    HERE'],
  ['`ralph`', 'ralph:\n  HERE'],
  ['`gates`', 'gates:\n  - run: make\n    HERE'],
  ['`prices`', 'prices:\n  m:\n    input: 1\n    output: 1\n    HERE'],
  ['`profiles`', 'profiles:\n  p:\n    HERE'],
  ['`worktree`', 'worktree:\n  HERE'],
];

test.each(SECTIONS)('the guide lists exactly the keys that are known: %s', (heading, section) => {
  const keys = [...listRows(heading).keys()].map((key) => key.replace(/\..*$/, ''));
  expect([...new Set(keys)].sort()).toEqual(listKnownKeys(section));
});

test.each([
  ['loop_detection', 'event_loop:\n  loop_detection:\n    HERE'],
  ['retry', 'event_loop:\n  retry:\n    HERE'],
])('the guide lists exactly the keys of event_loop.%s', (name, section) => {
  const keys = [...listRows('`event_loop`').keys()].filter((key) => key.startsWith(`${name}.`));
  expect(keys.map((key) => key.slice(name.length + 1)).sort()).toEqual(listKnownKeys(section));
});

test('every key of a later version that the guide lists gives a note', () => {
  const rows = readFileSync(join(ROOT, GUIDE), 'utf8').split('## Keys of later versions')[1] ?? '';
  const listed = ['top level', '`hats.<id>`', '`ralph`'].map((where) => {
    const row = rows.split('\n').find((line) => line.startsWith(`| ${where} |`)) ?? '';
    return [...(row.split('|')[2] ?? '').matchAll(/`([a-z_]+)`/g)].map((match) => match[1] as string);
  });
  const [top = [], hats = [], ralph = []] = listed;
  const write = (keys: readonly string[], indent: string): string => keys.map((key) => `${indent}${key}: {}\n`).join('');
  const text = `${write(top, '')}hats:\n  a:\n    triggers: [x]\n${write(hats, '    ')}ralph:\n${write(ralph, '  ')}`;
  expect(load(text).diagnostics.map((entry) => entry.code)).toEqual(listed.flat().map(() => 'key-ignored'));
});

/** `event_loop` -> `retry.max_attempts` -> 6, as the tables write it. */
function listValues(value: Json, path: readonly string[]): readonly (readonly [section: string, key: string, shown: string])[] {
  if (isJsonObject(value)) return Object.entries(value).flatMap(([key, inner]) => listValues(inner, [...path, key]));
  const [section = '', ...keys] = path;
  return [[section, keys.join('.'), Array.isArray(value) ? `[${value.join(', ')}]` : String(value)]];
}

test('the defaults written out mean the same as an empty file, and are those of the tables', () => {
  const text = CONFIGURATIONS.find(({ page, text }) => page === GUIDE && text.includes(DEFAULTS_MARK))?.text ?? '';
  const [written, empty] = [load(text), load('')].map(({ settings }) => ({ ...settings, digest: null }));
  expect(written).toEqual(empty);
  const values = listValues(parseYamlText(text, 'the defaults'), []);
  expect(values.length).toBeGreaterThan(20);
  const differing = values.filter(([section, key, shown]) => listRows(`\`${section}\``).get(key) !== `\`${shown}\``);
  expect(differing).toEqual([]);
});
