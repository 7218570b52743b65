import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { graph } from '../../src/library/index.ts';
import { listBlocks, ROOT } from './markdown-pages.ts';

const PICTURE = join(ROOT, 'docs/images/team.svg');

test('the picture in the first steps is the team that stands above it; UPDATE_GOLDEN=1 draws it anew', () => {
  const team = listBlocks('docs/guide/first-steps.md').find(({ text }) => /^hats:$/m.test(text))?.text ?? '';
  const svg = graph({ text: team, cwd: ROOT }, 'svg');
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(PICTURE, svg);
  expect(existsSync(PICTURE) ? readFileSync(PICTURE, 'utf8') : '').toBe(svg);
});
