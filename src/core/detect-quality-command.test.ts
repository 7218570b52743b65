import { expect, it } from 'vitest';
import { detectQualityCommand } from './detect-quality-command.ts';
import type { ProjectFolder, QualityKind } from './project-folder.ts';

function toFolder(files: Readonly<Record<string, string>>): ProjectFolder {
  return { names: Object.keys(files), readText: (name) => files[name] ?? null };
}

const detect = (kind: QualityKind, files: Readonly<Record<string, string>>): string | null =>
  detectQualityCommand(kind, toFolder(files))?.command ?? null;

const SCRIPTS = '{"scripts": {"test": "vitest run", "lint": "biome check", "build": "tsc", "typecheck": "tsc --noEmit"}}';

it.each<[QualityKind, Readonly<Record<string, string>>, string]>([
  ['tests', { 'package.json': SCRIPTS }, 'npm test'],
  ['lint', { 'package.json': SCRIPTS }, 'npm run lint'],
  ['build', { 'package.json': SCRIPTS, 'pnpm-lock.yaml': '' }, 'pnpm run build'],
  ['typecheck', { 'package.json': SCRIPTS, 'yarn.lock': '' }, 'yarn run typecheck'],
  ['tests', { 'package.json': SCRIPTS, 'bun.lockb': '' }, 'bun run test'],
  ['tests', { 'package.json': '{"packageManager": "pnpm@9.1.0", "scripts": {"test": "jest"}}', 'package-lock.json': '' }, 'pnpm test'],
  ['typecheck', { 'package.json': '{"scripts": {"type-check": "tsc"}}' }, 'npm run type-check'],
  ['typecheck', { 'package.json': '{"devDependencies": {"typescript": "6.0.3"}}', 'tsconfig.json': '{}' }, 'npx --no-install tsc --noEmit'],
  ['tests', { 'deno.json': '{"tasks": {"test": "deno test -A"}}' }, 'deno task test'],
  ['tests', { 'deno.jsonc': '{ // none\n}' }, 'deno test'],
  ['lint', { 'deno.json': '{}' }, 'deno lint'],
  ['lint', { 'Cargo.toml': '[package]' }, 'cargo clippy'],
  ['typecheck', { 'Cargo.toml': '[package]' }, 'cargo check'],
  ['build', { 'go.mod': 'module x' }, 'go build ./...'],
  ['lint', { 'go.mod': 'module x', '.golangci.yml': '' }, 'golangci-lint run'],
  ['tests', { 'pytest.ini': '', 'uv.lock': '' }, 'uv run pytest -q'],
  ['tests', { 'tox.ini': '[pytest]\n' }, 'pytest -q'],
  ['lint', { 'pyproject.toml': '[tool.ruff.lint]\n' }, 'ruff check .'],
  ['typecheck', { 'pyproject.toml': '[tool.mypy]\n' }, 'mypy .'],
  ['tests', { 'pom.xml': '<project/>' }, 'mvn -B test'],
  ['build', { 'pom.xml': '<project/>', mvnw: '' }, './mvnw -B -DskipTests package'],
  ['tests', { 'build.gradle.kts': '' }, 'gradle test'],
  ['build', { 'build.gradle': '', gradlew: '' }, './gradlew assemble'],
  ['tests', { 'App.sln': '' }, 'dotnet test'],
  ['lint', { 'App.csproj': '' }, 'dotnet format --verify-no-changes'],
  ['lint', { Makefile: 'lint: deps\n\truff .\n', 'go.mod': '' }, 'make lint'],
  ['build', { justfile: 'build target="x":\n  cc\n' }, 'just build'],
])('checks %s of %j by `%s`', (kind, files, command) => {
  expect(detect(kind, files)).toBe(command);
});

it.each<[QualityKind, Readonly<Record<string, string>>]>([
  ['tests', {}],
  ['lint', { 'package.json': '{"scripts": {"test": "jest"}}' }],
  ['tests', { 'package.json': '{"scripts": {"test": ["jest"]}}' }],
  ['typecheck', { 'package.json': '{}', 'tsconfig.json': '{}' }],
  ['build', { 'pyproject.toml': '[tool.ruff]' }],
  ['build', { 'deno.json': '{}' }],
  ['lint', { Makefile: 'lint := 1\n' }],
  ['lint', { justfile: 'lint-all:\n  x\nlint := "a:b"\n' }],
])('has no way to check %s of %j', (kind, files) => {
  expect(detect(kind, files)).toBeNull();
});

it('puts nothing into a command that a file says', () => {
  const hostile = '{"packageManager": "npm; touch x@1", "scripts": {"test": "jest", "$(touch x)": "y"}}';
  expect(detect('tests', { 'package.json': hostile })).toBe('npm test');
});

it('goes on to the next trace where a file cannot be read', () => {
  const folder: ProjectFolder = { names: ['package.json', 'Cargo.toml'], readText: (name) => (name === 'Cargo.toml' ? '' : null) };
  expect(detectQualityCommand('tests', folder)).toEqual({ command: 'cargo test', from: 'Cargo.toml' });
});
