import { estimateTokens } from '../../core/text/estimate-tokens.ts';
import type { ModelFile, ModelMessage, ModelTool, ToolAnswer } from '../../ports/model.ts';
import type { AgentTurn, TurnState } from '../session/agent-turn.ts';
import { renderConversation, withoutFile } from '../session/conversation.ts';

/** From this share of what the model can read on, something has to go. */
const FULL_SHARE = 0.8;
/** So much may be left then: room for many steps, in which the beginning stays as it is and is found in the provider's cache. */
const LEFT_SHARE = 0.5;
/** Results of the newest steps that stay whole as long as the rest is enough. */
const KEPT_STEPS = 4;

/** Sums up a record of the conversation; `null` where the model gives no summary. */
export type Summarise = (record: string) => Promise<string | null>;

/**
 * Keeps the next request within what the model can read: old outputs of tools go into files; where that is not enough, a summary takes the place of the
 * beginning.
 *
 * @param isForced the provider has said that the request is too long, whatever our count says
 */
export async function keepWithinBudget(parts: AgentTurn, state: TurnState, summarise: Summarise, isForced = false): Promise<void> {
  const room = Math.min(parts.limits.contextTokens, state.roomTokens);
  const isOver = (share: number): boolean => estimateRequest(state, parts.system, parts.tools.tools) > room * share;
  if (!isForced && !isOver(FULL_SHARE)) return;
  await evictOutputs(parts, state, isForced ? 1 : KEPT_STEPS);
  // A summary of a summary alone would gain nothing.
  if (isForced || (isOver(LEFT_SHARE) && state.messages.length > state.summarisedMessages))
    await compactConversation(parts, state, summarise);
}

/** A conversation that was refused as too long has to get at least so much shorter, else it is given up. */
const SHORTER_SHARE = 0.95;

/** Makes the conversation shorter than what the provider has refused; false where it was refused before and has hardly got shorter since. */
export async function shrinkRefused(parts: AgentTurn, state: TurnState, summarise: Summarise): Promise<boolean> {
  const tokens = estimateMessages(state.messages);
  if (state.refusedTokens !== null && tokens > state.refusedTokens * SHORTER_SHARE) return false;
  state.refusedTokens = tokens;
  const whole = estimateRequest({ ...state, contextTokens: null }, parts.system, parts.tools.tools);
  state.roomTokens = Math.min(state.roomTokens, parts.limits.contextTokens, whole);
  await keepWithinBudget(parts, state, summarise, true);
  return true;
}

const CHARACTERS_PER_TOKEN = 4;
/** What a summary may be made from, and what may stay as it is, as shares of what the model can read. */
const READ_SHARE = 0.5;
const KEPT_SHARE = 0.2;
const NEWEST_SHARE = 0.5;

/**
 * Puts a summary in the place of everything but the newest steps. Where the model gives none, the record itself, shortened in the middle, stands for it:
 * a turn does not fail for this.
 */
export async function compactConversation(parts: AgentTurn, state: TurnState, summarise: Summarise): Promise<void> {
  // A share of what there is, too: where the provider finds it too long, our own count is not to be believed.
  const room = Math.min(parts.limits.contextTokens, state.roomTokens);
  const kept = selectNewest(state.messages, Math.min(room, estimateMessages(state.messages)));
  const old = state.messages.slice(0, state.messages.length - kept.length);
  const record = renderConversation(old, room * READ_SHARE * CHARACTERS_PER_TOKEN);
  const summary = (await summarise(record)) ?? renderConversation(old, (room * KEPT_SHARE * CHARACTERS_PER_TOKEN) / 2);
  const text = `${parts.prompt}\n\n# What was done so far\n\nThe conversation had grown too long; these notes stand for its beginning.\n\n${summary}`;
  state.messages = [{ role: 'user', text }, ...kept];
  state.contextTokens = null;
  state.summarisedMessages = state.messages.length;
  parts.transcript.append({ type: 'compaction', messages: [...state.messages] });
  parts.tell({ type: 'warning', message: 'the conversation had grown too long for the model: its beginning is now a summary' });
}

/**
 * The newest steps that fit: each begins with an answer of the model, so that no result stands without its call. The newest one may be longer than the
 * others together, for the model has only just asked for it; unless there is nothing else that could go.
 */
function selectNewest(messages: readonly ModelMessage[], tokens: number): readonly ModelMessage[] {
  let start = messages.length;
  for (let index = messages.length - 1; index > 0; index -= 1) {
    if (messages[index]?.role !== 'assistant') continue;
    const share = start === messages.length && index > 1 ? NEWEST_SHARE : KEPT_SHARE;
    if (estimateMessages(messages.slice(index)) > tokens * share) break;
    start = index;
  }
  return messages.slice(start);
}

/** Outputs shorter than this stay: a pointer would not be much shorter. */
const SMALLEST_CHARACTERS = 2000;
const SHOWN_CHARACTERS = 400;
const MOVED = '[moved out of the conversation';

/** The outputs that can go: long ones and files, older than the last `keptMessages` messages with results. */
function planEviction(messages: readonly ModelMessage[], keptMessages: number): readonly ToolAnswer[] {
  const withResults = messages.filter((message) => message.role === 'tool');
  const old = withResults.slice(0, Math.max(0, withResults.length - keptMessages));
  return old.flatMap(({ results }) => results.filter(isLarge));
}

function isLarge({ text, file }: ToolAnswer): boolean {
  return file !== undefined || (text.length >= SMALLEST_CHARACTERS && !text.includes(MOVED));
}

/** Moves outputs into files and leaves their beginning and the way to them. What cannot be kept stays. */
async function evictOutputs(parts: AgentTurn, state: TurnState, keptMessages: number): Promise<void> {
  const planned = planEviction(state.messages, keptMessages);
  const moved = new Map<ToolAnswer, string>();
  for (const answer of planned) {
    if (answer.file !== undefined) {
      moved.set(answer, `${answer.text}\n${MOVED}; read_file shows it again]`);
      continue;
    }
    const path = await parts.tools.keep(answer.name, answer.text);
    if (path === null) continue;
    const text = `${answer.text.slice(0, SHOWN_CHARACTERS)}\n${MOVED}: ${answer.text.length} characters, whole in ${path}; read_file shows it]`;
    moved.set(answer, text);
  }
  replaceOutputs(parts, state, moved);
}

/**
 * Takes the files out of the newest results, where the provider has refused a request with them: one that it cannot read would be refused for ever.
 * False where there are none.
 */
export function dropRefusedFiles(parts: AgentTurn, state: TurnState, why: string): boolean {
  const last = state.messages.findLast((message) => message.role === 'tool')?.results ?? [];
  const refused = last.filter(({ file }) => file !== undefined);
  const text = `It could not be shown: the provider refused it (${why.slice(0, SHOWN_CHARACTERS)}). Go on without, or have it converted by a program.`;
  replaceOutputs(parts, state, new Map(refused.map((answer) => [answer, text])));
  return refused.length > 0;
}

/** @param texts what stands in the place of these results */
function replaceOutputs(parts: AgentTurn, state: TurnState, texts: ReadonlyMap<ToolAnswer, string>): void {
  if (texts.size === 0) return;
  state.messages = state.messages.map((message, index) => {
    if (message.role !== 'tool' || !message.results.some((result) => texts.has(result))) return message;
    return { role: 'tool', results: message.results.map((result, place) => replace(parts, result, texts.get(result), [index, place])) };
  });
  state.contextTokens = null;
}

function replace(parts: AgentTurn, result: ToolAnswer, text: string | undefined, [message, place]: readonly [number, number]): ToolAnswer {
  if (text === undefined) return result;
  parts.transcript.append({ type: 'evicted', message, result: place, text });
  return withoutFile(result, text);
}

/** What providers count for a picture of usual size. */
const IMAGE_TOKENS = 1600;
/** Of a document: some 50 KB a page, and 2,500 tokens, since it is read as text and as a picture. */
const DOCUMENT_BYTES_PER_TOKEN = 20;

/** Roughly how many tokens these messages are. */
export function estimateMessages(messages: readonly ModelMessage[]): number {
  let tokens = 0;
  for (const message of messages) {
    if (message.role !== 'tool') {
      tokens += estimateTokens(JSON.stringify(message));
      continue;
    }
    for (const { file, ...result } of message.results) {
      tokens += estimateTokens(JSON.stringify(result)) + (file === undefined ? 0 : estimateFile(file));
    }
  }
  return tokens;
}

function estimateFile({ mediaType, data }: ModelFile): number {
  return mediaType.startsWith('image/') ? IMAGE_TOKENS : Math.ceil((data.length * 0.75) / DOCUMENT_BYTES_PER_TOKEN);
}

/** Roughly how many tokens the next request is: as the provider counted the last one, and what has come since. */
function estimateRequest(state: TurnState, system: string, tools: readonly ModelTool[]): number {
  if (state.contextTokens !== null) return state.contextTokens + estimateMessages(state.messages.slice(state.countedMessages));
  return estimateTokens(system) + estimateTokens(JSON.stringify(tools)) + estimateMessages(state.messages);
}
