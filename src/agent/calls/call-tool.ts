import type { z } from 'zod';
import type { HookMessage, HookRun } from '../../core/hooks/hook-moments.ts';
import type { HookInject, MergedHooks } from '../../core/hooks/hook-spec.ts';
import { maskControls } from '../../core/text/mask-controls.ts';
import { findNearMiss } from '../../core/text/near-miss.ts';
import { toErrorMessage } from '../../core/values/errors.ts';
import { isJsonObject, parseJson, toJsonObject } from '../../core/values/json.ts';
import { accept, type Result, refuse } from '../../core/values/result.ts';
import { NO_HOOKS, type ToolHooks } from '../../hooks/tool-hooks.ts';
import type { BatchOutcome } from '../session/agent-turn.ts';
import type { ToolRegistry } from '../tool/registry.ts';
import { type AnyTool, type CallOutcome, fail, type ResultFacts, type Tool, type ToolContext, type ToolReport } from '../tool/tool.ts';
import { capHookText, disarm, type HookTextRules } from './hook-text.ts';
import type { CallPermits, PermitRequest } from './permit-call.ts';

/** The tools that there are, and the names of those that the hat's profile lets it use and that can be used here. */
export interface CallableTools {
  readonly registry: ToolRegistry;
  readonly offered: ReadonlySet<string>;
}

/** What a model asked for; nothing of it is checked. */
export interface AskedCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

/** What happens to the text of every result before a model or a file sees it. */
export interface OutputRules {
  /** Takes secrets out. */
  readonly redact: (text: string) => string;
  /** Keeps as much as a model should read, and says where the rest is. */
  readonly cap: (text: string, keep: 'head' | 'tail') => Promise<string> | string;
  /** For what hooks say about it. */
  readonly hookText: HookTextRules;
}

/** What is asked about every call. */
export interface CallRules {
  readonly hooks: ToolHooks;
  readonly permit: CallPermits;
}

const NO_RULES: CallRules = { hooks: NO_HOOKS, permit: async () => ({ refusal: null, hooks: null }) };

/**
 * Carries out what a model asked for: prepares the call, asks the hooks about it, then the permissions, executes it, finishes its outcome, and asks the
 * hooks about that. Never throws: whatever goes wrong is an outcome that says what to do instead.
 */
export async function callTool(
  tools: CallableTools,
  asked: AskedCall,
  context: ToolContext,
  output: OutputRules,
  { hooks, permit }: CallRules = NO_RULES,
): Promise<CallOutcome> {
  try {
    const prepared = await prepareCall(tools, asked, output.redact);
    if (!prepared.ok) return await finishCall(prepared.refused, output);
    const prepareChanged = async ({ input }: MergedHooks): Promise<Result<PreparedCall, CallOutcome>> =>
      input === undefined ? prepared : toUnfit(await prepareCall(tools, { ...asked, args: input }, output.redact));
    const call = { id: asked.id, tool: asked.name, input: isJsonObject(asked.args) ? asked.args : {} };
    const before = await hooks.before(call);
    const allowed = before.decision === 'deny' ? refuse(toDenied(asked.name, before)) : await prepareChanged(before);
    if (!allowed.ok) return await withHooks(await finishCall(allowed.refused, output), [before], output);
    const permitted = await permit(toPermitRequest(asked, allowed.value, before));
    const said = permitted.hooks === null ? [before] : [before, permitted.hooks];
    if (permitted.refusal !== null) return await withHooks(await finishCall(permitted.refusal, output), said, output);
    const outcome = await executeCall(allowed.value, { ...context, callId: asked.id });
    const finished = await finishCall(outcome, output);
    // What was cut off has no end to be asked about, and programs of hooks are being ended as well.
    if (outcome.kind !== 'ran' && context.signal.aborted) return await withHooks(finished, said, output);
    const after = await hooks.after({ ...call, input: before.input ?? call.input }, finished.text, finished.isError);
    return await withHooks(await replaceOutput(finished, after, output), [...said, after], output);
  } catch (error) {
    // The rules for outputs failed: nothing that they have not seen may go on.
    return {
      kind: 'tool-failed',
      ...fail(`What ${toShownName(asked.name)} said could not be kept: ${toName(error)}.`, 'Ask for less at once.'),
    };
  }
}

function toDenied(name: string, { reason }: MergedHooks): CallOutcome {
  return {
    kind: 'denied',
    ...fail(
      `A hook denied this call: nothing was done. ${name}: ${reason}`,
      'Do it in another way, or say in your event why you could not.',
    ),
  };
}

/** With the input that the tool gets, whatever the model or a hook has written. */
function toPermitRequest({ id }: AskedCall, { tool, args }: PreparedCall, { decision, reason }: MergedHooks): PermitRequest {
  return { id, tool: tool.name, input: toJsonObject(args), hookReason: decision === 'ask' ? reason : null };
}

/** A model is not blamed for what a hook made of its input. */
function toUnfit(prepared: Result<PreparedCall, CallOutcome>): Result<PreparedCall, CallOutcome> {
  if (prepared.ok) return prepared;
  const { refused } = prepared;
  return refuse({ ...refused, text: `A hook changed its input to what does not fit: nothing was done. ${refused.text}` });
}

/** What hooks made of the output is finished like an output; a file that it was about is not shown. */
async function replaceOutput(finished: CallOutcome, { output }: MergedHooks, { redact, cap }: OutputRules): Promise<CallOutcome> {
  if (output === undefined) return finished;
  const { shown: _, ...rest } = finished;
  return { ...rest, text: await cap(disarm(redact(output)), finished.keep ?? 'head') };
}

/** With what hooks said: behind the result, apart from what the tool said, or in messages of their own. */
async function withHooks(outcome: CallOutcome, asked: readonly MergedHooks[], output: OutputRules): Promise<CallOutcome> {
  const { hooks, notes, messages } = await gatherHooks(asked, output);
  if (hooks.length === 0) return outcome;
  return {
    ...outcome,
    hooks,
    ...(notes.length === 0 ? {} : { notes }),
    ...(messages.length === 0 ? {} : { messages }),
  };
}

/** What hooks said, for a model and a file: what goes behind a result, and what into messages. */
export async function gatherHooks(
  asked: readonly MergedHooks[],
  { redact, hookText }: Pick<OutputRules, 'redact' | 'hookText'>,
): Promise<Omit<BatchOutcome, 'denied'>> {
  const injects: HookInject[] = [];
  for (const { content, strategy } of asked.flatMap((merged) => merged.injects))
    injects.push({ strategy, content: await capHookText(redact(content), hookText) });
  return {
    hooks: asked.flatMap((merged) => merged.runs).map((run) => redactRun(run, redact)),
    notes: injects.filter(({ strategy }) => strategy === 'tool_result').map(({ content }) => content),
    messages: injects.flatMap(({ strategy, content }) => toHookMessage(strategy, content)),
  };
}

function toHookMessage(strategy: HookInject['strategy'], content: string): readonly HookMessage[] {
  switch (strategy) {
    case 'tool_result':
      return [];
    case 'user_message':
      return [content];
    case 'system_message':
      return [{ system: content }];
  }
}

function redactRun(run: HookRun, redact: OutputRules['redact']): HookRun {
  const { name, reason, error, preview } = run;
  return { ...run, name: redact(name), reason: redact(reason), error: error === null ? null : redact(error), preview: redact(preview) };
}

interface PreparedCall {
  readonly tool: Tool<unknown>;
  /** As the schema of the tool let them through. */
  readonly args: unknown;
}

/** Checks the name, the profile and the arguments. The profile is checked here because models call tools that they were not offered. */
async function prepareCall(
  { registry, offered }: CallableTools,
  { name, args }: AskedCall,
  redact: OutputRules['redact'],
): Promise<Result<PreparedCall, CallOutcome>> {
  const tool = registry.find(name);
  if (tool === undefined) return refuse(explainUnknown(name, offered));
  if (!offered.has(name)) return refuse(explainNotOffered(name, offered));
  if (args !== undefined && args !== null && !isJsonObject(args)) return refuse(explainNoObject(name, args, redact));
  return await checkArguments(tool, args);
}

async function executeCall({ tool, args }: PreparedCall, context: ToolContext): Promise<CallOutcome> {
  try {
    context.signal.throwIfAborted();
    return { kind: 'ran', ...(await tool.run(args, context)) };
  } catch (error) {
    const advice = context.signal.aborted ? 'The turn is being stopped.' : 'Try it in another way, or go on without.';
    return { kind: 'tool-failed', ...fail(`${tool.name} failed: ${toMessage(error)}`, advice) };
  }
}

/** Takes secrets out of all that the outcome says, and cuts its text to what a model should read. */
async function finishCall(outcome: CallOutcome, { redact, cap }: OutputRules): Promise<CallOutcome> {
  const { facts, shown, report } = outcome;
  return {
    ...outcome,
    text: await cap(disarm(redact(String(outcome.text))), outcome.keep ?? 'head'),
    ...(facts === undefined ? {} : { facts: redactFacts(facts, redact) }),
    ...(shown === undefined ? {} : { shown: { ...shown, text: disarm(redact(shown.text)) } }),
    ...(report === undefined ? {} : { report: redactReport(report, redact) }),
  };
}

/** Facts go into the transcript: a path can hold a secret as well as a text can. */
function redactFacts(facts: ResultFacts, redact: OutputRules['redact']): ResultFacts {
  return Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, typeof value === 'string' ? redact(value) : value]));
}

function redactReport(report: ToolReport, redact: OutputRules['redact']): ToolReport {
  switch (report.kind) {
    case 'published':
      return { ...report, topic: redact(report.topic) };
    case 'write-stopped':
      return { ...report, line: redact(report.line) };
    case 'handed-in':
      return report;
  }
}

const MAX_ISSUES = 8;
const MAX_NAMED = 40;

function explainUnknown(name: string, offered: ReadonlySet<string>): CallOutcome {
  const near = findNearMiss(name.slice(0, 80), [...offered]);
  const what = `There is no tool ${toShownName(name)}${near === undefined ? '.' : `: did you mean ${near}?`}`;
  return { kind: 'unknown-tool', ...fail(what, `You have: ${listNames(offered)}.`) };
}

function explainNotOffered(name: string, offered: ReadonlySet<string>): CallOutcome {
  return {
    kind: 'not-offered',
    ...fail(
      `${name} is not among the tools of this hat: nothing was done.`,
      `You have: ${listNames(offered)}. What needs another tool is for another hat: say so in the event that you publish.`,
    ),
    facts: { violation: 'not-offered', tool: name },
  };
}

const BEFORE_BREAK = 100;
const AFTER_BREAK = 40;

/** What is no object cannot be read at all: the model is shown where, since it does not get back what it wrote. */
function explainNoObject(name: string, args: unknown, redact: OutputRules['redact']): CallOutcome {
  const where = typeof args === 'string' ? explainBreak(args, redact) : toKindText(args);
  return {
    kind: 'bad-arguments',
    ...fail(
      `The arguments of ${name} are no JSON object: nothing was done. ${where}`,
      'Call it again with one JSON object that fits its schema.',
    ),
  };
}

function explainBreak(text: string, redact: OutputRules['redact']): string {
  const at = findJsonBreak(text);
  if (at === null) return toKindText(parseJson(text));
  const before = toExcerpt(redact(text.slice(0, at)).slice(-BEFORE_BREAK));
  if (at === text.length)
    return `They break off at their end, after ${at} characters: ${before}\nIf there was no room for more, write smaller parts.`;
  const behind = toExcerpt(redact(text.slice(at)).slice(0, AFTER_BREAK));
  const advice = text[at] === '\n' ? '\nA line break within a text is written \\n.' : '';
  return `They break at character ${at + 1} of ${text.length}: ${before}[here]${behind}${advice}`;
}

function toKindText(value: unknown): string {
  return `They are a JSON ${Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value}.`;
}

function toExcerpt(text: string): string {
  return toShown(text.replaceAll('\n', '⏎'));
}

async function checkArguments(tool: AnyTool, args: unknown): Promise<Result<PreparedCall, CallOutcome>> {
  // `never` in the type of the list stands for "its own": what `parameters` let through is what `run` takes.
  const own = tool as unknown as Tool<unknown>;
  const parsed = await own.parameters.safeParseAsync(args ?? {});
  if (parsed.success) return accept({ tool: own, args: parsed.data });
  const lines = parsed.error.issues.slice(0, MAX_ISSUES).map(toIssueLine);
  const more = parsed.error.issues.length - lines.length;
  const what = [`The arguments of ${tool.name} are not right:`, ...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
  return refuse({ kind: 'bad-arguments', ...fail(what, 'Call it again with arguments that fit its schema.') });
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
  return toShown(toErrorMessage(error).replace(/\s+/g, ' ')) || toName(error);
}

function toName(error: unknown): string {
  return error instanceof Error ? error.name : 'an unknown error';
}

/** What may come next. */
type WantedJson = 'value' | 'value-or-close' | 'key' | 'key-or-close' | 'colon' | 'comma-or-close' | 'end';

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
  let wanted: WantedJson = 'value';
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

function toNext(depth: number): WantedJson {
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
