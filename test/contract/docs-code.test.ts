import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseJson } from '../../src/core/values/json.ts';
import { type Block, listBlocks, PAGES, ROOT } from './markdown-pages.ts';

const BLOCKS = PAGES.flatMap((page) => listBlocks(page));
const PROGRAMS = BLOCKS.filter(({ language, text }) => language === 'js' && text.includes("from 'ralph-hats'"));
const toPlace = ({ page, line }: Block): string => `${page}:${line}`;

test.each(PROGRAMS.map((block) => [toPlace(block), block.text]))('the program at %s runs', (_, text) => {
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', text], { cwd: ROOT, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

test('every block of JSON is JSON', () => {
  const blocks = BLOCKS.filter(({ language }) => language === 'json');
  const broken = blocks.filter(({ text }) => parseJson(text) === undefined);
  expect(blocks.length).toBeGreaterThan(0);
  expect(broken.map(toPlace)).toEqual([]);
});
