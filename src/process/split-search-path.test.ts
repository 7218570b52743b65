import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { splitSearchPath } from './split-search-path.ts';

const base = mkdtempSync(join(tmpdir(), 'ralph-path-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

test('folders of the workspace are told from those outside, by whatever name they are on the PATH', () => {
  const [work, beside, link] = [join(base, 'work'), join(base, 'work-tools'), join(base, 'link')];
  mkdirSync(join(work, 'bin'), { recursive: true });
  mkdirSync(beside);
  symlinkSync(join(work, 'bin'), link);
  const path = [join(work, 'node_modules/.bin'), '/usr/bin', link, 'bin', '', beside, work].join(':');
  const { outside, inside } = splitSearchPath(path, work);
  expect(outside.split(':')).toEqual(['/usr/bin', beside]);
  expect(inside.split(':')).toEqual([join(work, 'node_modules/.bin'), link, 'bin', work]);
  expect(splitSearchPath(undefined, work)).toEqual({ outside: '', inside: '' });
});
