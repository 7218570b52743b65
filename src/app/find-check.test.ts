import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeGate } from '../core/spec-fixtures.ts';
import { makeOwnedFolder, removeTree } from '../process/index.ts';
import { type SoughtGate, toMissingWarnings } from './find-check.ts';

let folder = '';
beforeEach(() => {
  folder = makeOwnedFolder(tmpdir(), 'ralph-find-check-');
});
afterEach(() => removeTree(folder));

/** The warnings of gates where `there` is the only program on the PATH. */
function warn(...runs: readonly (string | ReturnType<typeof makeGate>)[]): readonly string[] {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'there'), '#!/bin/sh\n', { mode: 0o755 });
  const gates = runs.map((run) => (typeof run === 'string' ? makeGate(['task.complete'], run) : run));
  const settings = { spec: { gates } } as unknown as SoughtGate['settings'];
  return toMissingWarnings({ settings, missing: null }, { cwd: folder, env: { PATH: bin } });
}

it('a gate whose program is not on the PATH is named, with what mends it', () => {
  const [first = '', ...more] = warn('gone test --all', 'CI=1 gone');
  expect(first).toBe(
    'The gate `gone test --all` cannot be run: gone is not on the PATH. It will always fail, so no completion can pass. Install gone, or name another command under `gates`.',
  );
  expect(more).toHaveLength(1);
});

it('a gate that is not required is named without what it would refuse', () => {
  const [text = ''] = warn(makeGate(['task.complete'], 'gone', { required: false, name: 'style' }));
  expect(text).toBe('The gate style (`gone`) cannot be run: gone is not on the PATH. Install gone, or name another command under `gates`.');
});

it('nothing is said of what only a shell can tell, of its own words, and of a path, which the run may make', () => {
  const said = warn(
    'there --now',
    'test -e a',
    './check.sh',
    '$TOOL x',
    'export PATH=x:$PATH; gone',
    '(gone)',
    '! gone',
    'if gone; then there; fi',
    '',
  );
  expect(said).toEqual([]);
});

it('nothing is said of a gate that protects files', () => {
  expect(warn(makeGate(['task.complete'], 'gone', { protect: ['a'] }))).toEqual([]);
});
