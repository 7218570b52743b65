import { readFileSync } from 'node:fs';
import { emit, say } from './read-prompt.mjs';

const code = readFileSync('src/cart.mjs', 'utf8');
const isGood = code.includes('Math.max(0') && code.includes('Math.round');
await say(isGood ? 'The change is small and does what was asked.' : 'Something is missing in the change.');
emit(isGood ? 'review.passed' : 'review.rejected', isGood ? 'Small, clear, covered by a test.' : 'Discount or rounding is missing.');
