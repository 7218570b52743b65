import { z } from 'zod';
import { type ProjectFolder, readPackageScripts } from '../../core/project/package-scripts.ts';
import { openProjectFolder } from '../../process/open-project-folder.ts';
import { defineTool, fail, failWith } from '../tool/tool.ts';
import { findQualityCommand, QUALITY_SECONDS, runQuality, withWords } from './quality/run-quality.ts';

const parameters = z.strictObject({
  filter: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Only some tests, as the test runner names them: a file, a name, a part of one.'),
  timeout: z.number().positive().max(QUALITY_SECONDS.most).default(QUALITY_SECONDS.usual).describe('Seconds it may take.'),
});

type Args = z.infer<typeof parameters>;

export const runTestsTool = defineTool<Args>({
  name: 'run_tests',
  group: 'quality',
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  description:
    'Runs the tests of the project, with the configured command or the one its files tell, and returns how many passed and failed and the end of the output.',
  parameters,
  run: async ({ filter, timeout }, context) => {
    const found = findQualityCommand('tests', context);
    if (!found.ok) return failWith(found.refused);
    const order = found.value;
    if (filter === undefined) return runQuality(order, 'tests', timeout, context);
    if (!isSafeFilter(filter, order.shown)) {
      return fail(
        'The filter has characters that could mean something else.',
        'Use letters, digits, blanks and _ . / : @ # , - only, and no - first.',
      );
    }
    if (!context.mayWrite && !isPlainFilter(order.shown, filter, openProjectFolder(context.jail.workspace)))
      return fail(
        'This hat may not change files, and a filter for that command may do more than choose tests.',
        'Call run_tests without a filter.',
      );
    const words = planTestFilter(order.shown, filter);
    const filtered = words === null ? null : withWords(order, words);
    if (filtered === null) return fail(`It is not known how \`${order.shown}\` runs only some tests.`, 'Call run_tests without a filter.');
    return runQuality(filtered, 'tests', timeout, context);
  },
});

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

/** Commands that take a filter for a pattern, and run nothing but their own tests by it. */
const BY_PATTERN: readonly RegExp[] = [
  /^(?:npx |pnpm exec |yarn )?vitest (?:run|--run)\b/,
  /^(?:npx |pnpm exec |yarn )?(?:jest|ava)\b/,
  /^(?:bun|cargo|go|dotnet|deno) test\b/,
  /^(?:\.\/)?mvnw? /,
  /^(?:\.\/gradlew|gradle) /,
];
/** Commands that run whatever file they are given. */
const BY_FILE = /^(?:npx |pnpm exec |yarn )?mocha\b|^mix test\b|^node --test\b/;
const PYTEST = /^(?:(?:uv|poetry) run )?(?:python3? -m )?pytest\b/;

/**
 * Whether a hat that may not write can have this filter: one that can only choose among the tests. A script or target that is no test runner of a known
 * kind may take the words for something else (`make test deploy`), and a runner of files runs any file.
 *
 * @param command as a person would type it
 */
export function isPlainFilter(command: string, filter: string, folder: ProjectFolder): boolean {
  const script = /^(?:npm|pnpm|yarn|bun) (?:run )?(\S+)$/.exec(command)?.[1];
  const isBunItself = command === 'bun test';
  if (script === undefined || isBunItself) return isPlainFor(command, filter);
  const text = readPackageScripts(folder)?.toText(script);
  // Package managers hand words on through a shell, some of them in pieces.
  return typeof text === 'string' && !filter.includes(' ') && isPlainFor(text.trim(), filter);
}

function isPlainFor(command: string, filter: string): boolean {
  // Words go to the last of several commands, and behind a mark of the shell anything can stand.
  if (!/^[A-Za-z0-9_@%+=:,./ -]+$/.test(command)) return false;
  if (BY_PATTERN.some((runs) => runs.test(command))) return true;
  if (PYTEST.test(command)) return !/\.py(?:::|$)|\//.test(filter) || isTestFile(filter);
  return BY_FILE.test(command) && isTestFile(filter);
}

/** A file inside of the workspace that is named as tests are: `test_a.py::b`, `a.test.ts`, `a_test.exs`. */
function isTestFile(filter: string): boolean {
  const path = filter.split('::')[0] ?? '';
  return !/^\/|\.\./.test(path) && /(?:^|\/)(?:test_[^/]*|[^/]*[._-](?:test|spec))\.\w+$/.test(path);
}
