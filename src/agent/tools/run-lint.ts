import { z } from 'zod';
import { type ProjectFolder, readPackageScripts } from '../../core/project/package-scripts.ts';
import { openProjectFolder } from '../../process/open-project-folder.ts';
import { defineTool, fail, failWith } from '../tool/tool.ts';
import { findQualityCommand, QUALITY_SECONDS, runQuality, toOrder, withWords } from './quality/run-quality.ts';

const parameters = z.strictObject({
  fix: z.boolean().default(false).describe('Fixes what the linter can fix; only for hats that may change files.'),
});

type Args = z.infer<typeof parameters>;

export const runLintTool = defineTool<Args>({
  name: 'run_lint',
  group: 'quality',
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  description: 'Runs the linter of the project, with the configured command or the one its files tell.',
  parameters,
  run: async ({ fix }, context) => {
    const found = findQualityCommand('lint', context);
    if (!found.ok) return failWith(found.refused);
    if (!fix) return runQuality(found.value, 'other', QUALITY_SECONDS.usual, context);
    if (!context.mayWrite) return fail('This hat may not change files.', 'Call run_lint without fix, and say what needs fixing.');
    const plan = planLintFix(found.value.shown, openProjectFolder(context.jail.workspace));
    const order = plan === null ? null : withWords(toOrder(plan.command), plan.words);
    if (order === null) {
      return fail(
        `It is not known how \`${found.value.shown}\` fixes what it finds.`,
        'Add a script lint:fix to the project, or fix the files yourself.',
      );
    }
    return runQuality(order, 'other', QUALITY_SECONDS.usual, context);
  },
});

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
function planLintFix(command: string, folder: ProjectFolder): { readonly command: string; readonly words: readonly string[] } | null {
  const scripts = readPackageScripts(folder);
  const script = SCRIPTS.find((name) => scripts?.names.includes(name));
  if (scripts !== null && script !== undefined) return { command: scripts.toCommand(script), words: [] };
  if (command === 'dotnet format --verify-no-changes') return { command: 'dotnet format', words: [] };
  const fixer = FIXERS.find(([start]) => command === start);
  return fixer === undefined ? null : { command, words: fixer[1] };
}
