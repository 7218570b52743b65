import { BUILT_IN_HOOKS, type BuiltInHook } from '../../core/hooks/built-in-hooks.ts';
import type { HookRun } from '../../core/hooks/hook-moments.ts';
import type { MergedHooks } from '../../core/hooks/hook-spec.ts';
import { maskControls } from '../../core/text/mask-controls.ts';
import { startOf } from '../../core/text/shorten.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../core/values/json.ts';
import type { HookedCall, ToolHooks } from '../../hooks/tool-hooks.ts';
import { EMIT_EVENT } from '../tools/emit-event.ts';

export interface BuiltInSight {
  /** How much of the turn's time has passed, from 0 on; 0 where it has no limit. */
  readonly passed: () => number;
  /** Whether a tool is the project's own: neither built in nor of a server. */
  readonly isOwn: (tool: string) => boolean;
}

const SOFT = 0.8;
const HARD = 0.95;
const MAX_DENIALS = 10;
const PUBLISHING: readonly string[] = [EMIT_EVENT, 'task_complete'];
const MAX_REMINDER = 2000;
const MAX_SHOWN = 200;

/** The hooks of a hat with those that are built in. They hold for one turn. */
export function withBuiltInHooks(hooks: ToolHooks, sight: BuiltInSight): ToolHooks {
  const limits = createTimeLimits(sight.passed);
  const remind = createPriorityReminder();
  return {
    before: async (call) => limits.before(call.tool) ?? hooks.before(call),
    after: async (call, output, isError) => {
      const merged = await hooks.after(call, output, isError);
      if (isError) return merged;
      const reminded = sight.isOwn(call.tool) ? readReminder(merged.output ?? output) : null;
      return withText(withText(merged, BUILT_IN_HOOKS.reminder, reminded), BUILT_IN_HOOKS.priority, remind(call));
    },
    afterAll: async (calls) => {
      const merged = await hooks.afterAll(calls);
      if (merged.decision !== 'allow') return merged;
      return limits.end(merged) ?? withText(merged, BUILT_IN_HOOKS.softLimit, limits.tell());
    },
    request: hooks.request,
    close: hooks.close,
  };
}

/** Adds a text as a message of the user; nothing for `null`. */
function withText(merged: MergedHooks, hook: BuiltInHook, content: string | null): MergedHooks {
  if (content === null) return merged;
  return {
    ...merged,
    injects: [...merged.injects, { content, strategy: 'user_message' }],
    runs: [...merged.runs, toRun(hook, 'allow', { preview: startOf(content, MAX_SHOWN) })],
  };
}

function toDenied(hook: BuiltInHook, reason: string, before: MergedHooks['runs'] = []): MergedHooks {
  return { decision: 'deny', reason: `${hook.name}: ${reason}`, injects: [], runs: [...before, toRun(hook, 'deny', { reason })] };
}

function toRun({ name, event }: BuiltInHook, decision: HookRun['decision'], said: Partial<HookRun>): HookRun {
  return { name, event, decision, reason: '', error: null, ms: 0, preview: '', ...said };
}

interface TimeLimits {
  /** The denial of a call; `null`: it may be made. */
  readonly before: (tool: string) => MergedHooks | null;
  /** The end of the turn; `null`: it goes on. */
  readonly end: (merged: MergedHooks) => MergedHooks | null;
  /** What the agent is told of the end, once. */
  readonly tell: () => string | null;
}

function createTimeLimits(passed: BuiltInSight['passed']): TimeLimits {
  let isTold = false;
  let denials = 0;
  return {
    // Nobody is held to an end that he was not told of.
    before: (tool) => {
      if (!isTold || passed() < HARD || PUBLISHING.includes(tool)) return null;
      denials += 1;
      return toDenied(BUILT_IN_HOOKS.hardLimit, 'the time of the turn is nearly over: publish your event now, with what is left to do');
    },
    end: ({ runs }) =>
      denials < MAX_DENIALS
        ? null
        : toDenied(
            BUILT_IN_HOOKS.softLimit,
            `the time of the turn is nearly over, and ${denials} calls that publish nothing were denied`,
            runs,
          ),
    tell: () => {
      if (isTold || passed() < SOFT) return null;
      isTold = true;
      return 'Four fifths of the time of this turn have passed. Bring what you do to an end, check it, and publish your event. Shortly before the end every call that publishes nothing is denied.';
    },
  };
}

/** What an output of the project's own tools asks the agent to be told: outputs of all others may be the words of strangers. */
function readReminder(output: string): string | null {
  const value = output.trimStart().startsWith('{') ? parseJson(output) : undefined;
  const said = isJsonObject(value) ? value['reminder'] : undefined;
  return typeof said === 'string' && said.trim() !== '' ? startOf(said.trim(), MAX_REMINDER) : null;
}

const LIST_TOOL = 'update_todos';

/** Reminds once of each thing of high priority that was done; one that leaves with the whole list is done, too. */
function createPriorityReminder(): (call: HookedCall) => string | null {
  let open: readonly string[] = [];
  const told = new Set<string>();
  return ({ tool, input }) => {
    if (tool !== LIST_TOOL) return null;
    const list = readTodos(input);
    const gone = list.length === 0 ? open : [];
    const done = [...gone, ...list.filter(({ isDone, isHigh }) => isDone && isHigh).map(({ text }) => text)].filter(
      (text) => !told.has(text),
    );
    open = list.filter(({ isDone, isHigh }) => isHigh && !isDone).map(({ text }) => text);
    for (const text of done) told.add(text);
    if (done.length === 0) return null;
    const left = list.filter(({ isDone }) => !isDone).length;
    const next =
      left === 0
        ? 'Nothing is left on the list: see whether all that was asked is done, and publish your event.'
        : `${left} left on the list.`;
    return `Done, of high priority: ${done.map((text) => maskControls(startOf(text, MAX_SHOWN), { by: ' ' })).join('; ')}. Before you go on, look at what came of it and check it. ${next}`;
  };
}

interface ReadTodo {
  readonly text: string;
  readonly isDone: boolean;
  readonly isHigh: boolean;
}

function readTodos({ todos }: JsonObject): readonly ReadTodo[] {
  return (Array.isArray(todos) ? todos : []).flatMap((todo) => {
    if (!isJsonObject(todo) || typeof todo['text'] !== 'string') return [];
    return [{ text: todo['text'].trim(), isDone: todo['status'] === 'done', isHigh: todo['priority'] === 'high' }];
  });
}
