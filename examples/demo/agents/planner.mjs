import { readFileSync } from 'node:fs';
import { emit, prompt, say } from './read-prompt.mjs';

const tasks = readFileSync('PROMPT.md', 'utf8');
const open = tasks.match(/- \[ \] .*/g) ?? [];

if (prompt.includes('build.blocked')) {
  await say('The gate refused the step: its output says that cents are not rounded. Handing that back.');
  emit('build.task', 'Round the total to whole cents; the gate shows 0.30000000000000004 instead of 0.3.');
} else if (open.length === 0) {
  await say('Every box is ticked and the review has passed. Nothing is left to do.');
  process.stdout.write('LOOP_COMPLETE\n');
} else {
  await say(`I read PROMPT.md: ${open.length} boxes are open. One step at a time.`);
  emit('build.task', 'Mend totalOf in src/cart.mjs until `node --test` passes.');
}
