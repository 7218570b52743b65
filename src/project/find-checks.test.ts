import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { makeGate } from '../core/spec-fixtures.ts';
import { makeOwnedFolder } from '../process/owned-folders.ts';
import { removeTree } from '../process/remove-tree.ts';
import { findCheck, type SoughtGate, toMissingWarnings } from './find-checks.ts';

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

it('nothing is said of a gate for a worker, which has a PATH of its own', () => {
  expect(warn(makeGate(['task.complete'], 'gone', { runsOn: ['gpu'] }))).toEqual([]);
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

const CASES = mkdtempSync(join(tmpdir(), 'ralph-tests-'));

afterAll(() => rmSync(CASES, { recursive: true, force: true }));

function detect(files: Readonly<Record<string, string>>): string | null {
  const cwd = mkdtempSync(join(CASES, 'case-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return findCheck(cwd, 'tests');
}

const SCRIPT = '{"scripts": {"test": "jest"}}';

it.each([
  [{ 'package.json': SCRIPT }, 'npm test'],
  [{ 'package.json': SCRIPT, 'pnpm-lock.yaml': '' }, 'pnpm test'],
  [{ 'package.json': SCRIPT, 'yarn.lock': '' }, 'yarn test'],
  [{ 'package.json': SCRIPT, 'bun.lock': '' }, 'bun run test'],
  [{ 'package.json': SCRIPT, 'Cargo.toml': '' }, 'npm test'],
  [{ Makefile: 'all: test\n\ntest: build\n\tgo test\n' }, 'make test'],
  [{ 'Cargo.toml': '[package]' }, 'cargo test'],
  [{ 'go.mod': 'module x' }, 'go test ./...'],
  [{ 'pyproject.toml': '[tool.pytest.ini_options]' }, 'pytest -q'],
])('finds out from %j that the tests are run by `%s`', (files, command) => {
  expect(detect(files)).toBe(command);
});

it.each([
  [{}],
  [{ 'package.json': '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}' }],
  [{ 'package.json': '{"scripts": {"test": "vitest --watch"}}' }],
  [{ 'package.json': '{"scripts": {"build": "tsc"}}' }],
  [{ 'package.json': '{"scripts": 7' }],
  [{ 'package.json': '[]' }],
  [{ Makefile: 'all:\n\tcc x.c\ntest := 1\n' }],
  [{ 'pyproject.toml': '[project]\nname = "x"' }],
])('is not told by %j', (files) => {
  expect(detect(files)).toBeNull();
});

it('is not misled by a folder with the name of a file', () => {
  const cwd = mkdtempSync(join(CASES, 'case-'));
  mkdirSync(join(cwd, 'package.json'));
  mkdirSync(join(cwd, 'go.mod'));
  expect(findCheck(cwd, 'tests')).toBeNull();
});
