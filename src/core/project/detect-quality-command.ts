import { findPackageCommand, type ProjectFolder, type QualityCommand, type QualityKind } from './package-scripts.ts';

/** A file that tells of a kind of project (where `says` is given: only with such a line in it), and the commands that check it. */
interface Trace {
  readonly file: string | RegExp;
  readonly says?: RegExp;
  /** A file that has to be there as well. */
  readonly beside?: string;
  readonly commands: Readonly<Partial<Record<QualityKind, string>>>;
}

const MAKEFILES = ['Makefile', 'makefile', 'GNUmakefile'];
const KINDS: readonly (readonly [QualityKind, string])[] = [
  ['tests', 'test'],
  ['lint', 'lint'],
  ['build', 'build'],
  ['typecheck', 'typecheck'],
];

/** Targets that somebody wrote for people to call: they are asked before the tools of a language. */
const TARGETS: readonly Trace[] = KINDS.flatMap(([kind, word]) => [
  ...MAKEFILES.map((file) => ({ file, says: new RegExp(`^${word}[ \\t]*:(?!=)`, 'm'), commands: { [kind]: `make ${word}` } })),
  { file: 'justfile', says: new RegExp(`^${word}(?![\\w-])(?![ \\t]*:=)[^\\n]*:(?!=)`, 'm'), commands: { [kind]: `just ${word}` } },
]);

const DENO = { lint: 'deno lint', tests: 'deno test', typecheck: 'deno check .' };
const SAYS_PYTEST = /pytest/;
/** `pytest` where it is told of, through the tool that keeps the project's packages. */
const PYTEST: readonly Trace[] = [
  { file: 'pytest.ini' },
  { file: 'conftest.py' },
  { file: 'pyproject.toml', says: SAYS_PYTEST },
  { file: 'setup.cfg', says: /^\[tool:pytest\]/m },
  { file: 'tox.ini', says: /^\[pytest\]/m },
].flatMap((trace) => [
  { ...trace, beside: 'uv.lock', commands: { tests: 'uv run pytest -q' } },
  { ...trace, beside: 'poetry.lock', commands: { tests: 'poetry run pytest -q' } },
  { ...trace, commands: { tests: 'pytest -q' } },
]);

const LANGUAGES: readonly Trace[] = [
  { file: /^deno\.jsonc?$/, says: /"test"\s*:/, commands: { tests: 'deno task test' } },
  { file: /^deno\.jsonc?$/, says: /"build"\s*:/, commands: { build: 'deno task build' } },
  { file: /^deno\.jsonc?$/, commands: DENO },
  {
    file: 'Cargo.toml',
    commands: { tests: 'cargo test', lint: 'cargo clippy', build: 'cargo build', typecheck: 'cargo check' },
  },
  { file: /^\.golangci\.(?:ya?ml|toml|json)$/, beside: 'go.mod', commands: { lint: 'golangci-lint run' } },
  {
    file: 'go.mod',
    commands: { tests: 'go test ./...', lint: 'go vet ./...', build: 'go build ./...', typecheck: 'go vet ./...' },
  },
  ...PYTEST,
  { file: /^\.?ruff\.toml$/, commands: { lint: 'ruff check .' } },
  { file: 'pyproject.toml', says: /^\[tool\.ruff\b/m, commands: { lint: 'ruff check .' } },
  { file: '.flake8', commands: { lint: 'flake8' } },
  { file: /^\.?mypy\.ini$/, commands: { typecheck: 'mypy .' } },
  { file: 'pyproject.toml', says: /^\[tool\.mypy\b/m, commands: { typecheck: 'mypy .' } },
  { file: 'pyrightconfig.json', commands: { typecheck: 'pyright' } },
  { file: 'pyproject.toml', says: /^\[tool\.pyright\b/m, commands: { typecheck: 'pyright' } },
  { file: 'mix.exs', commands: { tests: 'mix test', build: 'mix compile' } },
  { file: '.rspec', commands: { tests: 'bundle exec rspec' } },
  { file: '.rubocop.yml', commands: { lint: 'bundle exec rubocop' } },
  {
    file: 'gradlew',
    commands: { tests: './gradlew test', build: './gradlew assemble', typecheck: './gradlew testClasses' },
  },
  {
    file: /^build\.gradle(?:\.kts)?$/,
    commands: { tests: 'gradle test', build: 'gradle assemble', typecheck: 'gradle testClasses' },
  },
  {
    file: 'pom.xml',
    beside: 'mvnw',
    commands: { tests: './mvnw -B test', build: './mvnw -B -DskipTests package', typecheck: './mvnw -B test-compile' },
  },
  {
    file: 'pom.xml',
    commands: { tests: 'mvn -B test', build: 'mvn -B -DskipTests package', typecheck: 'mvn -B test-compile' },
  },
  {
    file: /\.(?:slnx?|csproj|fsproj|vbproj)$/,
    commands: {
      tests: 'dotnet test',
      lint: 'dotnet format --verify-no-changes',
      build: 'dotnet build',
      typecheck: 'dotnet build',
    },
  },
];

/**
 * Finds out from the files of a folder how it is checked; `null` where none tells. Scripts of a `package.json` come first, then targets of a
 * Makefile or justfile, then what is usual for the language, then, for tests, a step of a CI workflow. Pure: what is read is only looked at, and no text of it gets into the command.
 */
export function detectQualityCommand(kind: QualityKind, folder: ProjectFolder): QualityCommand | null {
  return findPackageCommand(kind, folder) ?? findTrace(kind, folder) ?? (kind === 'tests' ? findWorkflowCommand(folder) : null);
}

function findTrace(kind: QualityKind, folder: ProjectFolder): QualityCommand | null {
  for (const { file, says, beside, commands } of [...TARGETS, ...LANGUAGES]) {
    const command = commands[kind];
    if (command === undefined || (beside !== undefined && !folder.names.includes(beside))) continue;
    const name = folder.names.find((each) => (typeof file === 'string' ? each === file : file.test(each)));
    if (name === undefined) continue;
    const text = folder.readText(name);
    if (text !== null && (says === undefined || says.test(text))) return { command, from: name };
  }
  return null;
}

const FOLDER = '.github/workflows';
/** More workflows are not looked at. */
const MAX_WORKFLOWS = 20;
/** Those that test are called so. */
const TESTING = /^(?:tests?|ci|build|checks?|main)\b/i;

/**
 * What a step may say, letter by letter. No text of a workflow becomes a command. Scripts of a `package.json` are not among them: what there is of those
 * has been found there.
 */
const COMMANDS = new Set([
  'pytest',
  'pytest -q',
  'pytest -v',
  'pytest tests',
  'pytest tests/',
  'python -m pytest',
  'python -m pytest -q',
  'python3 -m pytest',
  'python -m unittest',
  'python -m unittest discover',
  'python3 -m unittest',
  'python3 -m unittest discover',
  'uv run pytest',
  'uv run pytest -q',
  'poetry run pytest',
  'hatch test',
  'tox',
  'nox',
  'make test',
  'make check',
  'just test',
  'go test ./...',
  'go test -v ./...',
  'go test -race ./...',
  'cargo test',
  'cargo test --all',
  'cargo test --workspace',
  'cargo test --all-features',
  'cargo nextest run',
  'node --test',
  'npx jest',
  'npx vitest run',
  'npx mocha',
  'deno test',
  'bun test',
  'mvn test',
  'mvn -B test',
  './mvnw test',
  './gradlew test',
  './gradlew check',
  'gradle test',
  'dotnet test',
  'bundle exec rspec',
  'bundle exec rake test',
  'rake test',
  'mix test',
  'composer test',
  'vendor/bin/phpunit',
  './vendor/bin/phpunit',
  'swift test',
  'zig build test',
  'sbt test',
  'ctest',
  'bazel test //...',
]);

/** The step of a CI workflow that runs the tests, where it is one of those that everybody knows. A workflow that works in other folders says nothing of this one. */
function findWorkflowCommand(folder: ProjectFolder): QualityCommand | null {
  const names = (folder.names.includes('.github') ? (folder.namesIn?.(FOLDER) ?? []) : []).filter((name) => /\.ya?ml$/.test(name));
  const sorted = [...names].sort((left, right) => Number(TESTING.test(right)) - Number(TESTING.test(left)) || (left < right ? -1 : 1));
  for (const name of sorted.slice(0, MAX_WORKFLOWS)) {
    const from = `${FOLDER}/${name}`;
    const text = folder.readText(from) ?? '';
    const command = /^\s*working-directory\s*:/m.test(text) ? undefined : text.split('\n').map(toCommand).find(isKnown);
    if (command !== undefined) return { command, from };
  }
  return null;
}

function isKnown(command: string): boolean {
  return COMMANDS.has(command);
}

/** A line of a workflow without what makes it a step. */
function toCommand(line: string): string {
  return line.length > 200 ? '' : (/^\s*(?:- )?(?:run:)?(.*)$/.exec(line)?.[1] ?? '').trim().replace(/^(["'])(.*)\1$/, '$2');
}
