import fc from 'fast-check';

/** Texts as people write them. */
export const USUAL_YAML: readonly string[] = [
  '',
  '# nothing but words\n',
  '---\n# a mark first\na: 1\n',
  'a:\nb: ~\nc: null\nd:   # none\ne: ""\n',
  'n: [0, -1, +2, 007, 0o17, 0x1F, 1.5, .5, 5., 1e3, -.inf, .NaN, 1_000, 0b1, 12:30, ~]\n',
  'w: [yes, on, Off, true, False, TRUE, tRUE, null, Null, nUll]\n',
  "hats:\n  b:\n    triggers: [task.start, \"build.*\", 'it''s']\n    publishes:\n      - a\n      - topic: b\n        target: c\n      -\n      - {topic: d, target: e}\n",
  'text: |\n  One.\n    Two.\n\n  Three.\nfolded: >-\n  a\n  b\n\n  c\nkeep: |+\n  x\n\nlast: |\n  z',
  'x: &x {a: 1, b: [1, 2]}\ny: *x\nz:\n  <<: *x\n  a: 2\nlist: &l\n  - 1\nagain: *l\n',
  'a: {b, c: , d: e,}\nf: [\n  1, # one\n  2,\n  ]\n',
  '- a\n- - b\n  - c\n',
  'same:\n- a\n- b\nnext: 1\n',
  'url: https://example.org/a#b\nwords: it is: no, it\'s "so"\n'.replace('is: no', 'is no'),
  'long: one\n  two\n  three\nquoted: "one\n  two\\\n  \\u263A"\n',
  'crlf: 1\r\nmap:\r\n  a: |\r\n    x\r\n    y\r\n  b: [1,\r\n    2]\r\n',
  '"quoted key": 1\n\'other\': 2\n10: 3\ntrue: 4\n',
];

/** What a hand or a torn write may leave in a YAML text. */
export const YAML_PIECES = [
  ...'[]{}:,-&*!|>\'"%@`#?~<=\\ \t\n\r\0\u0001\uFEFF😀\u0085\u2028',
  ...[
    '<<: *x',
    '*x',
    '---\n',
    '...\n',
    '- ',
    '\n  ',
    '!!map ',
    '%YAML 1.1\n',
    '0x',
    '.inf',
    'null',
    '&x ',
    '? ',
    ': ',
    ' #',
    '|\n',
    '>-\n',
    '|+2\n',
    '\n\n',
    '  \n',
  ],
];

/** A change of a text, anywhere in it. */
export const mutation: fc.Arbitrary<(text: string) => string> = fc.oneof(
  fc
    .record({ at: fc.double({ min: 0, max: 1, noNaN: true }), piece: fc.constantFrom(...YAML_PIECES) })
    .map(({ at, piece }) => (text: string) => {
      const index = Math.floor(at * text.length);
      return text.slice(0, index) + piece + text.slice(index);
    }),
  fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.nat({ max: 6 }) }).map(({ at, length }) => (text: string) => {
    const index = Math.floor(at * text.length);
    return text.slice(0, index) + text.slice(index + length);
  }),
  fc.record({ line: fc.nat({ max: 30 }), by: fc.integer({ min: -3, max: 3 }) }).map(({ line, by }) => (text: string) => {
    const shift = (row: string): string => (by < 0 ? row.slice(-by) : ' '.repeat(by) + row);
    return text
      .split('\n')
      .map((row, index) => (index === line ? shift(row) : row))
      .join('\n');
  }),
);

const PLAIN = [
  'a',
  'b',
  'c d',
  'build.done',
  'x-y',
  'a:b',
  'a#b',
  '1',
  '-1',
  '1.50',
  '0o7',
  '.inf',
  'true',
  'no',
  '~',
  'null',
  '<<',
  "it's",
  'a"b',
  '$5',
  '=',
  'é',
  'one\n@two',
  '-a',
  ':a',
  '?a',
];
const QUOTED = ['""', "''", '"a b"', "'it''s'", '"\\n\\u00e9"', '"a\n@b"', "'a\n\n@b'", '"x\\\n@y"', '"#"', "': '", '"a"'];
const scalar = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PLAIN) },
  { weight: 2, arbitrary: fc.constantFrom(...QUOTED) },
  fc.constant(''),
);
const key = fc.oneof(fc.constantFrom('a', 'b', 'c', 'k 1', '10', '"q"', "'s'", 'true', '<<', 'x-y', 'é'));
const comment = fc.constantFrom('', '', '', '', ' # why', '\n', '\n\n', '\n# why: [');
const property = fc.constantFrom('', '', '', '', '', '', '&x ', '&y ', '*x', '*y');

type Block = (indent: number) => string;
const pad = (indent: number): string => ' '.repeat(indent);
/** A line inside of a scalar of several lines is indented deep enough for wherever it stands. */
const deepen = (text: string, indent: number): string => text.replaceAll('@', pad(indent + 1));

const { flow } = fc.letrec<{ flow: string }>((tie) => ({
  flow: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar.map((text) => (text === '' ? 'z' : text)),
    fc
      .tuple(
        fc.array(tie('flow'), { maxLength: 4 }),
        fc.constantFrom(', ', ',', ' , ', ',\n@', ', # why\n@'),
        fc.constantFrom('', ',', ' ', '\n@'),
      )
      .map(([items, separator, last]) => `[${items.join(separator)}${items.length === 0 && last === ',' ? '' : last}]`),
    fc
      .tuple(
        fc.array(fc.tuple(key, fc.constantFrom(': ', ': ', ' : ', ':\n@', ''), tie('flow')), { maxLength: 4 }),
        fc.constantFrom(', ', ',\n@'),
      )
      .map(
        ([pairs, separator]) =>
          `{${pairs.map(([name, colon, value]) => (colon === '' ? name : `${name}${colon}${value}`)).join(separator)}}`,
      ),
  ),
}));

const blockText = fc
  .tuple(
    fc.constantFrom('|', '>', '|-', '>-', '|+', '>+', '|2', '>1-', '| # why'),
    fc.array(fc.constantFrom('a', '  b', '', 'c: d', '- e', '# f', 'g  ', ' ', '\th'), { maxLength: 5 }),
  )
  .map(
    ([header, lines]): Block =>
      (indent) =>
        `${header}\n${lines.map((line) => (line.trim() === '' ? line : `${pad(indent + 2)}${line}`)).join('\n')}`,
  );

const { block } = fc.letrec<{ block: Block }>((tie) => {
  const leaf = fc.oneof(scalar, flow).map(
    (text): Block =>
      (indent) =>
        ` ${deepen(text, indent)}`,
  );
  const value = fc.tuple(
    property,
    fc.oneof(
      { maxDepth: 3 },
      leaf,
      blockText.map(
        (text): Block =>
          (indent) =>
            ` ${text(indent)}`,
      ),
      tie('block'),
    ),
  );
  const toValue = (prop: string, inner: Block, indent: number): string => {
    const text = inner(indent);
    if (prop.startsWith('*')) return ` ${prop}`;
    return prop === '' ? text : ` ${prop.trim()}${text}`;
  };
  const map = fc.tuple(fc.array(fc.tuple(key, value, comment), { minLength: 1, maxLength: 4 }), fc.constantFrom(1, 2, 2, 4)).map(
    ([entries, step]): Block =>
      (indent) =>
        entries
          .map(([name, [prop, inner], words]) => `\n${pad(indent + step)}${name}:${toValue(prop, inner, indent + step)}${words}`)
          .join(''),
  );
  const list = fc.tuple(fc.array(fc.tuple(value, comment), { minLength: 1, maxLength: 4 }), fc.constantFrom(0, 2, 2)).map(
    ([items, step]): Block =>
      (indent) =>
        items.map(([[prop, inner], words]) => `\n${pad(indent + step)}-${toValue(prop, inner, indent + step)}${words}`).join(''),
  );
  const compact = fc.array(fc.tuple(key, leaf), { minLength: 1, maxLength: 3 }).map(
    (entries): Block =>
      (indent) =>
        entries.map(([name, inner], index) => `${index === 0 ? ' ' : `\n${pad(indent + 2)}`}${name}:${inner(indent + 2)}`).join(''),
  );
  return { block: fc.oneof(map, list, compact) };
});

/** YAML in all styles, most of it valid. */
export const yamlText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '', '', '---\n', '# why\n\n', '--- # why\n'),
    fc.array(
      fc.tuple(
        fc.constantFrom('a', 'b', 'c', 'x', 'hats', '"q"', 'k 1'),
        fc.oneof(
          block,
          flow.map(
            (text): Block =>
              (indent) =>
                ` ${deepen(text, indent)}`,
          ),
          blockText.map(
            (text): Block =>
              (indent) =>
                ` ${text(indent)}`,
          ),
        ),
        comment,
      ),
      {
        maxLength: 4,
      },
    ),
    fc.constantFrom('\n', '\n', '', '\n\n', '\n...\n', '\n# end'),
    fc.boolean(),
  )
  .map(([head, entries, tail, isCrlf]) => {
    const text = head + entries.map(([name, value, words]) => `${name}:${value(0)}${words}`).join('\n') + tail;
    return isCrlf ? text.replaceAll('\n', '\r\n') : text;
  });
