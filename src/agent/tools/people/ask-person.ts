import { z } from 'zod';
import { QUESTION_LIMITS } from '../../../core/run/question-limits.ts';
import { toTextHash } from '../../../core/values/hash.ts';
import type { People } from '../../../ports/people.ts';
import { defineTool, fail, succeed, type Tool } from '../../tool/tool.ts';

const parameters = z.strictObject({
  question: z.string().trim().min(1).max(QUESTION_LIMITS.text).describe('What is asked, with what a person needs to decide it.'),
  choices: z
    .array(z.string().trim().min(1).max(QUESTION_LIMITS.choice))
    .min(2)
    .max(QUESTION_LIMITS.choices)
    .optional()
    .describe('The answers that can be given; default: yes and no.'),
  default: z
    .string()
    .trim()
    .max(QUESTION_LIMITS.choice)
    .optional()
    .describe('One of them: what counts when nobody answers; default: the last.'),
  deadline_seconds: z
    .number()
    .positive()
    .max(QUESTION_LIMITS.deadlineMs / 1000)
    .optional()
    .describe('How long an answer is waited for.'),
});

type Args = z.infer<typeof parameters>;

/** The tool by which a hat asks the people of its run. The same question in one turn is asked again each time. */
export function createNativeAskPersonTool(people: People): Tool<Args> {
  return defineTool<Args>({
    name: 'ask_person',
    group: 'coordination',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    description:
      'Asks a person and waits for the answer. Ask only what you cannot find out or decide: nobody may be there, and then your default counts.',
    parameters,
    run: async ({ question, choices = ['yes', 'no'], default: stated, deadline_seconds: seconds }, { callId = '' }) => {
      const fallback = stated ?? choices.at(-1) ?? '';
      if (!choices.includes(fallback))
        return fail(`"${fallback}" is none of the choices: nobody was asked.`, 'Name one of them as the default.');
      // A call that a crash cut off is made again and meets its answer; every other call is a question of its own.
      const key = `ask_person ${toTextHash(JSON.stringify([callId, question, choices]))}`;
      const answer = await people.ask({
        ...{ key, kind: 'question' as const, text: question, choices, default: fallback },
        ...(seconds === undefined ? {} : { deadlineMs: seconds * 1000 }),
      });
      const how = answer.by === 'person' ? 'A person answered' : 'Nobody answered, so your default counts';
      return succeed(`${how}: ${answer.choice}`);
    },
  });
}
