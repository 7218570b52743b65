/** What a changed file decides about a run beside the work itself; `null` for the work. */
export type PathClass = 'gate' | 'protected' | 'test' | 'configuration';

/** What says more of a path than its name. */
export interface PathRules {
  /** The commands of the gates: a file that one of them runs belongs to it. */
  readonly gateCommands: readonly string[];
  /** Files that name a gate's command, where no word of it tells. */
  readonly gateFiles?: readonly string[];
  /** True for a path that the run had to leave as it was. */
  readonly isProtected?: (path: string) => boolean;
}

/** The order in which a person reads them. */
export const PATH_CLASSES: readonly PathClass[] = ['gate', 'protected', 'test', 'configuration'];

/** Runs what a file says: the programs, and that file, from the folder in which the program is called. */
const RUNNERS: readonly (readonly [program: RegExp, files: RegExp])[] = [
  [
    /^(?:npm|npx|pnpm|yarn|bun|vitest|jest|mocha|ava)$/,
    /^(?:package\.json|\.npmrc|\.yarnrc\.yml|(?:vitest|vite|jest|ava)\.(?:config|workspace)\.\w+|\.mocharc\.\w+)$/,
  ],
  [/^g?make$/, /^(?:GNU)?[Mm]akefile$/],
  [/^just$/, /^\.?[Jj]ustfile$/],
  [/^cargo$/, /^(?:Cargo\.toml|build\.rs)$/],
  [/^go$/, /^go\.(?:mod|work)$/],
  [/^(?:pytest|tox|nox|uv|poetry|python3?|hatch)$/, /^(?:pyproject\.toml|pytest\.ini|setup\.cfg|tox\.ini|noxfile\.py|conftest\.py)$/],
  [/^deno$/, /^deno\.jsonc?$/],
  [/^(?:mvnw?|mvn)$/, /^pom\.xml$/],
  [/^gradlew?$/, /^(?:build|settings)\.gradle(?:\.kts)?$/],
  [/^(?:rake|bundle|rspec)$/, /^(?:Rakefile|Gemfile|\.rspec)$/],
  [/^(?:composer|phpunit)$/, /^(?:composer\.json|phpunit\.xml(?:\.dist)?)$/],
  [/^biome$/, /^biome\.jsonc?$/],
  [/^eslint$/, /^(?:\.eslintrc(?:\.\w+)?|eslint\.config\.\w+)$/],
  [/^tsc$/, /^tsconfig(?:\.\w+)*\.json$/],
];

const TEST_FOLDERS = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testdata|__snapshots__|fixtures|cypress)\//i;
const TEST_FILES =
  /(?:[._-](?:test|spec|e2e)s?\.[^/]+|(?:^|\/)test_[^/]+\.py|(?:^|\/)conftest\.py|[a-z0-9](?:Tests?|Spec)\.(?:java|kt|kts|cs|swift|php|scala|groovy)|\.(?:snap|bats|feature))$/;

const CONFIGURATION_FOLDERS =
  /^(?:\.github|\.gitlab|\.circleci|\.husky|\.vscode|\.claude|\.codex|\.gemini|\.cursor|\.devcontainer|\.buildkite|\.config)\//;
const CONFIGURATION_FILES = new RegExp(
  `^(?:${[
    'package(?:-lock)?\\.json|npm-shrinkwrap\\.json|pnpm-(?:lock|workspace)\\.yaml|yarn\\.lock|bun\\.lockb?|\\.npmrc|\\.yarnrc\\.yml|\\.nvmrc',
    'tsconfig(?:\\.[\\w-]+)*\\.json|jsconfig\\.json|[\\w.-]+\\.config\\.\\w+|biome\\.jsonc?|deno\\.jsonc?|deno\\.lock|turbo\\.json|nx\\.json',
    '\\.(?:eslint|prettier|stylelint|mocha|babel|swc|nyc|lintstaged)rc(?:\\.\\w+)?|\\.eslintignore|\\.prettierignore|\\.editorconfig',
    'pyproject\\.toml|setup\\.(?:cfg|py)|tox\\.ini|pytest\\.ini|requirements[\\w.-]*\\.txt|Pipfile(?:\\.lock)?|poetry\\.lock|uv\\.lock|noxfile\\.py|\\.?ruff\\.toml|\\.?mypy\\.ini|\\.flake8|\\.coveragerc',
    'go\\.(?:mod|sum|work)|\\.golangci\\.\\w+|Cargo\\.(?:toml|lock)|rust-toolchain(?:\\.toml)?|build\\.rs|clippy\\.toml|rustfmt\\.toml',
    'pom\\.xml|(?:build|settings)\\.gradle(?:\\.kts)?|gradle\\.properties|Gemfile(?:\\.lock)?|Rakefile|\\.rspec|composer\\.(?:json|lock)|phpunit\\.xml(?:\\.dist)?',
    '(?:GNU)?[Mm]akefile|\\.?[Jj]ustfile|CMakeLists\\.txt|Dockerfile(?:\\.\\w+)?|(?:docker-)?compose(?:\\.[\\w-]+)*\\.ya?ml|Jenkinsfile|Procfile',
    '\\.gitlab-ci\\.yml|azure-pipelines\\.yml|\\.travis\\.yml|\\.pre-commit-config\\.yaml|lefthook\\.yml|CODEOWNERS|renovate\\.json',
    '\\.git(?:ignore|attributes|modules)|\\.env(?:\\.[\\w-]+)*|\\.mcp\\.json|ralph(?:\\.[\\w-]+)*\\.ya?ml|AGENTS\\.md|CLAUDE\\.md|GEMINI\\.md|opencode\\.jsonc?',
  ].join('|')})$`,
);

/** What a path from the top of the folder that the agents work in is, by its name and the rules of its run. */
export function classifyPath(path: string, rules: PathRules): PathClass | null {
  if (rules.gateFiles?.includes(path) === true || isRunByGate(path, rules.gateCommands)) return 'gate';
  if (rules.isProtected?.(path) === true) return 'protected';
  if (isTestPath(path)) return 'test';
  return CONFIGURATION_FOLDERS.test(path) || CONFIGURATION_FILES.test(toName(path)) ? 'configuration' : null;
}

/** True for a file that is a test, or belongs to tests, by its name. */
export function isTestPath(path: string): boolean {
  return TEST_FOLDERS.test(path) || TEST_FILES.test(path);
}

/** Whether a command names the file itself, or calls a program that does what the file says. */
function isRunByGate(path: string, commands: readonly string[]): boolean {
  const isAtTop = !path.includes('/');
  return commands.some((command) => {
    const words = toWords(command);
    if (words.includes(path)) return true;
    return isAtTop && words.some((word) => RUNNERS.some(([program, files]) => program.test(toName(word)) && files.test(path)));
  });
}

const LONGEST_COMMAND = 4096;

/** The words of a command line, whatever shell reads it: quotes and signs part them. */
function toWords(command: string): readonly string[] {
  return command
    .slice(0, LONGEST_COMMAND)
    .split(/[\s"'`;&|()<>=]+/)
    .map((word) => word.replace(/^(?:\.\/)+/, ''))
    .filter((word) => word !== '');
}

function toName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
