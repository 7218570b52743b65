import { z } from 'zod';
import { openProjectFolder } from '../../process/index.ts';
import { defineTool, fail } from '../tool.ts';
import { isPlainBuild, isSafeTarget, planBuildTarget } from './plan-build-target.ts';
import { findQualityCommand } from './quality-commands.ts';
import { QUALITY_SECONDS, runQuality } from './run-quality.ts';

const parameters = z.strictObject({
  target: z.string().trim().min(1).max(100).optional().describe('Only a part: a script build:<target>, a make target, a package.'),
});

type Args = z.infer<typeof parameters>;

export const runBuildTool = defineTool<Args>({
  name: 'run_build',
  group: 'quality',
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  description: 'Builds the project, with the configured command or the one its files tell, and returns the end of the output.',
  parameters,
  run: async ({ target }, context) => {
    const found = findQualityCommand('build', context);
    if ('refusal' in found) return found.refusal;
    if (target === undefined) return runQuality(found.order, 'other', QUALITY_SECONDS.usual, context);
    if (!isSafeTarget(target))
      return fail('The target is no name of one.', 'Use letters, digits and _ . / : @ - only, and no - or / first.');
    const order = planBuildTarget(found.order, target, openProjectFolder(context.jail.workspace));
    if (order === null) return fail(`\`${found.order.shown}\` has no part ${target} that is known.`, 'Call run_build without a target.');
    if (!context.mayWrite && !isPlainBuild(order))
      return fail(
        'This hat may not change files, and that target may do anything.',
        'Call run_build without a target, or with a build:… of the project.',
      );
    return runQuality(order, 'other', QUALITY_SECONDS.usual, context);
  },
});
