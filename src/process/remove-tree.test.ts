import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeTree } from './remove-tree.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'ralph-remove-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

it('removes what is nested deeper than a path may be long, without permissions and under odd names, and follows no link', () => {
  const tree = join(place, 'tree');
  mkdirSync(join(place, 'outside'));
  writeFileSync(join(place, 'outside/kept'), 'x');
  mkdirSync(tree);
  const home = process.cwd();
  try {
    process.chdir(tree);
    symlinkSync(join(place, 'outside'), 'link');
    for (let depth = 0; depth < 1200; depth += 1) {
      mkdirSync('deep');
      process.chdir('deep');
    }
    writeFileSync(Buffer.of(0x61, 0xff), 'x');
  } finally {
    process.chdir(home);
  }
  mkdirSync(join(tree, 'closed/inner'), { recursive: true });
  chmodSync(join(tree, 'closed'), 0);
  expect(() => rmSync(tree, { recursive: true, force: true })).toThrow();
  removeTree(tree);
  expect(readdirSync(place)).toEqual(['outside']);
  expect(existsSync(join(place, 'outside/kept'))).toBe(true);
});

it('takes a folder that is not there for removed', () => {
  expect(() => removeTree(join(place, 'absent'))).not.toThrow();
});
