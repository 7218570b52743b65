import { type ProjectFolder, readPackageScripts } from '../../core/index.ts';

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
