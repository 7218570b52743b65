import { expect, test } from 'vitest';
import { createListHatsTool } from './list-hats-tool.ts';

const CARD = { name: 'N', description: 'D', triggers: ['a'], publishes: ['b'] };

test('each hat is a line, and the one that asks is marked', async () => {
  const tool = createListHatsTool('critic', () => [
    { id: 'builder', ...CARD },
    { id: 'critic', ...CARD },
  ]);
  const lines = (await tool.call({})).text.split('\n').map((line) => JSON.parse(line) as unknown);
  expect(lines).toEqual([
    { id: 'builder', ...CARD },
    { id: 'critic', ...CARD, is_yours: true },
  ]);
});

test('without hats, and without a contract, it says so', async () => {
  expect(await createListHatsTool('ralph', () => []).call({})).toMatchObject({ isError: false });
  expect(await createListHatsTool('critic', () => null).call({})).toMatchObject({ isError: true });
});
