import { join } from 'node:path';
import { z } from 'zod';
import { maskControls } from '../../core/text/mask-controls.ts';
import { writeNotes } from '../files/write-notes.ts';
import { defineTool, succeed, type Todo } from '../tool/tool.ts';

const MAX_TODOS = 100;
const MAX_TEXT_CHARACTERS = 500;

const parameters = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        text: z.string().trim().min(1).max(MAX_TEXT_CHARACTERS).describe('One thing to do, in a few words.'),
        status: z.enum(['open', 'doing', 'done']).default('open'),
        priority: z.enum(['high', 'normal']).optional().describe('high: what matters most.'),
      }),
    )
    .max(MAX_TODOS)
    .describe('The whole list, in order: it takes the place of the one before.'),
});

type Args = z.infer<typeof parameters>;

const MARKS: Readonly<Record<Todo['status'], string>> = { open: ' ', doing: '~', done: 'x' };

/**
 * Keeps the list in the session and in `.agent/todos.md`, where the next turn, another hat or a person finds it: a list that ends
 * with the turn would be of little use when every turn begins afresh.
 */
export const updateTodosTool = defineTool<Args>({
  name: 'update_todos',
  group: 'coordination',
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  description:
    'Keeps the list of what is to do: give the whole list each time. It is kept in .agent/todos.md for later turns and other hats.',
  parameters,
  run: async ({ todos }, context) => {
    const list = todos.map(
      ({ text, status, priority }): Todo => ({
        text: maskControls(text, { by: ' ' }),
        status,
        ...(priority === 'high' ? { priority } : {}),
      }),
    );
    context.session.todos = list;
    const text = renderTodos(list);
    const written = await writeNotes(join(context.jail.workspace, '.agent', 'todos.md'), () => text, context);
    const notice = written.ok ? `[Kept in ${written.value.shown}.]` : `[Kept for this turn only. ${written.refused.reason}]`;
    return succeed(`${describeList(list)}\n${text}${notice}`, {
      open: countOf(list, 'open'),
      doing: countOf(list, 'doing'),
      done: countOf(list, 'done'),
    });
  },
});

function renderTodos(todos: readonly Todo[]): string {
  return todos
    .map(({ text, status, priority }) => `- [${MARKS[status]}] ${text}${priority === undefined ? '' : ' (high priority)'}\n`)
    .join('');
}

function describeList(todos: readonly Todo[]): string {
  if (todos.length === 0) return 'The list is empty.';
  const doing = countOf(todos, 'doing');
  const advice = doing > 1 ? ` ${doing} are being done at once: better one after the other.` : '';
  return `${todos.length} to do: ${countOf(todos, 'done')} done, ${doing} doing, ${countOf(todos, 'open')} open.${advice}`;
}

function countOf(todos: readonly Todo[], status: Todo['status']): number {
  return todos.filter((todo) => todo.status === status).length;
}
