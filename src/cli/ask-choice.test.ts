import { expect, it } from 'vitest';
import { askChoice } from './ask-choice.ts';
import { createFakeContext } from './fixtures.ts';

const CHOICES = [
  { name: 'none', text: 'one agent does everything' },
  { name: 'feature' },
  { name: 'debug' },
  { name: 'confession-loop', text: 'with a name and words that have no room beside the others' },
];

async function answer(...answers: readonly string[]) {
  const left = [...answers];
  const { context, err } = createFakeContext({ ask: async () => left.shift() ?? '' });
  const chosen = await askChoice(context, 'Which team?', CHOICES).catch((error: { code: string; exitCode: number }) => error);
  return { chosen, err: err() };
}

it.each([
  ['', 'none'],
  ['2', 'feature'],
  [' debug ', 'debug'],
])('takes %j for %s', async (typed, name) => {
  expect((await answer(typed)).chosen).toBe(name);
});

it('shows the choices with their numbers on standard error', async () => {
  expect((await answer('')).err).toBe(
    'Which team?\n  1) none: one agent does everything  2) feature  3) debug\n  4) confession-loop: with a name and words that have no room beside the others\n',
  );
});

it('asks again after an answer that names nothing, with what was probably meant', async () => {
  const { chosen, err } = await answer('featrue', '0', '2');
  expect(chosen).toBe('feature');
  expect(err).toContain('did you mean feature?');
});

it('gives up after three', async () => {
  expect((await answer('x', '9', '-1', 'debug')).chosen).toMatchObject({ code: 'usage', exitCode: 2 });
});

it('takes the first where nobody can be asked', async () => {
  const { context } = createFakeContext({});
  expect(await askChoice(context, 'Which team?', CHOICES)).toBe('none');
});
