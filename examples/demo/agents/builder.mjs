import { readFileSync, writeFileSync } from 'node:fs';
import { emit, say } from './read-prompt.mjs';

const file = 'src/cart.mjs';
const before = readFileSync(file, 'utf8');

if (before.includes('return sum - discount;')) {
  await say('Capping the discount in src/cart.mjs.');
  writeFileSync(file, before.replace('return sum - discount;', 'return Math.max(0, sum - discount);'));
  await say('I believe that everything passes now. (It does not; watch the gate.)');
  emit('build.done', 'The discount is capped.');
} else {
  await say('Rounding to whole cents in src/cart.mjs, then ticking the boxes in PROMPT.md.');
  writeFileSync(file, before.replace('return Math.max(0, sum - discount);', 'return Math.max(0, Math.round((sum - discount) * 100) / 100);'));
  writeFileSync('PROMPT.md', readFileSync('PROMPT.md', 'utf8').replaceAll('- [ ]', '- [x]'));
  emit('build.done', 'Discounts are capped and totals are rounded.');
}
