import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenAt } from '../config-fixtures.ts';
import { createSourceFile, findPlace, type LocatedValue, type SourceFile, toSpan } from '../findings/located.ts';
import { parseYaml, parseYamlByLibrary, readFast } from './parse-yaml.ts';
import { mutation, USUAL_YAML, yamlText } from './yaml-fixtures.ts';

function parse(text: string) {
  return parseYaml(createSourceFile('ralph.yml', '/work', text));
}

/** The plain value, and the names of the findings with the text at their places. */
function read(text: string): { value: unknown; findings: readonly string[] } {
  const { root, diagnostics } = parse(text);
  return {
    value: root === null ? null : toPlain(root),
    findings: diagnostics.map((diagnostic) => `${diagnostic.code} ${tokenAt(text, diagnostic)}`),
  };
}

function toPlain(value: LocatedValue): unknown {
  if (value.kind === 'scalar') return value.value;
  if (value.kind === 'list') return value.items.map(toPlain);
  return Object.fromEntries([...value.entries].map(([name, entry]) => [name, toPlain(entry.value)]));
}

describe('parseYaml', () => {
  it.each(['', '\n\n', '# only a comment\n', '---\n', '\uFEFF', '~\n'])('reads %j as an empty configuration', (text) => {
    expect(read(text)).toEqual({ value: {}, findings: [] });
  });

  it('reads a byte order mark, CRLF and one document with its marks', () => {
    const expected = { value: { a: 1, b: ['x', 'y'] }, findings: [] };
    expect(read('\uFEFFa: 1\r\nb: [x,\r\n  y]\r\n')).toEqual(expected);
    expect(read('---\na: 1\nb: [x, y]\n...\n')).toEqual(expected);
  });

  it('gives places that count from 1, with and without CRLF and byte order mark', () => {
    for (const text of ['a: 1\nhats:\n  b:\n    c: "x y"\n', '\uFEFFa: 1\r\nhats:\r\n  b:\r\n    c: "x y"\r\n']) {
      const { root } = parse(text);
      const span = root === null ? null : toSpan(findPlace(root, ['hats', 'b', 'c']));
      expect(span).toMatchObject({ file: 'ralph.yml', line: 4, column: 8, endLine: 4, endColumn: 13 });
    }
  });

  it('shows a map, a list and an empty value at the key, and what is not there at the nearest part that is', () => {
    const text = 'hats:\n  b:\n    list: [1, 2]\n    none:\n';
    const { root } = parse(text);
    if (root === null) throw new Error('no root');
    const shown = (path: readonly (string | number)[]) => tokenAt(text, toSpan(findPlace(root, path)));
    expect(shown(['hats', 'b'])).toBe('b');
    expect(shown(['hats', 'b', 'list'])).toBe('list');
    expect(shown(['hats', 'b', 'list', 1])).toBe('2');
    expect(shown(['hats', 'b', 'none'])).toBe('none');
    expect(shown(['hats', 'b', 'nothing', 'here'])).toBe('b');
  });

  it.each([
    ['a: 1\n\tb: 2\n', 'yaml-tab'],
    ['a: b: c\n', 'yaml-syntax'],
    ['a: "x\n', 'yaml-syntax'],
    ['{a: 1', 'yaml-syntax'],
    ['a: @x\n', 'yaml-syntax'],
    ['a: |\n  x\n y: 1\n', 'yaml-indent'],
    ['a: "\\q"\n', 'yaml-syntax'],
  ])('finds the mistake in %j', (text, code) => {
    const { root, diagnostics } = parse(text);
    expect(root).toBeNull();
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toContain(code);
    expect(diagnostics.every((diagnostic) => diagnostic.severity === 'error' && diagnostic.line >= 1 && diagnostic.column >= 1)).toBe(true);
  });

  it.each([
    ['a: [\n', 'This `[` is never closed.', 4],
    ['a: [1, 2\nb: 3\n', 'This `[` is never closed.', 4],
    ['a: {b: 1\n', 'This `{` is never closed.', 4],
    ['{a: 1', 'This `{` is never closed.', 1],
    ['a: "x\n', 'This `"` is never closed.', 4],
    ["a: 'x\nb: c\n", "This `'` is never closed.", 4],
  ])('points at what is never closed in %j', (text, message, column) => {
    expect(parse(text).diagnostics[0]).toMatchObject({ code: 'yaml-syntax', message, line: 1, column, endColumn: column + 1 });
  });

  it('tells an end that is not indented enough from one that is missing', () => {
    const [first] = parse('a:\n  b: [\n  c\n]\n').diagnostics;
    expect(first).toMatchObject({ code: 'yaml-indent', line: 2, column: 6 });
    expect(
      parse('a: [b, {c: d\ne: f\n')
        .diagnostics.map((finding) => finding.column)
        .sort(),
    ).toEqual([4, 8]);
  });

  it('points at the tab', () => {
    expect(parse('a:\n\tb: 2\n').diagnostics[0]).toMatchObject({ line: 2, column: 1 });
  });

  it('finds a key that is there twice, at any depth, with the place of the first', () => {
    const text = 'hats:\n  b: {triggers: [x]}\n  c: 1\n  b: {triggers: [y]}\n';
    const [finding] = parse(text).diagnostics;
    expect(finding).toMatchObject({ code: 'yaml-duplicate-key', line: 4, column: 3, related: [{ line: 2, column: 3 }] });
    expect(read('{"a": 1, \'a\': 2}').findings).toEqual(["yaml-duplicate-key 'a'"]);
  });

  it('tells other mistakes beside those of syntax, and of those five of a kind', () => {
    const { value, findings } = read('a: 1\na: 2\nb: *nothing\nhats:\n\tx: 1\n');
    expect(value).toBeNull();
    expect(findings).toEqual(['yaml-tab \t', 'yaml-duplicate-key a', 'yaml-alias *nothing']);
    expect(read('Not: any: YAML\n'.repeat(30)).findings.filter((finding) => finding.startsWith('yaml-syntax'))).toHaveLength(5);
  });

  it('refuses a second document', () => {
    expect(read('a: 1\n---\nb: 2\n')).toMatchObject({ findings: ['yaml-documents b: 2'] });
    expect(read('a: 1\n---\n').findings).toEqual([]);
  });

  it.each(['- a\n- b\n', 'just text\n', '42\n'])('refuses %j, which has no keys', (text) => {
    const { value, findings } = read(text);
    expect(value).toBeNull();
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatch(/^config-shape /);
  });

  it('resolves aliases and merges, what is written out winning over what is merged', () => {
    const text =
      'x-base: &base {model: a, args: [b]}\none: *base\ntwo:\n  <<: *base\n  model: c\nthree: {<<: [*base, {cwd: d}], args: []}\n';
    expect(read(text)).toEqual({
      value: {
        'x-base': { model: 'a', args: ['b'] },
        one: { model: 'a', args: ['b'] },
        two: { model: 'c', args: ['b'] },
        three: { model: 'a', args: [], cwd: 'd' },
      },
      findings: [],
    });
  });

  it('finds aliases that stand for nothing, or for themselves', () => {
    expect(read('a: *nope\n').findings).toEqual(['yaml-alias *nope']);
    expect(read('a: &x [1, *x]\n').findings).toEqual(['yaml-alias *x']);
    expect(read('a: &x {k: *x}\n').findings).toEqual(['yaml-alias *x']);
    expect(read('a: {<<: 1}\n').findings).toEqual(['yaml-merge 1']);
  });

  it('refuses aliases that stand for more than a configuration can mean', () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) =>
        `l${level}: &l${level} [${Array(9)
          .fill(level === 0 ? 'x' : `*l${level - 1}`)
          .join(', ')}]`,
    );
    expect(read(levels.join('\n')).findings).toHaveLength(1);
    expect(parse(levels.join('\n')).diagnostics[0]?.code).toBe('yaml-alias-bomb');
    const chain = Array.from({ length: 150 }, (_, level) => `l${level}: &l${level} [${level === 0 ? 'x' : `*l${level - 1}`}]`);
    expect(parse(chain.join('\n')).diagnostics[0]?.code).toBe('yaml-alias-bomb');
  });

  it.each(['['.repeat(100_000), '- '.repeat(100_000), '{a: '.repeat(5000), '? '.repeat(50_000), `${'['.repeat(5000)}${']'.repeat(5000)}`])(
    'refuses nesting that would exhaust the machine (%#)',
    (text) => {
      expect(parse(text)).toMatchObject({ root: null, diagnostics: [{ code: 'yaml-too-deep' }] });
    },
  );

  it('refuses keys that are no text, and takes numbers and truth values as they are written', () => {
    expect(read('? [a, b]\n: c\n').findings).toEqual(['yaml-key [a, b]']);
    expect(read('10: a\n1.0: b\ntrue: c\nno: d\n').value).toEqual({ '10': 'a', '1.0': 'b', true: 'c', no: 'd' });
  });

  it('keeps the order of the text, for names that look like numbers too', () => {
    const { root } = parse('zed: 1\n10: 2\n2: 3\nabc: 4\n');
    expect([...(root?.entries.keys() ?? [])]).toEqual(['zed', '10', '2', 'abc']);
  });

  it('tells a tag that means nothing, and reads on', () => {
    expect(read('a: !secret x\n')).toEqual({ value: { a: 'x' }, findings: ['yaml-tag !secret'] });
  });

  it('takes names of the language itself as names', () => {
    expect(read('__proto__: {a: 1}\nconstructor: 2\n').findings).toEqual([]);
    expect([...(parse('__proto__: 1\n').root?.entries.keys() ?? [])]).toEqual(['__proto__']);
  });
});

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
