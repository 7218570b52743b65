import { expect, it } from 'vitest';
import { readSentences } from './instruction-orders.ts';

it('joins the lines of a paragraph and parts its sentences', () => {
  expect(readSentences('Build what is\nasked for. Run the tests!\n\nThen stop, e.g. now')).toEqual([
    'Build what is asked for.',
    'Run the tests!',
    'Then stop, e.g.',
    'now',
  ]);
});

it('puts what a colon announces before each entry of a list, and before one paragraph', () => {
  expect(readSentences('Emit one of:\n\n- a.b when done\n  and tested\n- c.d\n\nThat is all.')).toEqual([
    'Emit one of:',
    'Emit one of: a.b when done and tested',
    'Emit one of: c.d',
    'That is all.',
  ]);
  expect(readSentences('When done, print:\n\n    DONE\n\nThen rest.')).toEqual([
    'When done, print:',
    'When done, print: DONE',
    'Then rest.',
  ]);
});

it('takes headings and fences for no words of a sentence', () => {
  expect(readSentences('# Role\nBuild\n```bash\nralph emit a.b\n```\n1. Stop')).toEqual(['Build', 'ralph emit a.b', 'Stop']);
});

it('reads a text without end in pieces', () => {
  const sentences = readSentences('emit '.repeat(100_000));
  expect(Math.max(...sentences.map((sentence) => sentence.length))).toBeLessThanOrEqual(1000);
  expect(sentences.length).toBeLessThanOrEqual(200);
});
