import { z } from 'zod';
import { openProjectFolder } from '../../process/index.ts';
import { defineTool, fail } from '../tool.ts';
import { isPlainFilter } from './is-plain-filter.ts';
import { isSafeFilter, planTestFilter } from './plan-test-filter.ts';
import { findQualityCommand, withWords } from './quality-commands.ts';
import { QUALITY_SECONDS, runQuality } from './run-quality.ts';

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
    if ('refusal' in found) return found.refusal;
    const { order } = found;
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
