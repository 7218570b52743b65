import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../core/property-fixtures.ts';
import { createAcpTranslator } from './acp/translate.ts';
import { createTranslator, OUTPUT_FORMATS } from './clis.ts';
import type { Translator } from './stream/translator.ts';

const FOLDER = new URL('../../fixtures/transcripts/', import.meta.url);
const EXIT = { exitCode: 0, signal: null, stderrTail: '', now: 0 };
const KINDS: readonly (readonly [string, () => Translator])[] = [
  ...OUTPUT_FORMATS.map((format) => [format, () => createTranslator(format, 'Do it')] as const),
  ['acp', () => createAcpTranslator({ prompt: 'Do it', cwd: '/', isBypass: true })],
];

/** Every type and every key that a real stream has, so that random values land where they are read. */
const VOCABULARY = collectVocabulary();

function collectVocabulary(): { readonly types: readonly string[]; readonly keys: readonly string[] } {
  const types = new Set<string>();
  const keys = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      keys.add(key);
      if ((key === 'type' || key === 'sessionUpdate' || key === 'method') && typeof child === 'string') types.add(child);
      visit(child);
    }
  };
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => /success\.(stdout|traffic)\.jsonl$/.test(file));
  for (const file of files) for (const line of readFileSync(new URL(file, FOLDER), 'utf8').trim().split('\n')) visit(JSON.parse(line));
  return { types: [...types], keys: [...keys].filter((key) => /^[a-zA-Z_]+$/.test(key)) };
}

const { event } = fc.letrec<{ event: unknown; value: unknown }>((tie) => ({
  event: fc
    .tuple(
      fc.constantFrom('type', 'sessionUpdate', 'method'),
      fc.constantFrom(...VOCABULARY.types),
      fc.dictionary(fc.constantFrom(...VOCABULARY.keys), tie('value'), { maxKeys: 6 }),
    )
    .map(([key, type, rest]) => ({ ...rest, [key]: type })),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.constantFrom(...VOCABULARY.types),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('event'),
  ),
}));
const line = fc.oneof(
  event.map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string(),
);

describe.each(KINDS)('whatever comes as %s', (_name, create) => {
  it('is read without failing and ends in a verdict', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom(0, 1, null), (lines, exitCode) => {
        const translator = create();
        translator.dialogue?.open();
        const events = lines.flatMap((text) => [
          ...translator.line(text),
          ...(translator.dialogue?.replies().map(() => ({ type: 'sent' })) ?? []),
        ]);
        const end = translator.end({ ...EXIT, exitCode });
        expect(events.every(({ type }) => typeof type === 'string')).toBe(true);
        expect(end.failure === null).toBe(end.verdict === 'succeeded' || (end.verdict === 'none' && exitCode === 0));
        expect(Object.values(end.usage).every((figure) => figure === null || figure >= 0)).toBe(true);
      }),
      { numRuns: propertyRuns(150) },
    );
  });

  it('is cut anywhere without failing', () => {
    const translator = create();
    for (const text of [
      '{',
      '{"type":',
      '{"type":"result"',
      '[]',
      '"x"',
      'null',
      '{}',
      '{"type":{}}',
      '\u0000',
      '{"__proto__":{"type":"result"}}',
    ])
      translator.line(text);
    expect(translator.end(EXIT).failure?.class ?? 'none').toMatch(/agent|none/);
  });
});
