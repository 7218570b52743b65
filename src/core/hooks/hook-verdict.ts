import { toBoundedPayload } from '../events/bounded-payload.ts';
import { isJsonObject, type Json, type JsonObject, readOwn, toPayloadText } from '../values/json.ts';
import { accept, type Result, refuse } from '../values/result.ts';
import { findHookEvent, type HookEventName } from './hook-moments.ts';
import { type HookInject, type HookOutcome, type HookSpec, type HookVerdict, INJECT_STRATEGIES, type PublishedDraft } from './hook-spec.ts';

/** A verdict, and what went wrong on the way; `null` for nothing. */
export interface JudgedHook {
  readonly verdict: HookVerdict;
  readonly error: string | null;
  /** See `HookRun`. */
  readonly isFileChanged?: true;
}

const ALLOW: HookVerdict = { decision: 'allow', reason: '', injects: [] };

/** What a hook means that says nothing: a call may be made, and a question is left to whoever is asked next. */
function toSilence(event: HookEventName): HookVerdict {
  return event === 'PermissionRequest' ? { ...ALLOW, decision: 'ask' } : ALLOW;
}

/**
 * What a hook's outcome means: one that cannot be started denies, one that fails or takes too long allows, unless it is `fail_closed`. Whoever ends with
 * exit code 2 denies, whatever it printed. What a hook refused stays refused, whatever else went wrong.
 */
export function judgeHook(
  { event, timeoutMs, isFailClosed }: Pick<HookSpec, 'event' | 'timeoutMs' | 'isFailClosed'>,
  outcome: HookOutcome,
): JudgedHook {
  const failure = (error: string, answer: Json): JudgedHook => {
    const refusal = readRefusal(answer, event);
    if (refusal !== null && (refusal.decision === 'deny' || !isFailClosed)) return { verdict: refusal, error };
    return { verdict: isFailClosed ? deny(error) : toSilence(event), error };
  };
  switch (outcome.kind) {
    case 'answered': {
      const read = readHookAnswer(outcome.answer, event);
      return read.ok ? { verdict: read.value, error: null } : failure(read.refused, outcome.answer);
    }
    case 'denied': {
      const read = readHookAnswer(outcome.answer, event);
      const said = read.ok ? read.value : ALLOW;
      return { verdict: { ...said, decision: 'deny', reason: said.reason || outcome.reason || 'it ended with exit code 2' }, error: null };
    }
    case 'failed':
      return failure(outcome.problem, outcome.answer);
    case 'timed-out':
      return failure(`it gave no answer within ${timeoutMs / 1000} s`, outcome.answer);
    case 'not-started':
      return {
        verdict: deny(outcome.problem),
        error: outcome.problem,
        ...(outcome.isFileChanged === true && { isFileChanged: true as const }),
      };
  }
}

function deny(reason: string): HookVerdict {
  return { ...ALLOW, decision: 'deny', reason };
}

/** The denial or the question in an answer, also in one that cannot be understood as a whole; `null` where there is neither. */
function readRefusal(answer: Json, event: HookEventName): HookVerdict | null {
  const read = readHookAnswer(answer, event);
  if (read.ok) return read.value.decision === 'allow' ? null : read.value;
  if (!isJsonObject(answer)) return null;
  const inner = answer['hookSpecificOutput'] ?? {};
  const own = isJsonObject(inner) ? inner : {};
  const decision = isDenied(answer) ? 'deny' : toStrictest(listDecisions(answer, own).map(({ meant }) => meant));
  return decision === 'allow' ? null : { decision, reason: readReason(answer, own), injects: [] };
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
 * decision counts. For `PermissionRequest` nothing leaves it to others, `hookSpecificOutput.decision.behavior` is read as well, and the input stays as it
 * is. Whatever cannot be understood is refused with the reason.
 */
export function readHookAnswer(answer: Json, event: HookEventName): Result<HookVerdict, string> {
  if (answer === null) return accept(toSilence(event));
  if (!isJsonObject(answer)) return refuse('it answered with something else than a JSON object');
  const own = answer['hookSpecificOutput'] ?? {};
  if (!isJsonObject(own)) return refuse('`hookSpecificOutput` is no object');
  const named = own['hookEventName'];
  if (named !== undefined && findHookEvent(String(named)) !== event)
    return refuse(`its answer is for ${String(named)}, and this is ${event}`);
  const decision = readDecision(answer, own, event);
  if (!decision.ok) return decision;
  const injects = readInjects(answer, own);
  if (!injects.ok) return injects;
  const updatedInput = answer['updated_input'] ?? own['updatedInput'] ?? undefined;
  if (updatedInput !== undefined && !isJsonObject(updatedInput)) return refuse('`updated_input` is no object');
  const mergedInput = own['tool_input'] ?? undefined;
  if (mergedInput !== undefined && !isJsonObject(mergedInput)) return refuse('`tool_input` is no object');
  if (event === 'PermissionRequest' && (updatedInput ?? mergedInput ?? readBehavior(own)['updatedInput']) !== undefined)
    return refuse('it may not change the input of a call that others are asked about: a hook of PreToolUse may');
  const updatedOutput = answer['updated_output'] ?? own['updatedToolOutput'] ?? undefined;
  const updatedEvent = readUpdatedEvent(answer['updated_event'] ?? null, event);
  if (!updatedEvent.ok) return updatedEvent;
  return accept({
    decision: decision.value,
    reason: readReason(answer, own),
    injects: injects.value,
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(mergedInput === undefined ? {} : { mergedInput }),
    ...(updatedOutput === undefined ? {} : { updatedOutput: toPayloadText(updatedOutput) }),
    ...(updatedEvent.value === null ? {} : { updatedEvent: updatedEvent.value }),
  });
}

/** What a hook makes of an event: any of its topic, its payload, its target. */
function readUpdatedEvent(value: Json, event: HookEventName): Result<Partial<PublishedDraft> | null, string> {
  if (value === null) return accept(null);
  if (event !== 'EventPublish') return refuse(`it may not change the event: that is for EventPublish, and this is ${event}`);
  if (!isJsonObject(value)) return refuse('`updated_event` is no object');
  const { topic, payload, target } = value;
  if (topic !== undefined && typeof topic !== 'string') return refuse('`topic` of `updated_event` is no text');
  if (target !== undefined && typeof target !== 'string') return refuse('`target` of `updated_event` is no text');
  return accept({
    ...(topic === undefined ? {} : { topic }),
    ...(payload === undefined ? {} : { payload: toBoundedPayload(payload) }),
    ...(target === undefined ? {} : { target }),
  });
}

function readDecision(answer: JsonObject, own: JsonObject, event: HookEventName): Result<HookVerdict['decision'], string> {
  const { allowed = true } = answer;
  if (typeof allowed !== 'boolean') return refuse('`allowed` is neither true nor false');
  if (isDenied(answer)) return accept('deny');
  const said = listDecisions(answer, own);
  const unknown = said.find(({ meant }) => meant === undefined);
  if (unknown !== undefined) return refuse(`${JSON.stringify(unknown.word).slice(0, 60)} is no decision: allow, deny or ask`);
  const isSilent = said.length === 0 && answer['allowed'] === undefined;
  return accept(isSilent ? toSilence(event).decision : toStrictest(said.map(({ meant }) => meant)));
}

/** What Claude Code's hooks of `PermissionRequest` answer with. */
function readBehavior(own: JsonObject): JsonObject {
  const decision = own['decision'];
  return isJsonObject(decision) ? decision : {};
}

function isDenied(answer: JsonObject): boolean {
  return answer['allowed'] === false || answer['continue'] === false;
}

/** Every decision in an answer, and what it means; `undefined` for no decision that there is. */
function listDecisions(
  answer: JsonObject,
  own: JsonObject,
): readonly { readonly word: Json; readonly meant: HookVerdict['decision'] | undefined }[] {
  const words = [answer['decision'], answer['permissionDecision'], own['permissionDecision'], readBehavior(own)['behavior']];
  return words.flatMap((word) =>
    word === undefined || word === null ? [] : [{ word, meant: typeof word === 'string' ? readOwn(DECISIONS, word) : undefined }],
  );
}

function toStrictest(decisions: readonly (HookVerdict['decision'] | undefined)[]): HookVerdict['decision'] {
  return decisions.includes('deny') ? 'deny' : decisions.includes('ask') ? 'ask' : 'allow';
}

function readReason(answer: JsonObject, own: JsonObject): string {
  return firstText(
    own['permissionDecisionReason'],
    readBehavior(own)['message'],
    answer['reason'],
    answer['stopReason'],
    answer['stop_reason'],
  );
}

function readInjects(answer: JsonObject, own: JsonObject): Result<readonly HookInject[], string> {
  const many = answer['injects'] ?? [];
  if (!Array.isArray(many)) return refuse('`injects` is no list');
  const one = answer['inject'] ?? null;
  const injects: HookInject[] = [];
  for (const item of one === null ? many : [one, ...many]) {
    if (!isJsonObject(item) || typeof item['content'] !== 'string') return refuse('`inject` has no text `content`');
    const named = item['strategy'];
    injects.push({ content: item['content'], strategy: INJECT_STRATEGIES.find((strategy) => strategy === named) ?? 'tool_result' });
  }
  const context = firstText(answer['additional_context'], own['additionalContext'], answer['additionalContext']);
  if (context !== '') injects.push({ content: context, strategy: 'tool_result' });
  return accept(injects.filter(({ content }) => content.trim() !== ''));
}

function firstText(...values: readonly (Json | undefined)[]): string {
  return values.find((value): value is string => typeof value === 'string' && value !== '') ?? '';
}
