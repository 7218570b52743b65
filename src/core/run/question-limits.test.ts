import { expect, it } from 'vitest';
import { isAskable } from './question-limits.ts';

const GOOD = { text: 'Drop it?', choices: ['yes', 'no'], default: 'no' };

it('a question has a bounded text, different choices, a default among them and an end', () => {
  expect([GOOD, { ...GOOD, deadlineMs: 86_400_000 }].map(isAskable)).toEqual([true, true]);
  const wrong = [
    { ...GOOD, text: ' ' },
    { ...GOOD, text: 'x'.repeat(4001) },
    { ...GOOD, choices: ['no'] },
    { ...GOOD, choices: ['no', 'no'] },
    { ...GOOD, choices: ['no', ''] },
    { ...GOOD, choices: ['no', 'x'.repeat(201)] },
    { ...GOOD, choices: ['no', ...Array.from({ length: 20 }, (_, index) => `${index}`)] },
    { ...GOOD, default: 'perhaps' },
    ...[0, -1, Number.POSITIVE_INFINITY, Number.NaN, 86_400_001].map((deadlineMs) => ({ ...GOOD, deadlineMs })),
  ];
  expect(wrong.map(isAskable)).toEqual(wrong.map(() => false));
});
