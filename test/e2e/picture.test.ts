import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { plainEnvironment } from './ralph.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('the picture in README shows the demo as it is; `npm run picture` draws it anew', { timeout: 60_000 }, () => {
  execFileSync(process.execPath, [join(ROOT, 'scripts/picture.mjs')], { cwd: ROOT, env: plainEnvironment(), stdio: 'pipe' });
  const picture = readFileSync(join(ROOT, 'docs/images/demo.svg'), 'utf8');
  // A lie, a red gate, sent back, green, the review: in this order.
  const story = [
    'I believe that everything passes',
    'gate tests … failed',
    'build.blocked',
    'gate tests … passed',
    'Completed',
    'ralph review',
  ];
  const places = story.map((words) => picture.indexOf(words, picture.indexOf('id="lines"')));
  expect(places.every((place) => place > 0)).toBe(true);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});
