import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type CheckedConfig, checkConfig } from '../../src/validation/index.ts';
import { type Block, listBlocks, PAGES, readPage } from './markdown-pages.ts';

const REFERENCE = 'docs/reference/configuration.md';
const WRONG_MARK = '# wrong on purpose';
const FOREIGN_MARK = '# what ralph-orchestrator reads';
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

/** The paths in the first column of the tables of the reference, with their defaults. */
const REFERENCE_ROWS: ReadonlyMap<string, string> = new Map(
  [...readPage(REFERENCE).matchAll(/^\| `([^|`]+)` \| [^|]+ \| ([^|]+) \| [^|]+ \|$/gm)].map((row) => [row[1] as string, row[2] as string]),
);

/** The keys right under a path, '' for the top. */
function listKeysOf(path: string): readonly string[] {
  const start = path === '' ? '' : `${path}.`;
  const names = [...REFERENCE_ROWS.keys()].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
  return names.filter((name) => !/[.[]/.test(name)).sort();
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
    BLOCKS.filter((block) => block.page === page && block.name !== ''),
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

const SECTIONS: readonly (readonly [path: string, section: string])[] = [
  ['event_loop', 'event_loop:\n  HERE'],
  ['event_loop.loop_detection', 'event_loop:\n  loop_detection:\n    HERE'],
  ['event_loop.retry', 'event_loop:\n  retry:\n    HERE'],
  ['cli', 'cli:\n  HERE'],
  ['core', 'core:\n  HERE'],
  ['hats.<id>', 'hats:\n  a:\n    triggers: [task.start]\n    HERE'],
  ['ralph', 'ralph:\n  HERE'],
  ['gates[]', 'gates:\n  - run: make\n    HERE'],
  ['prices.<name>', 'prices:\n  m:\n    input: 1\n    output: 1\n    HERE'],
  ['profiles.<name>', 'profiles:\n  p:\n    HERE'],
  ['mcp_servers.<name>', 'mcp_servers:\n  s:\n    command: x\n    HERE'],
  ['tools', 'tools:\n  HERE'],
  ['sandbox', 'sandbox:\n  HERE'],
  ['worktree', 'worktree:\n  HERE'],
];

test.each(SECTIONS)('the reference lists exactly the keys that are known: %s', (path, section) => {
  expect(listKeysOf(path)).toEqual(listKnownKeys(section));
});

test('the reference lists exactly the keys that are known at the top', () => {
  const section = /^## Top level\n([\s\S]*?)\n## /m.exec(readPage(REFERENCE))?.[1] ?? '';
  expect([...section.matchAll(/^\| `([a-z_]+)` \|/gm)].map((match) => match[1]).sort()).toEqual(TOP_KEYS);
});

test('every key of a later version that the reference lists gives a note', () => {
  const rows = readPage(REFERENCE).split('## Keys of later versions')[1] ?? '';
  const listed = ['top level', '`hats.<id>`', '`ralph`'].map((where) => {
    const row = rows.split('\n').find((line) => line.startsWith(`| ${where} |`)) ?? '';
    return [...(row.split('|')[2] ?? '').matchAll(/`([a-z_]+)`/g)].map((match) => match[1] as string);
  });
  const [top = [], hats = [], ralph = []] = listed;
  const write = (keys: readonly string[], indent: string): string => keys.map((key) => `${indent}${key}: {}\n`).join('');
  const text = `${write(top, '')}hats:\n  a:\n    triggers: [x]\n${write(hats, '    ')}ralph:\n${write(ralph, '  ')}`;
  expect(load(text).diagnostics.map((entry) => entry.code)).toEqual(listed.flat().map(() => 'key-ignored'));
});

/** A map of maps as YAML; what is in it is YAML already. */
function writeYaml(map: ReadonlyMap<string, unknown>, indent = ''): string {
  return [...map]
    .map(([key, value]) => `${indent}${key}:${value instanceof Map ? `\n${writeYaml(value, `${indent}  `)}` : ` ${value}\n`}`)
    .join('');
}

test('a file with all defaults of the reference means the same as an empty one', () => {
  const root = new Map<string, unknown>();
  const rows = [...REFERENCE_ROWS].filter(([path, shown]) => !/[<[]/.test(path) && /^`.*`$/.test(shown));
  for (const [path, shown] of rows) {
    const keys = path.split('.');
    let map = root;
    for (const key of keys.slice(0, -1)) {
      if (!map.has(key)) map.set(key, new Map<string, unknown>());
      map = map.get(key) as Map<string, unknown>;
    }
    map.set(keys.at(-1) as string, shown.slice(1, -1));
  }
  expect(rows.length).toBeGreaterThan(40);
  const [written, empty] = [load(writeYaml(root)), load('')].map(({ settings }) => ({ ...settings, digest: null }));
  expect(written).toEqual(empty);
});
