import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import type { HookMessage } from '../../core/hooks/hook-moments.ts';
import { isJsonObject, isTextList, parseJson } from '../../core/values/json.ts';
import type { AssistantMessage, FinishReason, ModelMessage, ToolAnswer, ToolCallPart, UserMessage } from '../../ports/model.ts';
import type { ReadRecord } from '../tool/tool.ts';
import type { Evicted, SessionEnd, SessionHeader, Transcript, TranscriptLine } from './agent-turn.ts';
import { hasSignal, listCalls, withoutFile } from './conversation.ts';

export interface SessionMemory {
  /** The conversation after the last line, calls without a result mended. */
  readonly messages: readonly ModelMessage[];
  /** So many of them stay, whatever comes next; those behind are a prompt that was never answered, and is asked anew. */
  readonly settled: number;
  /** The calls that the last message holds the results of, where the session stopped while they were run; `null` where it did not. */
  readonly open: OpenCalls | null;
  /** The last message is the answer that ends its turn. */
  readonly isDone: boolean;
  /** What files were when they were read, by real path. */
  readonly reads: ReadonlyMap<string, ReadRecord>;
}

/** The memory of a session that goes on with nothing. */
export const NO_MEMORY: SessionMemory = { messages: [], settled: 0, open: null, isDone: false, reads: new Map() };

export interface FoldedSession extends SessionMemory {
  readonly header: SessionHeader | null;
  /** Answers of the model and calls of it that failed. */
  readonly steps: number;
  readonly end: SessionEnd | null;
  /** Something in it stands for all that was before, so what it follows need not be read. */
  readonly isWhole: boolean;
  readonly published: readonly Publication[];
  /** Answers that publish by their words. */
  readonly said: readonly AssistantMessage[];
}

export interface Publication {
  readonly topic: string;
  readonly call: ToolCallPart;
}

/**
 * Reads a session file. Lines that are none (torn by a crash, damaged) are passed over.
 *
 * @param before what the session begins with
 */
export function foldTranscript(text: string, before: SessionMemory): FoldedSession {
  let header: SessionHeader | null = null;
  let end: SessionEnd | null = null;
  let steps = 0;
  let isWhole = false;
  let { isDone, settled } = before;
  let finish: FinishReason = 'other';
  const reads = new Map(before.reads);
  const published: Publication[] = [];
  const said: AssistantMessage[] = [];
  let open: OpenCalls | null = copyOpen(before.open);
  // The last message is made anew from what is open.
  let messages: ModelMessage[] = open === null ? [...before.messages] : before.messages.slice(0, -1);
  const settle = (): void => {
    if (open === null) return;
    messages.push(toToolMessage(open), ...toToldMessage(open.told));
    settled = messages.length;
    open = null;
  };
  for (const line of parseLines(text)) {
    if (line.type === 'session') header = line;
    else if (line.type === 'end') end = line;
    else if (line.type === 'retry') steps += 1;
    else if (line.type === 'usage') finish = line.finish;
    else if (line.type === 'tool-start') open?.started.add(line.id);
    else if (line.type === 'tool-result') {
      if (open !== null) published.push(...takeResult(open, line));
      for (const [path, record] of Object.entries(line.reads ?? {})) reads.set(path, record);
    } else if (line.type === 'tool-batch') takeBatch(open, line);
    else if (line.type === 'evicted') {
      settle();
      messages = messages.map((message, index) => (index === line.message ? withEvicted(message, line) : message));
    } else if (line.type === 'compaction') {
      open = null;
      isDone = false;
      finish = 'other';
      messages = [...line.messages];
      settled = messages.length;
      isWhole = true;
    } else if (line.type === 'message') {
      settle();
      messages.push(line.message);
      if (line.message.role !== 'user' || line.told !== undefined) settled = messages.length;
      isDone = false;
      if (line.message.role === 'assistant') {
        steps += 1;
        if (hasSignal(line.message)) said.push(line.message);
        open = openCalls(line.message);
        isDone = open === null && finish === 'stop';
        finish = 'other';
      }
    }
  }
  const cut = open !== null && open.results.size < open.calls.length ? open : null;
  // What is told behind results follows the last of them, so whoever makes the rest of the calls puts it there.
  if (cut === null) settle();
  else settled = messages.push(toToolMessage(cut));
  return { header, messages, settled, open: cut, isDone, reads, steps, end, isWhole, published, said };
}

/** The calls of an answer, none of them made; `null` where it makes none. */
function openCalls(message: AssistantMessage): OpenCalls | null {
  const calls = listCalls(message);
  return calls.length === 0 ? null : { calls, started: new Set(), results: new Map(), told: [] };
}

/** Keeps a result and what hooks said to it. Gives what its call published. */
function takeResult(open: OpenCalls, line: Extract<TranscriptLine, { type: 'tool-result' }>): readonly Publication[] {
  const { result, messages = [] } = line;
  open.results.set(result.id, result);
  open.told.push(...messages);
  const call = open.calls.find(({ id }) => id === result.id);
  const topic = findTopic(line);
  return call === undefined || topic === null ? [] : [{ topic, call }];
}

/** The topic that a call published. Sessions of versions without `report` say it among the facts. */
function findTopic({ result, report, facts }: Extract<TranscriptLine, { type: 'tool-result' }>): string | null {
  if (result.isError) return null;
  const topic = !isJsonObject(report) ? facts?.['topic'] : report.kind === 'published' ? report.topic : null;
  return typeof topic === 'string' ? topic : null;
}

/** Notes go behind the last result. */
function takeBatch(open: OpenCalls | null, { notes = [], note, messages = [] }: Extract<TranscriptLine, { type: 'tool-batch' }>): void {
  const last = open?.calls.at(-1)?.id ?? '';
  const result = open?.results.get(last);
  const text = note === undefined ? result?.text : `${result?.text}\n\n${note}`;
  if (result !== undefined && text !== undefined)
    for (const noted of appendNotes([{ ...result, text }], notes)) open?.results.set(last, noted);
  open?.told.push(...messages);
}

function copyOpen(open: OpenCalls | null): OpenCalls | null {
  return open === null ? null : { calls: open.calls, started: new Set(open.started), results: new Map(open.results), told: [...open.told] };
}

/** The calls of an assistant message whose results are still gathered. */
export interface OpenCalls {
  readonly calls: readonly ToolCallPart[];
  readonly started: Set<string>;
  readonly results: Map<string, ToolAnswer>;
  /** What hooks say to the model behind all results. */
  readonly told: HookMessage[];
}

/** The results of one answer with notes behind the last of them. */
export function appendNotes(results: readonly ToolAnswer[], notes: readonly string[]): readonly ToolAnswer[] {
  if (notes.length === 0) return results;
  return results.map((result, index) =>
    index === results.length - 1 ? { ...result, notes: [...(result.notes ?? []), ...notes] } : result,
  );
}

/** What hooks say behind the results of one answer: one message for what they say as the user, and behind it one for what they say as the system. */
export function toToldMessage(told: readonly HookMessage[]): readonly UserMessage[] {
  const words = told.filter((message) => typeof message === 'string');
  const orders = told.flatMap((message) => (typeof message === 'string' ? [] : [message.system]));
  return [
    ...(words.length === 0 ? [] : [{ role: 'user' as const, text: words.join('\n\n') }]),
    ...(orders.length === 0 ? [] : [{ role: 'user' as const, text: orders.join('\n\n'), isSystem: true as const }]),
  ];
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
  return { role: 'tool', results: message.results.map((result, index) => (index === place ? withoutFile(result, text) : result)) };
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
      return (
        isJsonObject(line['result']) &&
        typeof line['result']['id'] === 'string' &&
        typeof line['result']['text'] === 'string' &&
        isTextList(line['result']['notes'] ?? [])
      );
    case 'tool-batch':
      return isTextList(line['notes'] ?? []) && typeof (line['note'] ?? '') === 'string';
    case 'usage':
      return isJsonObject(line['usage']) && Object.values(line['usage']).every((figure) => figure === null || typeof figure === 'number');
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

/** The name of a session's file, in the folder of its turn. */
export const SESSION_FILE = 'session.jsonl';

/** Begins a session file, readable by its owner only. Throws the system error, also where the file is there already: a turn is never repeated. */
export function openTranscript(path: string): Transcript {
  const file = openSync(path, 'wx', 0o600);
  let isOpen = true;
  return {
    append: (line) => {
      if (isOpen) writeWhole(file, Buffer.from(`${JSON.stringify(line)}\n`));
    },
    flush: () => {
      if (isOpen) fdatasyncSync(file);
    },
    close: () => {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(file, bytes, offset);
}
