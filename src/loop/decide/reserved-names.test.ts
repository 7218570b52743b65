import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BACKEND_TYPES } from '../../core/backends/backend-spec.ts';
import * as names from '../../core/events/reserved.ts';
import { isTopic } from '../../core/events/topics.ts';

/** Words of our own types: kinds, states, reasons. Everything else that code compares with would be a name from outside. */
const OWN_WORDS = [
  'conflict',
  'one',
  'silent',
  'refused',
  'payload-refused',
  'refused-twice',
  'after-iteration',
  'continue',
  'default',
  'ended',
  'escalation',
  'event',
  'failed',
  'fallback',
  'fanout',
  'hats',
  'idle-timeout',
  'interrupt',
  'interrupted',
  'jsonl',
  'kill',
  'limit',
  'new',
  'next',
  'parked',
  'promise',
  'question',
  'retry',
  'run-resumed',
  'run-started',
  'checkpoint-finished',
  'completed',
  'payload',
  'permission',
  'runtime',
  'safety-net',
  'solo',
  'spawn',
  'stop',
  'succeeded',
  'switch',
  'timeout',
  'transient',
  'transition',
  'undelivered',
  'withdrawn',
  'workspace',
  'passed',
  'unknown',
];
const INPUT_TYPES = /^((run|iteration|events|gates|timer|checkpoint|stop|environment|usage|tell)-[a-z]+|told|asked|answered)$/;
const BACKENDS: readonly string[] = [...BACKEND_TYPES, 'native'];

const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && !/(\.test|fixtures)\.ts$/.test(name));
const lines = files.flatMap((name) =>
  readFileSync(`${import.meta.dirname}/${name}`, 'utf8')
    .split('\n')
    .filter((line) => !/^(import|export|\} from) .*from |^\} from |^\s*(\*|\/\*\*|\/\/)/.test(line))
    .map((line) => ({ name, line })),
);

/** Every literal of the room, with the place where it stands. */
const literals = lines.flatMap(({ name, line }) =>
  [...line.matchAll(/'([^']*)'|`([^`]*)`/g)].map((match) => ({ name, text: match[1] ?? match[2] ?? '' })),
);

describe('the names that the loop knows', () => {
  it('no topic, backend or hat is compared by its text, except through the names that core reserves', () => {
    const compared = lines.flatMap(({ name, line }) => {
      const words = [
        ...line.matchAll(/(?:[!=]==|case|includes\(|has\(|startsWith\(|endsWith\(|indexOf\() *'([^']*)'|'([^']*)' *[!=]==/g),
      ].map((match) => match[1] ?? match[2] ?? '');
      return words.filter((word) => !OWN_WORDS.includes(word) && !INPUT_TYPES.test(word)).map((word) => `${name}: ${word}`);
    });
    expect(compared).toEqual([]);
    expect(files.length).toBeGreaterThan(15);
  });

  it('no literal is a topic, a backend, or a reserved name', () => {
    const reserved = [
      names.RALPH,
      names.EXTERNAL,
      names.SYSTEM,
      names.DEFAULT_PROMISE,
      names.TOPIC_LEGACY_TRANSITION,
      ...names.SYSTEM_TOPICS,
    ];
    const isName = (text: string): boolean => (text.includes('.') && isTopic(text)) || reserved.includes(text) || BACKENDS.includes(text);
    expect(literals.filter(({ text }) => isName(text))).toEqual([]);
    expect(literals.length).toBeGreaterThan(100);
  });
});
