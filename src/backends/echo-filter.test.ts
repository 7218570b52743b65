import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEchoFilter } from './echo-filter.ts';

function filter(prompt: string, output: string): string {
  const echo = createEchoFilter(prompt);
  const lines = output.split('\n').flatMap((line) => [...echo.line(line)]);
  return [...lines, ...echo.end()].join('\n');
}

const PROMPT = 'You are the builder.\n\nDo one task.\nLOOP_COMPLETE\n';

describe('createEchoFilter', () => {
  it('removes the prompt where the output repeats it', () => {
    expect(filter(PROMPT, `banner\n${PROMPT.trimEnd()}\nI am done.`)).toBe('banner\nI am done.');
  });

  it.each([
    ['> ', '> You are the builder.\n>\n> Do one task.\n> LOOP_COMPLETE'],
    ['user: (first line only)', 'user: You are the builder.\n\nDo one task.\nLOOP_COMPLETE'],
    ['user: (indented)', 'user: You are the builder.\n\n      Do one task.\n      LOOP_COMPLETE'],
    ['bars', '│ You are the builder.\n│ \n│ Do one task.\n│ LOOP_COMPLETE'],
    ['white space at line ends', 'You are the builder.  \n \nDo one task.\t\nLOOP_COMPLETE'],
  ])('removes it with marks: %s', (_name, echo) => expect(filter(PROMPT, `${echo}\nDone.`)).toBe('Done.'));

  it('removes it each time', () => {
    expect(filter('a\nb', 'a\nb\nx\na\nb')).toBe('x');
  });

  it('keeps a part of the prompt, and what only looks like one', () => {
    expect(filter(PROMPT, 'You are the builder.\n\nDone.')).toBe('You are the builder.\n\nDone.');
    expect(filter(PROMPT, 'LOOP_COMPLETE')).toBe('LOOP_COMPLETE');
    expect(filter('fix the tests', 'I will fix the tests')).toBe('I will fix the tests');
  });

  it('finds an echo that begins inside a broken one', () => {
    expect(filter('a\na\nb', 'a\na\na\nb\nc')).toBe('a\nc');
  });

  it('gives back what it held when the output ends', () => {
    expect(filter(PROMPT, 'You are the builder.\n\nDo one task.')).toBe('You are the builder.\n\nDo one task.');
  });

  it('filters nothing for an empty prompt', () => {
    expect(filter(' \n', '\n \nx')).toBe('\n \nx');
  });

  const line = fc.constantFrom('a', 'b', '', 'c d', '> a');
  const text = fc.array(line, { minLength: 1, maxLength: 6 }).map((lines) => lines.join('\n'));

  it('changes nothing in an output without the prompt', () => {
    fc.assert(
      fc.property(text, (output) => {
        expect(filter('never\nsaid', output)).toBe(output);
      }),
    );
  });

  it('leaves nothing of an output that is the prompt', () => {
    fc.assert(
      fc.property(
        text.filter((prompt) => prompt.trim() !== ''),
        (prompt) => {
          expect(filter(prompt, prompt).trim()).toBe('');
        },
      ),
    );
  });

  it('only ever removes whole lines, in order', () => {
    fc.assert(
      fc.property(text, text, (prompt, output) => {
        const rest = output.split('\n');
        for (const kept of filter(prompt, output).split('\n')) {
          const index = rest.indexOf(kept);
          expect(index === -1 && kept !== '').toBe(false);
          rest.splice(0, index + 1);
        }
      }),
    );
  });

  it('is not slowed down by an output made to match almost', () => {
    const prompt = `${'a\n'.repeat(20_000)}b`;
    const echo = createEchoFilter(prompt);
    let count = 0;
    for (let index = 0; index < 60_000; index += 1) count += echo.line('a').length;
    count += echo.end().length;
    expect(count).toBe(60_000);
  });
});
