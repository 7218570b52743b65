import { expect, it } from 'vitest';
import { toStopText } from './run-lines.ts';

it.each([
  [{ how: 'interrupt', by: 'Ctrl+C' }, 'Ctrl+C: stopping; agents at work have 10 seconds to clean up. Ctrl+C again kills them at once.'],
  [{ how: 'interrupt', by: 'ralph stop (ann)' }, 'ralph stop (ann): stopping; agents at work have 10 seconds to clean up.'],
  [{ how: 'terminate', by: 'SIGTERM' }, 'SIGTERM: stopping; agents at work have 10 seconds to clean up.'],
] as const)('a stop says what happens now, and of a second Ctrl+C to whoever pressed the first: %j', (stop, text) => {
  expect(toStopText(stop)).toBe(text);
});
