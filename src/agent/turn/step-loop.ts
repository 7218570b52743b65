import type { TurnFailure } from '../../core/run/turn.ts';
import type { AssistantMessage, CacheMarks, ModelFailure, ModelMessage, ModelRequest, UserMessage } from '../../ports/model.ts';
import { renderNotes } from '../calls/hook-text.ts';
import { runBatch } from '../calls/run-batch.ts';
import type { AgentTurn, LoopEnd, TurnState } from '../session/agent-turn.ts';
import { hasSignal, listCalls, toSpokenText } from '../session/conversation.ts';
import { toToldMessage } from '../session/transcript.ts';
import { deliverWords } from '../session/turn-words.ts';
import { type AnsweredStep, addStepUsage, askForSummary, askModel, type ModelAnswer } from './ask-model.ts';
import { dropRefusedFiles, keepWithinBudget, shrinkRefused } from './keep-within-budget.ts';
import { createRepeatWatch, type RepeatWatch } from './watch-repeats.ts';

const STOPPED: LoopEnd = { status: 'stopped', failure: null };
const SUCCEEDED: LoopEnd = { status: 'succeeded', failure: null };
/** The agent is told when so many steps are left. */
const LAST_STEPS = 3;
const COST_UNKNOWN = 'max_cost cannot hold this turn: the price of the model is not known; say it under `prices`';
/** How often it is asked to go on without having called a tool. */
const MAX_NUDGES = 3;

/**
 * Asks the model, runs the tools it calls, gives it the results, and so on until it calls none, or a limit or the person ends it. Everything is in the
 * transcript before the next call is made. Rejects with the system error where the transcript cannot be written.
 */
export async function runSteps(parts: AgentTurn, state: TurnState): Promise<LoopEnd> {
  const repeats = createRepeatWatch();
  for (;;) {
    const bound = findBound(parts, state);
    if (bound !== null) return bound;
    if (parts.words.isFinished()) return SUCCEEDED;
    deliverWords(parts, state);
    await keepWithinBudget(parts, state, (record) => askForSummary(parts, state, record));
    if (parts.signal.aborted) return STOPPED;
    parts.transcript.flush();
    const startedAt = parts.now();
    const answer = await askModel(parts, toRequest(parts, state));
    const end = await takeAnswer(parts, state, answer, { startedAt, repeats });
    if (end !== null) return end;
  }
}

function findBound({ signal, limits }: AgentTurn, state: TurnState): LoopEnd | null {
  if (signal.aborted) return STOPPED;
  if (limits.maxSteps !== null && state.steps >= limits.maxSteps)
    return limited(`the agent took ${state.steps} steps, the most that max_steps allows, and was not done`);
  const { costUsd } = state.usage;
  if (limits.maxCostUsd === null || costUsd === null || costUsd < limits.maxCostUsd) return null;
  return limited(`the turn has cost $${costUsd.toFixed(2)}, and max_cost is $${limits.maxCostUsd}`);
}

function fail(message: string): LoopEnd {
  return { status: 'failed', failure: { class: 'agent', message } };
}

function limited(message: string): LoopEnd {
  return { ...fail(message), isLimited: true };
}

function toRequest({ system, tools, limits }: AgentTurn, { messages }: TurnState): ModelRequest {
  const sent = renderNotes(messages, tools.noteForm);
  return { system, messages: sent, tools: tools.tools, maxOutputTokens: limits.maxOutputTokens, cache: planCacheMarks(messages) };
}

interface AnswerPlace {
  readonly startedAt: number;
  readonly repeats: RepeatWatch;
}

/** `null` where the turn goes on. */
async function takeAnswer(parts: AgentTurn, state: TurnState, answer: ModelAnswer, place: AnswerPlace): Promise<LoopEnd | null> {
  if (answer.kind === 'failed') return takeFailure(parts, state, answer.failure);
  state.steps += 1;
  state.refusedTokens = null;
  if (answer.kind === 'whole') return takeStep(parts, state, answer.step, place);
  append(parts, state, { role: 'assistant', parts: [{ type: 'text', text: answer.text }] });
  endMessage(parts, state);
  return nudge(parts, state, 'Your answer was cut off there, by the connection. Go on where it stopped; do not repeat what you have said.');
}

async function takeFailure(parts: AgentTurn, state: TurnState, failure: ModelFailure): Promise<LoopEnd | null> {
  if (parts.signal.aborted) return STOPPED;
  const summarise = (record: string): Promise<string | null> => askForSummary(parts, state, record);
  if (failure.class === 'context-overflow' && (await shrinkRefused(parts, state, summarise))) return null;
  if (failure.class === 'bad-request' && dropRefusedFiles(parts, state, failure.message)) return null;
  return { status: 'failed', failure: toTurnFailure(failure, parts.now()) };
}

async function takeStep(
  parts: AgentTurn,
  state: TurnState,
  step: AnsweredStep,
  { startedAt, repeats }: AnswerPlace,
): Promise<LoopEnd | null> {
  takeUsage(parts, state, step, startedAt);
  const { message, finish } = step;
  const calls = listCalls(message);
  const hasText = toSpokenText(message).trim() !== '';
  // Thinking alone is no answer: providers refuse to be given it back.
  if (calls.length > 0 || hasText) append(parts, state, message);
  if (hasText) endMessage(parts, state);
  state.hasSignalled ||= hasSignal(message);
  count(state, step);
  if (calls.length > 0) return takeCalls(parts, state, step, repeats);
  if (parts.signal.aborted) return STOPPED;
  if (finish === 'refusal') return fail('the model refused to go on');
  if (finish === 'length') return nudge(parts, state, toCutText(step, hasText));
  if (hasText || state.nudges > 0) return SUCCEEDED;
  return nudge(parts, state, 'Go on. If all is done, say in a few words what you did.');
}

async function takeCalls(parts: AgentTurn, state: TurnState, step: AnsweredStep, repeats: RepeatWatch): Promise<LoopEnd | null> {
  const { message, finish, usage } = step;
  const calls = listCalls(message);
  state.nudges = 0;
  const { results, end } = await runBatch(parts, state, calls, finish === 'length' ? usage.outputTokens : undefined);
  state.messages.push({ role: 'tool', results });
  // Behind all results: providers want every call answered first. The transcript has it with the results.
  state.messages.push(...toToldMessage(state.hookMessages.splice(0)));
  if (end !== null) return end;
  if (state.isDone) return SUCCEEDED;
  const left = parts.limits.maxSteps === null ? null : parts.limits.maxSteps - state.steps;
  if (left === LAST_STEPS)
    append(parts, state, { role: 'user', text: `${left} steps are left in this turn: finish, and publish your event.` });
  if (parts.signal.aborted) return STOPPED;
  const { action, times, tools } = repeats.note(calls, results);
  const circle = `${tools.join(' and ')} with the same arguments had the same result ${times} times`;
  if (action === 'end') return limited(`the agent went in a circle: ${circle}`);
  if (action === 'tell')
    append(parts, state, {
      role: 'user',
      text: `${circle}. Another try will not change that: do something else, or publish the event that says what keeps you from going on. After two more the turn is ended.`,
    });
  return null;
}

function toCutText({ usage }: AnsweredStep, hasWords: boolean): string {
  const limit = usage.outputTokens === null ? 'the most output tokens' : `${usage.outputTokens} output tokens, the most there may be`;
  if (hasWords) return `Your answer was cut off at ${limit}. Go on where it stopped.`;
  return `Your answer was cut off at ${limit}, before it had said or called anything. Think less at once, and write in smaller parts.`;
}

/** Asks it to go on; not for ever. */
function nudge(parts: AgentTurn, state: TurnState, text: string): LoopEnd | null {
  state.nudges += 1;
  if (state.nudges > MAX_NUDGES) return fail('the model did not come to an end');
  append(parts, state, { role: 'user', text });
  return null;
}

function append({ transcript }: AgentTurn, state: TurnState, message: AssistantMessage | UserMessage): void {
  state.messages.push(message);
  transcript.append({ type: 'message', message });
}

function endMessage({ tell }: AgentTurn, state: TurnState): void {
  state.hasSpoken = true;
  tell({ type: 'message-end' });
}

function takeUsage(parts: AgentTurn, state: TurnState, step: AnsweredStep, startedAt: number): void {
  const { costUsd } = addStepUsage(parts, state, step, startedAt);
  parts.tell({ type: 'usage', usage: state.usage });
  if (state.steps === 1 && parts.limits.maxCostUsd !== null && costUsd === null) parts.tell({ type: 'warning', message: COST_UNKNOWN });
}

/** What the provider counted is the best estimate of what comes next. */
function count(state: TurnState, { usage }: AnsweredStep): void {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  if (inputTokens === null) return;
  state.contextTokens = inputTokens + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0) + (outputTokens ?? 0);
  state.countedMessages = state.messages.length;
}

/** How many messages may carry a mark: providers take four marks, the other two are behind the system text and the tools. */
const MARKED_MESSAGES = 2;

/**
 * Up to where a provider should keep what it has read: behind the system text, the last tool, and the last two messages of ours. The second to last
 * is where the call before this one ended, so what was kept then is found.
 */
export function planCacheMarks(messages: readonly ModelMessage[]): CacheMarks {
  const ours = messages.flatMap((message, index) => (message.role === 'assistant' ? [] : [{ index, next: messages[index + 1]?.role }]));
  // Two of ours in a row reach the provider as one.
  const ends = ours.filter(({ next }) => next === 'assistant' || next === undefined);
  return { system: true, tools: true, messages: ends.slice(-MARKED_MESSAGES).map(({ index }) => index) };
}

const MAX_CHARACTERS = 2000;

const CLASSES = {
  transient: 'transient',
  limit: 'limit',
  auth: 'auth',
  setup: 'spawn',
  'context-overflow': 'agent',
  'bad-request': 'request',
  aborted: 'agent',
  other: 'agent',
} as const satisfies Record<ModelFailure['class'], TurnFailure['class']>;

/** What the loop is told of a model's failure. */
function toTurnFailure({ class: kind, message, retryAfterMs, wasRetried }: ModelFailure, now: number): TurnFailure {
  const known = { class: CLASSES[kind], message: message.slice(0, MAX_CHARACTERS), ...(wasRetried === true && { wasRetried }) };
  return kind === 'limit' && retryAfterMs !== undefined ? { ...known, resetAt: now + retryAfterMs } : known;
}
