import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseYamlText } from '../../src/config/index.ts';
import { isJsonObject, type Json } from '../../src/core/index.ts';
import { type CheckedConfig, checkConfig } from '../../src/validation/index.ts';
import { type Block, listBlocks, PAGES, readPage } from './markdown-pages.ts';

const GUIDE = 'docs/guide/configuration.md';
const WRONG_MARK = '# wrong on purpose';
const FOREIGN_MARK = '# what ralph-orchestrator reads';
const DEFAULTS_MARK = '# the defaults';
const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-docs-'));

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** The rules of a page have their own test, rule-pages.test.ts: each has a wrong example. What is recorded in fixtures is no example. */
const BLOCKS = PAGES.filter((page) => !/^(docs\/rules|fixtures)\//.test(page)).flatMap((page) => listBlocks(page));
const YAML = BLOCKS.filter(({ language }) => /^ya?ml$/.test(language));

/** Checks a configuration, with other files beside it: those that a page shows, and those that it names for instructions. */
function load(text: string, files: readonly Block[] = []): CheckedConfig {
  const cwd = mkdtempSync(join(FOLDER, 'case-'));
  writeFileSync(join(cwd, 'ralph.yml'), text);
  for (const file of files) {
    mkdirSync(dirname(join(cwd, file.name)), { recursive: true });
    writeFileSync(join(cwd, file.name), file.text);
  }
  for (const { text: inner, name } of [{ text, name: '' }, ...files]) {
    for (const [, file] of inner.matchAll(/instructions_file: (\S+)/g)) {
      const path = join(cwd, dirname(name), file as string);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'Do it.\n');
    }
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
  const text = readPage(GUIDE);
  const section = text.split(/^##+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const rows = [...section.matchAll(/^\| (`[^|]+`) \| [^|]+ \| ([^|]+) \|/gm)];
  return new Map(
    rows.flatMap((row) =>
      [...(row[1] as string).matchAll(/`([^`]+)`/g)].map((key) => [key[1] as string, (row[2] as string).trim()] as const),
    ),
  );
}

const TOP_KEYS = listKnownKeys('HERE');

/** True for a ralph.yml, whole or in part; `name` and `description` stand at the top of other files as well. */
function isConfiguration({ text }: Block): boolean {
  const telling = TOP_KEYS.filter((key) => key !== 'name' && key !== 'description');
  return [...text.matchAll(/^([a-z_]+):/gm)].some((match) => telling.includes(match[1] as string));
}

const CONFIGURATIONS = YAML.filter((block) => block.name === '' && isConfiguration(block));

/** Checks a block together with the other files that its page shows. */
function loadBlock({ page, text }: Block): CheckedConfig {
  return load(
    text,
    YAML.filter((block) => block.page === page && block.name !== ''),
  );
}

test('every configuration in README and docs loads without an error or a warning, and the wrong ones do not', () => {
  const surprising = CONFIGURATIONS.filter((block) => {
    const { text } = block;
    const isWrong = loadBlock(block).diagnostics.some((entry) => entry.severity === 'error' || entry.severity === 'warning');
    return isWrong !== (text.includes(WRONG_MARK) || text.includes(FOREIGN_MARK));
  });
  expect(CONFIGURATIONS.length).toBeGreaterThan(10);
  expect(surprising.map((block) => [`${block.page}:${block.line}`, loadBlock(block).diagnostics.map((entry) => entry.message)])).toEqual(
    [],
  );
});

test('no configuration hides in a block that is not called YAML, and no YAML is anything else unawares', () => {
  const hidden = BLOCKS.filter((block) => block.language === '' && isConfiguration(block));
  // A scenario has its own test, test/scenarios/harness.test.ts.
  const strange = YAML.filter((block) => block.name === '' && !isConfiguration(block) && !/^config:/m.test(block.text));
  expect([...hidden, ...strange].map(({ page, line }) => `${page}:${line}`)).toEqual([]);
});

test('every other file that a page shows is named by the page', () => {
  const beside = YAML.filter((block) => block.name !== '');
  const unused = beside.filter(({ page, name }) => readPage(page).split(name).length < 3);
  expect(beside.length).toBeGreaterThan(0);
  expect(unused.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
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
  ['`mcp_servers`', 'mcp_servers:\n  s:\n    command: x\n    HERE'],
  ['`tools`', 'tools:\n  HERE'],
  ['`sandbox`', 'sandbox:\n  HERE'],
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
  const rows = readPage(GUIDE).split('## Keys of later versions')[1] ?? '';
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
