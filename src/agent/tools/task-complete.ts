import { z } from 'zod';
import { TOPIC_COMPLETE } from '../../core/events/reserved.ts';
import { defineTool, fail, succeedPublished } from '../tool/tool.ts';

const parameters = z.strictObject({
  summary: z.string().trim().min(1).max(20_000).describe('What was done, for the person who asked for it.'),
  evidence: z.string().max(20_000).optional().describe('What shows that it is done: the tests that passed, the files that changed.'),
});

type Args = z.infer<typeof parameters>;

export const taskCompleteTool = defineTool<Args>({
  name: 'task_complete',
  group: 'complete',
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  description:
    'Says that the whole task is done. Ralph then runs the checks of the project; only if they pass does the run end, else you are told what failed.',
  parameters,
  run: async ({ summary, evidence }, { publish }) => {
    const topic = await publish(TOPIC_COMPLETE, evidence === undefined ? { summary } : { summary, evidence });
    if (!topic.ok)
      return fail(`The completion was refused: ${topic.refused.reason}`, `Nothing was published. ${toAdvice(topic.refused.allowed)}`);
    return succeedPublished('Noted. End your turn now: Ralph checks the work, and ends the run if the checks pass.', topic.value);
  },
});

function toAdvice(allowed: readonly string[]): string {
  if (allowed.length === 0) return 'End your turn with a summary of the work.';
  return `Hand your work on with emit_event and one of: ${allowed.join(', ')}.`;
}
