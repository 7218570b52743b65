import { expect, it } from 'vitest';
import { MAX_ARGUMENT_BYTES, placePrompt } from './invocation.ts';

const place = (prompt: string, wanted: 'arg' | 'stdin' | 'file' = 'arg', takes: readonly ('arg' | 'stdin' | 'file')[] = ['arg', 'stdin']) =>
  placePrompt(prompt, { wanted, takes, isPositional: true });

it('a prompt of up to 100 KB is an argument, a longer one goes by standard input', () => {
  expect(place('x'.repeat(MAX_ARGUMENT_BYTES)).place).toBe('arg');
  expect(place('x'.repeat(MAX_ARGUMENT_BYTES + 1)).place).toBe('stdin');
});

it('bytes count, not characters', () => {
  expect(place('€'.repeat(30_000)).place).toBe('arg');
  expect(place('€'.repeat(40_000)).place).toBe('stdin');
});

it('a CLI without standard input gets a file', () => {
  expect(place('x'.repeat(200_000), 'arg', ['arg', 'file'])).toEqual({ place: 'file', warnings: [] });
});

it('a prompt that would be read as a flag, or holds a zero byte, is no argument', () => {
  expect(place('--help').place).toBe('stdin');
  expect(place('a\0b').place).toBe('stdin');
  expect(placePrompt('--help', { wanted: 'arg', takes: ['arg', 'stdin'], isPositional: false }).place).toBe('arg');
});

it('a way that was asked for is taken where the CLI has it, else another with a word', () => {
  expect(place('x', 'stdin')).toEqual({ place: 'stdin', warnings: [] });
  expect(place('x', 'file').place).toBe('arg');
  expect(place('x', 'file').warnings[0]).toContain('"file"');
});
