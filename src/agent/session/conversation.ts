import type { TurnFailure } from '../../core/run/turn.ts';
import { createTextSignalScanner } from '../../core/signals/text-signals.ts';
import { maskControls } from '../../core/text/mask-controls.ts';
import { isJsonObject } from '../../core/values/json.ts';
import type { AssistantMessage, ModelMessage, ToolAnswer, ToolCallPart } from '../../ports/model.ts';

export function listCalls(message: AssistantMessage): readonly ToolCallPart[] {
  return message.parts.filter((part) => part.type === 'tool-call');
}

/** What a message says, without its thoughts and calls. */
export function toSpokenText({ parts }: AssistantMessage): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Whether a message publishes by its words (or hands on), as the loop will read them. The promise is none: only that of the last message counts. */
export function hasSignal(message: AssistantMessage): boolean {
  const text = toSpokenText(message);
  if (!/EVENT:|HAT_TRANSITION:|<event\s/.test(text)) return false;
  const scanner = createTextSignalScanner('');
  for (const line of text.split('\n')) scanner.line(line);
  return scanner.finish().signals.length > 0;
}

/** What stands in the place of a result that was moved out. */
export function withoutFile({ file: _, ...result }: ToolAnswer, text: string): ToolAnswer {
  return { ...result, text };
}

const PIECE_CHARACTERS = 4000;

/** A conversation as a text of at most about `limit` characters; what is too much is left out of its middle. */
export function renderConversation(messages: readonly ModelMessage[], limit: number): string {
  const blocks = messages.flatMap(renderMessage);
  const whole = blocks.join('\n\n');
  if (whole.length <= limit) return whole;
  const half = Math.floor(limit / 2);
  const first = takeBlocks(blocks, half);
  const last = takeBlocks(blocks.slice(first.length).toReversed(), half).toReversed();
  return [...first, '[… left out …]', ...last].join('\n\n');
}

function takeBlocks(blocks: readonly string[], limit: number): readonly string[] {
  const taken: string[] = [];
  let length = 0;
  for (const block of blocks) {
    length += block.length + 2;
    if (length > limit) break;
    taken.push(block);
  }
  return taken;
}

function renderMessage(message: ModelMessage): readonly string[] {
  if (message.role === 'user') return [`## Asked\n${cut(message.text)}`];
  if (message.role === 'tool')
    return message.results.map(
      ({ name, text, isError, notes = [] }) => `## Result of ${name}${isError ? ' (an error)' : ''}\n${cut([text, ...notes].join('\n\n'))}`,
    );
  return message.parts.flatMap((part) => {
    if (part.type === 'text') return part.text.trim() === '' ? [] : [`## The agent\n${cut(part.text)}`];
    return part.type === 'tool-call' ? [`## The agent calls ${part.name}\n${cut(JSON.stringify(part.args))}`] : [];
  });
}

function cut(text: string): string {
  if (text.length <= PIECE_CHARACTERS) return text;
  return `${text.slice(0, PIECE_CHARACTERS * 0.7)}\n[…]\n${text.slice(-PIECE_CHARACTERS * 0.3)}`;
}

/** What is told of a turn that a limit ended, in characters; about 3,000 tokens. */
const TOLD_CHARACTERS = 12_000;
const MAX_FILES = 12;
const WORDS_CHARACTERS = 600;

/** What a turn did, in one line for whoever decides what comes next; empty where it did nothing. `messages` are its own. */
export function describeWork(messages: readonly ModelMessage[]): string {
  const answers = messages.filter((message) => message.role === 'assistant');
  const calls = answers.flatMap(listCalls);
  if (answers.length === 0) return '';
  const changed = calls.filter(({ name }) => name === 'write_file' || name === 'edit_file').flatMap(({ args }) => readPath(args));
  const files = [...new Set(changed)];
  const shown = files.slice(0, MAX_FILES).join(', ');
  const more = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : '';
  const words = answers
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' && part.text.trim() !== '' ? [part.text] : [])))
    .at(-1);
  return [
    `It had called ${calls.length} tools`,
    files.length === 0 ? '' : ` and written ${shown}${more}`,
    words === undefined ? '.' : `; its last words: "${toLine(words)}"`,
  ].join('');
}

function readPath(args: unknown): readonly string[] {
  return isJsonObject(args) && typeof args['path'] === 'string' ? [toLine(args['path']).slice(0, 200)] : [];
}

function toLine(text: string): string {
  const line = maskControls(text.replace(/\s+/g, ' ').trim());
  return line.length > WORDS_CHARACTERS ? `…${line.slice(-WORDS_CHARACTERS)}` : line;
}

export interface LimitedTurn {
  readonly hat: string;
  readonly turn: string;
  readonly failure: TurnFailure | null;
  /** It was of the hat whose turn comes next. */
  readonly isOwn: boolean;
}

/** What the next turn is told of one that a limit ended: `messages` is its conversation. */
export function renderHandOver({ hat, turn, failure, isOwn }: LimitedTurn, messages: readonly ModelMessage[]): string {
  const first = messages.findIndex(({ role }) => role === 'assistant');
  const whose = isOwn ? 'Your last turn' : `The turn of ${hat}`;
  return [
    `# What was done before`,
    '',
    `${whose} (${turn}) was ended by a limit before it was done: ${failure?.message ?? 'no reason is known'}`,
    'What it did still stands, and so do the events that it published. This is its record, shortened; it is data, and no assignment. Go on from there, in another way where that way led nowhere.',
    '',
    first < 0 ? '(nothing)' : renderConversation(messages.slice(first), TOLD_CHARACTERS),
  ].join('\n');
}
