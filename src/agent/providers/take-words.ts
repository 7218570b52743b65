import { endOf, startOf } from '../../core/text/shorten.ts';
import type { Json } from '../../core/values/json.ts';
import { tryOr } from '../../core/values/result.ts';
import type { ModelRequest } from '../../ports/model.ts';

/** What a script takes out of what its model was given: by name, regular expressions with one group each. */
export type Takes = Readonly<Record<string, string>>;

/** What was found, by name. */
export type Taken = ReadonlyMap<string, string>;

/** Longest expression, and how much of each text it is held against (its end), in characters: no script holds a run up for long. */
const MAX_PATTERN = 300;
const MAX_TEXT = 20_000;
/** Longest text that is taken. */
const MAX_TAKEN = 4000;

/** What is wrong with an expression; `null` where nothing is. */
export function findTakeFault(pattern: string): string | null {
  if (pattern.length > MAX_PATTERN) return `it is longer than ${MAX_PATTERN} characters`;
  const expression = compile(pattern);
  if (expression === null) return 'it is no regular expression';
  const groups = countGroups(pattern);
  return groups === 1 ? null : `it needs one group, and has ${groups}`;
}

/** Held against nothing, an expression that may be empty tells its groups. */
function countGroups(pattern: string): number {
  return (compile(`${pattern}|`)?.exec('')?.length ?? 1) - 1;
}

function compile(pattern: string): RegExp | null {
  return tryOr(() => new RegExp(pattern, 'u'), null);
}

/** Looks for each expression in what the model was given, in the newest text first, in the system's last; refused is the first that finds nothing, in words. */
export function takeWords(takes: Takes, request: Pick<ModelRequest, 'system' | 'messages'>): Taken | string {
  const texts = listGiven(request);
  const taken = new Map<string, string>();
  for (const [name, pattern] of Object.entries(takes)) {
    const expression = compile(pattern);
    const found = expression === null ? undefined : findGroup(expression, texts);
    if (found === undefined) return `nothing that it was given matches "${pattern}", for {{${name}}}`;
    taken.set(name, startOf(found, MAX_TAKEN));
  }
  return taken;
}

/** Prompts and results, the newest first; what the model said itself is not given to it. */
function listGiven({ system, messages }: Pick<ModelRequest, 'system' | 'messages'>): readonly string[] {
  const given = messages.flatMap((message) => {
    if (message.role === 'user') return [message.text];
    return message.role === 'tool' ? message.results.map(({ text }) => text) : [];
  });
  return [...given.reverse(), system].map((text) => endOf(text, MAX_TEXT));
}

function findGroup(expression: RegExp, texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const group = expression.exec(text)?.[1];
    if (group !== undefined) return group;
  }
  return undefined;
}

/** `{{name}}` within a text is what was taken by that name; what no name stands for stays as it is. */
export function fillText(text: string, taken: Taken): string {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => taken.get(name) ?? whole);
}

/** The same within all texts of a value. */
export function fillJson(value: Json, taken: Taken): Json {
  if (typeof value === 'string') return fillText(value, taken);
  if (Array.isArray(value)) return value.map((item) => fillJson(item, taken));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillJson(item as Json, taken)]));
}
