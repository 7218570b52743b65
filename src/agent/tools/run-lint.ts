import { z } from 'zod';
import { openProjectFolder } from '../../process/index.ts';
import { defineTool, fail } from '../tool.ts';
import { planLintFix } from './plan-lint-fix.ts';
import { findQualityCommand, toOrder, withWords } from './quality-commands.ts';
import { QUALITY_SECONDS, runQuality } from './run-quality.ts';

const parameters = z.strictObject({
  fix: z.boolean().default(false).describe('Mends what the linter can mend; only for hats that may change files.'),
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
    if ('refusal' in found) return found.refusal;
    if (!fix) return runQuality(found.order, 'other', QUALITY_SECONDS.usual, context);
    if (!context.mayWrite) return fail('This hat may not change files.', 'Call run_lint without fix, and say what is to be mended.');
    const plan = planLintFix(found.order.shown, openProjectFolder(context.jail.workspace));
    const order = plan === null ? null : withWords(toOrder(plan.command), plan.words);
    if (order === null) {
      return fail(
        `It is not known how \`${found.order.shown}\` mends what it finds.`,
        'Add a script lint:fix to the project, or mend the files yourself.',
      );
    }
    return runQuality(order, 'other', QUALITY_SECONDS.usual, context);
  },
});
