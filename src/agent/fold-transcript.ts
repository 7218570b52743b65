import { isJsonObject, parseJson } from '../core/index.ts';
import type { AssistantMessage, ModelMessage, ToolAnswer, ToolCallPart } from '../ports/index.ts';
import type { Evicted, SessionEnd, SessionHeader, TranscriptLine } from './transcript-line.ts';

/** A session, read again. */
export interface FoldedSession {
  readonly header: SessionHeader | null;
  /** The conversation after the last line, calls without a result mended. */
  readonly messages: readonly ModelMessage[];
  /** Answers of the model and calls of it that failed. */
  readonly steps: number;
  readonly end: SessionEnd | null;
  /** Something in it stands for all that was before, so what it follows need not be read. */
  readonly isWhole: boolean;
}

/**
 * Reads a session file. Lines that are none (torn by a crash, damaged) are passed over.
 *
 * @param before the conversation that this session begins with
 */
export function foldTranscript(text: string, before: readonly ModelMessage[]): FoldedSession {
  let header: SessionHeader | null = null;
  let end: SessionEnd | null = null;
  let steps = 0;
  let isWhole = false;
  let messages: ModelMessage[] = [...before];
  let open: OpenCalls | null = null;
  const settle = (): void => {
    if (open !== null) messages.push(toToolMessage(open));
    open = null;
  };
  for (const line of parseLines(text)) {
    if (line.type === 'session') header = line;
    else if (line.type === 'end') end = line;
    else if (line.type === 'retry') steps += 1;
    else if (line.type === 'tool-start') open?.started.add(line.id);
    else if (line.type === 'tool-result') open?.results.set(line.result.id, line.result);
    else if (line.type === 'evicted') {
      settle();
      messages = messages.map((message, index) => (index === line.message ? withEvicted(message, line) : message));
    } else if (line.type === 'compaction') {
      open = null;
      messages = [...line.messages];
      isWhole = true;
    } else if (line.type === 'message') {
      settle();
      messages.push(line.message);
      if (line.message.role === 'assistant') {
        steps += 1;
        const calls = listCalls(line.message);
        open = calls.length === 0 ? null : { calls, started: new Set(), results: new Map() };
      }
    }
  }
  settle();
  return { header, messages, steps, end, isWhole };
}

/** The calls of an assistant message whose results are still gathered. */
interface OpenCalls {
  readonly calls: readonly ToolCallPart[];
  readonly started: Set<string>;
  readonly results: Map<string, ToolAnswer>;
}

/** The tool calls of a message, in their order. */
export function listCalls(message: AssistantMessage): readonly ToolCallPart[] {
  return message.parts.filter((part) => part.type === 'tool-call');
}

const NOT_RUN = 'Interrupted before this call was run: nothing was done. Call it again if it is still needed.';
const UNKNOWN =
  'Interrupted while this call ran: whether it took effect is not known. Look at what is there before it is done a second time.';

/** Every call gets its result; those that a crash swallowed get one that says so. */
function toToolMessage({ calls, started, results }: OpenCalls): ModelMessage {
  const answer = ({ id, name }: ToolCallPart): ToolAnswer =>
    results.get(id) ?? { id, name, text: started.has(id) ? UNKNOWN : NOT_RUN, isError: true };
  return { role: 'tool', results: calls.map(answer) };
}

function withEvicted(message: ModelMessage, { result: place, text }: Evicted): ModelMessage {
  if (message.role !== 'tool') return message;
  return { role: 'tool', results: message.results.map((result, index) => (index === place ? { ...result, text } : result)) };
}

/** The lines of a text that are lines of a transcript, as far as their form tells. */
export function parseLines(text: string): readonly TranscriptLine[] {
  return text.split('\n').flatMap((line) => {
    const value = line === '' ? undefined : parseJson(line);
    return isJsonObject(value) && isSound(value) ? [value as unknown as TranscriptLine] : [];
  });
}

/** What is read again was written by this program; only what would break the reading is checked. */
function isSound(line: Readonly<Record<string, unknown>>): boolean {
  switch (line['type']) {
    case 'session':
      return typeof line['turn'] === 'string' && typeof line['hat'] === 'string';
    case 'message':
      return isMessage(line['message']);
    case 'tool-result':
      return isJsonObject(line['result']) && typeof line['result']['id'] === 'string' && typeof line['result']['text'] === 'string';
    case 'compaction':
      return Array.isArray(line['messages']) && line['messages'].every(isMessage);
    case 'evicted':
      return typeof line['message'] === 'number' && typeof line['text'] === 'string';
    default:
      return typeof line['type'] === 'string';
  }
}

function isMessage(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  if (value['role'] === 'user') return typeof value['text'] === 'string';
  if (value['role'] === 'assistant') return Array.isArray(value['parts']) && value['parts'].every(isJsonObject);
  return value['role'] === 'tool' && Array.isArray(value['results']) && value['results'].every(isJsonObject);
}
