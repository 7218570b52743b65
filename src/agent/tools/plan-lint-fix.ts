import { type ProjectFolder, readPackageScripts } from '../../core/index.ts';

const SCRIPTS = ['lint:fix', 'lint-fix', 'fix:lint', 'lint.fix'];

/** Linters that mend what they find, and the words that make them. */
const FIXERS: readonly (readonly [command: string, words: readonly string[]])[] = [
  ['ruff check .', ['--fix']],
  ['cargo clippy', ['--fix', '--allow-dirty', '--allow-staged']],
  ['golangci-lint run', ['--fix']],
  ['deno lint', ['--fix']],
  ['bundle exec rubocop', ['--autocorrect']],
];

/**
 * How a project's linter mends what it finds: another script, or more words behind the command; `null` where it is not known.
 *
 * @param command the command that only looks
 */
export function planLintFix(
  command: string,
  folder: ProjectFolder,
): { readonly command: string; readonly words: readonly string[] } | null {
  const scripts = readPackageScripts(folder);
  const script = SCRIPTS.find((name) => scripts?.names.includes(name));
  if (scripts !== null && script !== undefined) return { command: scripts.toCommand(script), words: [] };
  if (command === 'dotnet format --verify-no-changes') return { command: 'dotnet format', words: [] };
  const fixer = FIXERS.find(([start]) => command === start);
  return fixer === undefined ? null : { command, words: fixer[1] };
}
