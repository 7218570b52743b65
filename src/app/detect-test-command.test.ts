import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { detectTestCommand } from './detect-test-command.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-tests-'));

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

function detect(files: Readonly<Record<string, string>>): string | null {
  const cwd = mkdtempSync(join(FOLDER, 'case-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return detectTestCommand(cwd)?.command ?? null;
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
  const cwd = mkdtempSync(join(FOLDER, 'case-'));
  mkdirSync(join(cwd, 'package.json'));
  mkdirSync(join(cwd, 'go.mod'));
  expect(detectTestCommand(cwd)).toBeNull();
});
