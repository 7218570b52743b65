import type { z } from 'zod';
import { findNearMiss, isJsonObject, maskControls, parseJson } from '../../core/index.ts';
import type { ToolRegistry } from '../tool/registry.ts';
import { type AnyTool, fail, type Tool, type ToolContext, type ToolResult } from '../tool/tool.ts';

/** What happens to the text of every result before a model or a file sees it. */
export interface OutputRules {
  /** Takes secrets out. */
  readonly redact: (text: string) => string;
  /** Keeps as much as a model should read, and says where the rest is. */
  readonly cap: (text: string, keep: 'head' | 'tail') => Promise<string> | string;
}

/** Why a call was not carried out as asked; `not-offered` is the violation of a profile. */
export type CallRefusal = 'unknown-tool' | 'not-offered' | 'bad-arguments' | 'tool-failed';

/** What came of a call; its text may be shown, sent and stored. */
export interface ToolOutcome extends ToolResult {
  /** `null`: the tool ran, and what it says (also an error) is its own word. */
  readonly refusal: CallRefusal | null;
}

const MAX_ISSUES = 8;
const MAX_NAMED = 40;

/**
 * Carries out what a model asked for. The profile is held against the call here: models call tools that they were not offered.
 * Never throws: whatever goes wrong is a result that says what to do instead.
 *
 * @param offered names of the tools that the hat's profile lets it use, and that can be used here
 * @param args as the model gave them, unchecked
 */
export async function callTool(
  registry: ToolRegistry,
  offered: ReadonlySet<string>,
  name: string,
  args: unknown,
  context: ToolContext,
  output: OutputRules,
): Promise<ToolOutcome> {
  try {
    const { result, refusal } = await judgeAndRun({ registry, offered, name, args, redact: output.redact }, context);
    const text = await output.cap(output.redact(String(result.text)), result.keep ?? 'head');
    const facts = result.facts === undefined ? {} : { facts: redactFacts(result.facts, output.redact) };
    const shown = result.shown === undefined ? {} : { shown: { ...result.shown, text: output.redact(result.shown.text) } };
    return { ...result, ...facts, ...shown, text, refusal };
  } catch (error) {
    // The rules for outputs failed: nothing that they have not seen may go on.
    return {
      ...fail(`What ${toShownName(name)} said could not be kept: ${toName(error)}.`, 'Ask for less at once.'),
      refusal: 'tool-failed',
    };
  }
}

/** Facts go into the transcript: a path can hold a secret as well as a text can. */
function redactFacts(facts: NonNullable<ToolResult['facts']>, redact: OutputRules['redact']): NonNullable<ToolResult['facts']> {
  return Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, typeof value === 'string' ? redact(value) : value]));
}

interface Judged {
  readonly result: ToolResult;
  readonly refusal: CallRefusal | null;
}

interface Call {
  readonly registry: ToolRegistry;
  readonly offered: ReadonlySet<string>;
  readonly name: string;
  readonly args: unknown;
  readonly redact: OutputRules['redact'];
}

async function judgeAndRun({ registry, offered, name, args, redact }: Call, context: ToolContext): Promise<Judged> {
  const tool = registry.find(name);
  if (tool === undefined) return { result: refuseUnknown(name, offered), refusal: 'unknown-tool' };
  if (!offered.has(name)) return { result: refuseNotOffered(name, offered), refusal: 'not-offered' };
  if (args !== undefined && args !== null && !isJsonObject(args))
    return { result: refuseNoObject(name, args, redact), refusal: 'bad-arguments' };
  const checked = await checkArguments(tool, args);
  if ('problem' in checked) return { result: checked.problem, refusal: 'bad-arguments' };
  try {
    context.signal.throwIfAborted();
    return { result: await checked.run(context), refusal: null };
  } catch (error) {
    const advice = context.signal.aborted ? 'The turn is being stopped.' : 'Try it in another way, or go on without.';
    return { result: fail(`${name} failed: ${toMessage(error)}`, advice), refusal: 'tool-failed' };
  }
}

function refuseUnknown(name: string, offered: ReadonlySet<string>): ToolResult {
  const near = findNearMiss(name.slice(0, 80), [...offered]);
  return fail(
    `There is no tool ${toShownName(name)}${near === undefined ? '.' : `: did you mean ${near}?`}`,
    `You have: ${listNames(offered)}.`,
  );
}

function refuseNotOffered(name: string, offered: ReadonlySet<string>): ToolResult {
  return {
    ...fail(
      `${name} is not among the tools of this hat: nothing was done.`,
      `You have: ${listNames(offered)}. What needs another tool is for another hat: say so in the event that you publish.`,
    ),
    facts: { violation: 'not-offered', tool: name },
  };
}

const BEFORE_BREAK = 100;
const BEHIND_BREAK = 40;

/** What is no object cannot be read at all: the model is shown where, since it does not get back what it wrote. */
function refuseNoObject(name: string, args: unknown, redact: OutputRules['redact']): ToolResult {
  return fail(
    `The arguments of ${name} are no JSON object: nothing was done. ${typeof args === 'string' ? explainBreak(args, redact) : toKindText(args)}`,
    'Call it again with one JSON object that fits its schema.',
  );
}

function explainBreak(text: string, redact: OutputRules['redact']): string {
  const at = findJsonBreak(text);
  if (at === null) return toKindText(parseJson(text));
  const before = toExcerpt(redact(text.slice(0, at)).slice(-BEFORE_BREAK));
  if (at === text.length)
    return `They break off at their end, after ${at} characters: ${before}\nIf there was no room for more, write smaller parts.`;
  const behind = toExcerpt(redact(text.slice(at)).slice(0, BEHIND_BREAK));
  const advice = text[at] === '\n' ? '\nA line break within a text is written \\n.' : '';
  return `They break at character ${at + 1} of ${text.length}: ${before}[here]${behind}${advice}`;
}

function toKindText(value: unknown): string {
  return `They are a JSON ${Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value}.`;
}

function toExcerpt(text: string): string {
  return toShown(text.replaceAll('\n', '⏎'));
}

type Checked = { readonly run: (context: ToolContext) => Promise<ToolResult> } | { readonly problem: ToolResult };

async function checkArguments(tool: AnyTool, args: unknown): Promise<Checked> {
  // `never` in the type of the list stands for "its own": what `parameters` let through is what `run` takes.
  const { parameters, run, name } = tool as unknown as Tool<unknown>;
  const parsed = await parameters.safeParseAsync(args ?? {});
  if (parsed.success) return { run: (context) => run(parsed.data, context) };
  const lines = parsed.error.issues.slice(0, MAX_ISSUES).map(toIssueLine);
  const more = parsed.error.issues.length - lines.length;
  return {
    problem: fail(
      [`The arguments of ${name} are not right:`, ...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'),
      'Call it again with arguments that fit its schema.',
    ),
  };
}

function toIssueLine(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.');
  return `- ${path === '' ? 'as a whole' : toShown(path)}: ${toShown(issue.message)}`;
}

function listNames(names: ReadonlySet<string>): string {
  const shown = [...names].slice(0, MAX_NAMED);
  return `${shown.join(', ') || 'none'}${names.size > shown.length ? ', …' : ''}`;
}

function toShownName(name: string): string {
  return toShown(JSON.stringify(String(name).slice(0, 80)));
}

function toShown(text: string): string {
  return maskControls(text.slice(0, 300));
}

function toMessage(error: unknown): string {
  return toShown((error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ')) || toName(error);
}

function toName(error: unknown): string {
  return error instanceof Error ? error.name : 'an unknown error';
}

/** What may come next. */
type Wanted = 'value' | 'value-or-close' | 'key' | 'key-or-close' | 'colon' | 'comma-or-close' | 'end';

const SPACE = /[ \t\n\r]*/y;
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*(?:(")|\\(?:u[0-9a-fA-F]{0,3})?$)?/y;
const NUMBER = /-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d*)?)?/y;
const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORDS = ['true', 'false', 'null'];

/**
 * The place of the first character that cannot stand where it stands in JSON, the length of a text that ends too early, `null` for JSON. The engine's
 * own messages name a place only for some of the mistakes, in words that change from version to version.
 */
export function findJsonBreak(text: string): number | null {
  const open: ('{' | '[')[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  for (;;) {
    at += lengthOf(SPACE, text, at);
    if (at >= text.length) return wanted === 'end' ? null : text.length;
    const mark = text[at];
    const inside = open.at(-1);
    const closes = inside === '{' ? '}' : ']';
    if (wanted === 'end') return at;
    if (wanted === 'colon') {
      if (mark !== ':') return at;
      wanted = 'value';
      at += 1;
    } else if (mark === closes && wanted.endsWith('close')) {
      open.pop();
      wanted = toNext(open.length);
      at += 1;
    } else if (wanted === 'comma-or-close') {
      if (mark !== ',') return at;
      wanted = inside === '{' ? 'key' : 'value';
      at += 1;
    } else if (wanted.startsWith('value') && (mark === '{' || mark === '[')) {
      open.push(mark);
      wanted = mark === '{' ? 'key-or-close' : 'value-or-close';
      at += 1;
    } else {
      if (wanted.startsWith('key') && mark !== '"') return at;
      const { length, isWhole } = readScalar(text, at);
      at += length;
      if (!isWhole) return at;
      wanted = wanted.startsWith('key') ? 'colon' : toNext(open.length);
    }
  }
}

function toNext(depth: number): Wanted {
  return depth === 0 ? 'end' : 'comma-or-close';
}

/** How much of a text, number or word stands there, and whether that is all of it. */
function readScalar(text: string, at: number): { readonly length: number; readonly isWhole: boolean } {
  const mark = text[at] ?? '';
  if (mark === '"') {
    STRING.lastIndex = at;
    const [whole = '', end] = STRING.exec(text) ?? [];
    return { length: whole.length, isWhole: end !== undefined };
  }
  if (/[-\d]/.test(mark)) {
    const length = lengthOf(NUMBER, text, at);
    return { length, isWhole: WHOLE_NUMBER.test(text.slice(at, at + length)) };
  }
  const word = WORDS.find((candidate) => candidate[0] === mark) ?? '';
  let length = 0;
  while (length < word.length && text[at + length] === word[length]) length += 1;
  return { length, isWhole: length > 0 && length === word.length };
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
