import { isJsonObject, type Json, type JsonObject } from '../values/json.ts';
import { accept, type Result, refuse } from '../values/result.ts';
import type { HookEventName, HookSpec } from './hook-spec.ts';

/** How a text of a hook reaches the model: with the result of the tool, or as a message of the user behind all results. */
export const INJECT_STRATEGIES = ['tool_result', 'user_message'] as const;

export interface HookInject {
  readonly content: string;
  readonly strategy: (typeof INJECT_STRATEGIES)[number];
}

/** What a hook decided. */
export interface HookVerdict {
  readonly decision: 'allow' | 'deny' | 'ask';
  readonly reason: string;
  /** In the place of the whole input. */
  readonly updatedInput?: JsonObject;
  /** Keys that are put over the input. */
  readonly mergedInput?: JsonObject;
  /** In the place of the output. */
  readonly updatedOutput?: string;
  readonly injects: readonly HookInject[];
}

/** What came of asking a hook. `answer`: what it printed or returned; `null` for nothing. */
export type HookOutcome =
  | { readonly kind: 'answered'; readonly answer: Json }
  /** It ended with exit code 2. */
  | { readonly kind: 'denied'; readonly reason: string; readonly answer: Json }
  /** It threw, ended with another exit code, or said what cannot be read. */
  | { readonly kind: 'failed'; readonly problem: string; readonly answer: Json }
  | { readonly kind: 'timed-out' }
  /** It is not there, may not be run, or was changed. */
  | { readonly kind: 'not-started'; readonly problem: string };

/** A verdict, and what went wrong on the way; `null` for nothing. */
export interface JudgedHook {
  readonly verdict: HookVerdict;
  readonly error: string | null;
}

const ALLOW: HookVerdict = { decision: 'allow', reason: '', injects: [] };

/**
 * What a hook's outcome means: one that cannot be started denies, one that fails or takes too long allows, unless it is `fail_closed`. Whoever ends with
 * exit code 2 denies, whatever it printed.
 */
export function judgeHook(
  { event, timeoutMs, isFailClosed }: Pick<HookSpec, 'event' | 'timeoutMs' | 'isFailClosed'>,
  outcome: HookOutcome,
): JudgedHook {
  const failure = (error: string): JudgedHook => ({ verdict: isFailClosed ? deny(error) : ALLOW, error });
  switch (outcome.kind) {
    case 'answered': {
      const read = readHookAnswer(outcome.answer, event);
      return read.ok ? { verdict: read.value, error: null } : failure(read.refused);
    }
    case 'denied': {
      const read = readHookAnswer(outcome.answer, event);
      const said = read.ok ? read.value : ALLOW;
      return { verdict: { ...said, decision: 'deny', reason: said.reason || outcome.reason || 'it ended with exit code 2' }, error: null };
    }
    case 'failed': {
      // A decision that it made counts, although it failed after that.
      const read = readHookAnswer(outcome.answer, event);
      if (outcome.answer !== null && read.ok && read.value.decision !== 'allow') return { verdict: read.value, error: outcome.problem };
      return failure(outcome.problem);
    }
    case 'timed-out':
      return failure(`it gave no answer within ${timeoutMs / 1000} s`);
    case 'not-started':
      return { verdict: deny(outcome.problem), error: outcome.problem };
  }
}

function deny(reason: string): HookVerdict {
  return { ...ALLOW, decision: 'deny', reason };
}

const DECISIONS: Readonly<Record<string, HookVerdict['decision']>> = {
  allow: 'allow',
  approve: 'allow',
  deny: 'deny',
  block: 'deny',
  ask: 'ask',
};

/**
 * Reads what a hook answered: `{allowed, decision, reason, updated_input, updated_output, inject, injects, additional_context}`, or what hooks of Claude
 * Code (`hookSpecificOutput`) and Gemini (`hookSpecificOutput.tool_input`, put over the input) say. Nothing, and an empty object, allow. The strictest
 * decision counts. Whatever cannot be understood is refused with the reason, never taken for an allow.
 */
export function readHookAnswer(answer: Json, event: HookEventName): Result<HookVerdict, string> {
  if (answer === null) return accept(ALLOW);
  if (!isJsonObject(answer)) return refuse('it answered with something else than a JSON object');
  const own = answer['hookSpecificOutput'] ?? {};
  if (!isJsonObject(own)) return refuse('`hookSpecificOutput` is no object');
  const named = own['hookEventName'];
  if (named !== undefined && named !== event) return refuse(`its answer is for ${String(named)}, and this is ${event}`);
  const decision = readDecision(answer, own);
  if (!decision.ok) return decision;
  const reason = firstText(own['permissionDecisionReason'], answer['reason'], answer['stopReason'], answer['stop_reason']);
  const texts = { injects: readInjects(answer, own) };
  const updatedInput = answer['updated_input'] ?? own['updatedInput'] ?? undefined;
  if (updatedInput !== undefined && !isJsonObject(updatedInput)) return refuse('`updated_input` is no object');
  const mergedInput = own['tool_input'] ?? undefined;
  if (mergedInput !== undefined && !isJsonObject(mergedInput)) return refuse('`tool_input` is no object');
  const updatedOutput = answer['updated_output'] ?? own['updatedToolOutput'] ?? undefined;
  if (!texts.injects.ok) return texts.injects;
  return accept({
    decision: decision.value,
    reason,
    injects: texts.injects.value,
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(mergedInput === undefined ? {} : { mergedInput }),
    ...(updatedOutput === undefined ? {} : { updatedOutput: toText(updatedOutput) }),
  });
}

function readDecision(answer: JsonObject, own: JsonObject): Result<HookVerdict['decision'], string> {
  const { allowed = true } = answer;
  if (typeof allowed !== 'boolean') return refuse('`allowed` is neither true nor false');
  if (!allowed || answer['continue'] === false) return accept('deny');
  const said = [answer['decision'], answer['permissionDecision'], own['permissionDecision']].filter(
    (word) => word !== undefined && word !== null,
  );
  const read = said.map((word) => (typeof word === 'string' && Object.hasOwn(DECISIONS, word) ? DECISIONS[word] : undefined));
  const unknown = read.indexOf(undefined);
  if (unknown >= 0) return refuse(`${JSON.stringify(said[unknown]).slice(0, 60)} is no decision: allow, deny or ask`);
  return accept(read.includes('deny') ? 'deny' : read.includes('ask') ? 'ask' : 'allow');
}

function readInjects(answer: JsonObject, own: JsonObject): Result<readonly HookInject[], string> {
  const many = answer['injects'] ?? [];
  if (!Array.isArray(many)) return refuse('`injects` is no list');
  const one = answer['inject'] ?? null;
  const injects: HookInject[] = [];
  for (const item of one === null ? many : [one, ...many]) {
    if (!isJsonObject(item) || typeof item['content'] !== 'string') return refuse('`inject` has no text `content`');
    const isMessage = item['strategy'] === 'user_message';
    injects.push({ content: item['content'], strategy: isMessage ? 'user_message' : 'tool_result' });
  }
  const context = firstText(answer['additional_context'], own['additionalContext'], answer['additionalContext']);
  if (context !== '') injects.push({ content: context, strategy: 'tool_result' });
  return accept(injects.filter(({ content }) => content.trim() !== ''));
}

function firstText(...values: readonly (Json | undefined)[]): string {
  return values.find((value): value is string => typeof value === 'string' && value !== '') ?? '';
}

function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** One hook that was asked. */
export interface HookRun {
  readonly name: string;
  readonly event: HookEventName;
  readonly decision: HookVerdict['decision'];
  readonly reason: string;
  readonly error: string | null;
  readonly ms: number;
  /** The beginning of what it injects; empty for nothing. */
  readonly preview: string;
}

/** What all hooks of one moment decided together. */
export interface MergedHooks {
  readonly decision: HookVerdict['decision'];
  /** Each with the name of its hook before it. */
  readonly reason: string;
  /** The input as the hooks left it; absent: as it was. */
  readonly input?: JsonObject;
  /** The output as the hooks left it; absent: as it was. */
  readonly output?: string;
  readonly injects: readonly HookInject[];
  readonly runs: readonly HookRun[];
}
