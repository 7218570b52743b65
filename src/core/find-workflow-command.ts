import type { ProjectFolder, QualityCommand } from './project-folder.ts';

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
export function findWorkflowCommand(folder: ProjectFolder): QualityCommand | null {
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
