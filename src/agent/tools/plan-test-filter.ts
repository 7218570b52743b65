/** How a test runner is told to run only some tests. */
interface FilterRule {
  /** How the command begins. */
  readonly runs: RegExp;
  readonly toWords: (filter: string) => readonly string[];
}

const behindMarks = (filter: string): readonly string[] => ['--', filter];
const plain = (filter: string): readonly string[] => [filter];

const RULES: readonly FilterRule[] = [
  { runs: /^npm (?:test|run \S+)$/, toWords: behindMarks },
  { runs: /^(?:pnpm|yarn) (?:test|run \S+)$|^bun (?:run \S+|test)$/, toWords: plain },
  { runs: /^(?:npx |pnpm exec |yarn )?(?:vitest|jest|mocha|ava)\b/, toWords: plain },
  { runs: /^(?:(?:uv|poetry) run )?(?:python3? -m )?pytest\b/, toWords: (filter) => (isPythonPath(filter) ? [filter] : ['-k', filter]) },
  { runs: /^cargo test\b/, toWords: plain },
  { runs: /^go test\b/, toWords: (filter) => ['-run', filter] },
  { runs: /^(?:\.\/)?mvnw? /, toWords: (filter) => [`-Dtest=${filter}`] },
  { runs: /^(?:\.\/gradlew|gradle) /, toWords: (filter) => ['--tests', filter] },
  { runs: /^dotnet test\b/, toWords: (filter) => ['--filter', filter] },
  { runs: /^deno test\b/, toWords: (filter) => ['--filter', filter] },
  { runs: /^mix test\b/, toWords: plain },
];

/** Package managers hand words on through a shell, some of them as they are. */
const THROUGH_SHELL = /^(?:npm|pnpm|yarn|bun|npx|deno task)\b/;
const WORDS = /^[\p{L}\p{N}_./@:,#+ =-]+$/u;
const PATTERNS = /^[\p{L}\p{N}_./@:,#+ =*^$|()[\]-]+$/u;

/** True for a filter that no runner and no shell takes for anything else. */
export function isSafeFilter(filter: string, command: string): boolean {
  return !filter.startsWith('-') && (THROUGH_SHELL.test(command) ? WORDS : PATTERNS).test(filter);
}

/** The words that make a test command run only some tests; `null` where it is not known how. */
export function planTestFilter(command: string, filter: string): readonly string[] | null {
  return RULES.find(({ runs }) => runs.test(command))?.toWords(filter) ?? null;
}

function isPythonPath(filter: string): boolean {
  return /\.py(?:::|$)|\/$/.test(filter);
}
