import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { addUsage, UNKNOWN_USAGE, type Usage } from '../../core/backends/usage.ts';
import { type FailureSigns, isHopeless, type TurnFailure } from '../../core/run/turn.ts';
import { toOneLine } from '../../core/text/shorten.ts';
import type { ToolDenial } from '../../core/tools/scope-violations.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../core/values/json.ts';
import { classifyFailure, toExitFailure, toReadableError } from './classify-failure.ts';
import type { ExitFacts, OwnLog, StreamEnd, Translator } from './translator.ts';

const MAX_STRAY_LENGTH = 4000;
const MAX_STRAY_WARNINGS = 3;

export interface JsonStream {
  /** One event of the stream. Whatever it holds, this must not throw. */
  read(event: JsonObject, turn: StreamRecorder): void;
  /** Reads a line of the log in which the agent tells what it tries again, and where that log is. */
  readonly log?: {
    file?(turn: StreamRecorder, env: Readonly<Record<string, string>>, cwd: string): string | null;
    read(line: string, turn: StreamRecorder): void;
    isAtWork(turn: StreamRecorder): boolean;
  };
  /** Called at the end of the process, for streams whose last event can only be known then. */
  close?(turn: StreamRecorder, exit: ExitFacts): void;
}

/** A translator for a stream of one JSON object a line. Lines that are none are kept (the last few) for telling why a turn failed. */
export function createJsonTranslator(stream: JsonStream): Translator {
  const turn = new StreamRecorder(toReadableError);
  const { log } = stream;
  let stray = '';
  let strayCount = 0;

  function noteStray(text: string): void {
    if (text.trim() === '') return;
    stray = `${stray}${text.slice(0, MAX_STRAY_LENGTH)}\n`.slice(-MAX_STRAY_LENGTH);
    strayCount += 1;
    if (strayCount <= MAX_STRAY_WARNINGS) turn.warn(`not part of the stream: ${text.trim().slice(0, 200)}`);
  }

  return {
    line(text) {
      const event = text.trimStart().startsWith('{') ? parseJson(text) : undefined;
      if (isJsonObject(event)) stream.read(event, turn);
      else noteStray(text);
      return turn.take();
    },
    isFinished: () => turn.final !== null,
    refusal(now) {
      if (turn.trouble === null || turn.final !== null) return null;
      // In a log, a try that goes well leaves no trace at once.
      if (log !== undefined && turn.retries < 2) return null;
      const failure = classifyFailure(turn.trouble, now);
      return failure.class === 'limit' || isHopeless(failure.class) ? { failure, isRepeated: turn.retries > 1 } : null;
    },
    end(exit) {
      stream.close?.(turn, exit);
      turn.endMessage();
      return toStreamEnd(turn, exit, stray);
    },
    ...(log !== undefined && { ownLog: toOwnLog(log, turn) }),
  };
}

function toOwnLog(log: NonNullable<JsonStream['log']>, turn: StreamRecorder): OwnLog {
  return {
    ...(log.file !== undefined && { file: (env, cwd) => log.file?.(turn, env, cwd) ?? null }),
    line(text) {
      log.read(text, turn);
      return turn.take();
    },
    isAtWork: () => log.isAtWork(turn),
  };
}

/** An agent tries again after what it takes for passing: where its words say nothing, that does. */
function toPassing(failure: TurnFailure): TurnFailure {
  return failure.class === 'agent' ? { ...failure, class: 'transient' } : failure;
}

function toStreamEnd(turn: StreamRecorder, exit: ExitFacts, stray: string): StreamEnd {
  const { final, usage, sessionId, toolCalls } = turn;
  const trouble = turn.trouble === null ? null : toPassing(classifyFailure(turn.trouble, exit.now));
  const facts = { events: turn.take(), trouble, usage, sessionId, toolCalls };
  if (final?.kind === 'succeeded') return { ...facts, verdict: 'succeeded', failure: null };
  if (final?.kind === 'failed') return { ...facts, verdict: 'failed', failure: classifyFailure(final.signs, exit.now) };
  return { ...facts, verdict: 'missing', failure: trouble ?? toExitFailure(exit, stray, true) };
}

/** Open tool calls that are remembered: more than this at once is an attack on our memory. */
const MAX_OPEN_TOOLS = 10_000;

/** The agent's own final event: all went well, or the signs of what did not. */
type FinalEvent = { readonly kind: 'succeeded' } | { readonly kind: 'failed'; readonly signs: FailureSigns };

/** What a translator writes down while it reads: events for its next answer, and the facts of the turn. */
export class StreamRecorder {
  final: FinalEvent | null = null;
  /** What the agent last tried again after, if it got nowhere since. */
  trouble: FailureSigns | null = null;
  /** How often it has announced another try since it last got somewhere. */
  retries = 0;
  usage: Usage = UNKNOWN_USAGE;
  sessionId: string | null = null;
  toolCalls = 0;

  readonly #openTools = new Map<string, { readonly name: string; readonly use: string }>();
  readonly #message: MessageText;
  readonly #toReadable: (text: string) => string;
  #events: BackendEvent[] = [];

  /** @param toReadable makes one line of an error text */
  constructor(toReadable: (text: string) => string) {
    this.#toReadable = toReadable;
    this.#message = createMessageText((event) => {
      this.progress();
      this.#events.push(event);
    });
  }

  /** The model answered: what was tried again after is over. */
  progress(): void {
    this.trouble = null;
    this.retries = 0;
  }

  /** A piece of assistant text. Another `messageId` than before begins a new message. */
  delta(text: string, messageId?: string): void {
    this.#message.delta(text, messageId);
  }

  /** A whole block of assistant text, of which the pieces may have come already. */
  whole(text: string, messageId?: string): void {
    this.#message.whole(text, messageId);
  }

  /** The assistant message is over, if one was open. */
  endMessage(): void {
    this.#message.end();
  }

  thinking(text: string): void {
    if (text !== '') this.#events.push({ type: 'thinking', text });
  }

  toolStart(id: string, name: string, summary: string): void {
    this.progress();
    this.toolCalls += 1;
    if (this.#openTools.size < MAX_OPEN_TOOLS) this.#openTools.set(id, { name, use: toOneLine(summary) });
    this.#events.push({ type: 'tool-start', id, name, summary });
  }

  /** `name` is needed only where the start was not told; `ok` is `null` where nobody knows. */
  toolEnd(id: string, ok: boolean | null, summary: string, name = 'tool'): void {
    const known = this.#openTools.get(id);
    this.#openTools.delete(id);
    this.#events.push({ type: 'tool-end', id, name: known?.name ?? name, ok, summary });
    const denial = toDenial(known?.name ?? name, ok, summary);
    if (denial === null) return;
    const use = known === undefined || known.use === '' ? {} : { use: known.use };
    this.#events.push({ type: 'tool-denied', denial: { ...denial, ...use } });
  }

  /** The name of a tool that was started and has not ended; `null` for any other. */
  nameOf(id: string): string | null {
    return this.#openTools.get(id)?.name ?? null;
  }

  /** Whether a tool was started whose end was not told. */
  get isToolOpen(): boolean {
    return this.#openTools.size > 0;
  }

  session(id: string, model: string | null): void {
    if (id === '' || this.sessionId === id) return;
    this.sessionId = id;
    this.#events.push({ type: 'session', sessionId: id, model: model === '' ? null : model });
  }

  /** The totals of the turn so far. */
  setUsage(usage: Usage): void {
    this.usage = usage;
    this.#events.push({ type: 'usage', usage });
  }

  /** One more part of the totals. */
  addUsage(usage: Usage): void {
    this.setUsage(addUsage(this.usage, usage));
  }

  /** The agent tries again by itself after what the signs tell. */
  retry(signs: FailureSigns, delayMs: number | null): void {
    this.trouble = signs;
    this.retries += 1;
    this.#events.push({ type: 'retry', message: toOneLine(this.#toReadable(signs.message)), delayMs });
  }

  /** The model has been given what people said. */
  injected(ids: readonly string[]): void {
    this.#events.push({ type: 'injected', ids, call: this.toolCalls });
  }

  warn(message: string): void {
    this.#events.push({ type: 'warning', message: toOneLine(message, 500) });
  }

  /** The final event, saying that all went well. */
  succeed(): void {
    this.endMessage();
    this.final = { kind: 'succeeded' };
  }

  /** The final event, saying that it did not. */
  fail(signs: FailureSigns): void {
    this.endMessage();
    this.final = { kind: 'failed', signs };
  }

  /** The agent goes on: what looked final was not. */
  reopen(): void {
    this.final = null;
  }

  /** The events since the last call. */
  take(): readonly BackendEvent[] {
    const taken = this.#events;
    this.#events = [];
    return taken;
  }
}

/** Tells every character of an assistant message once, whether it comes in pieces, whole, or both. */
interface MessageText {
  delta(text: string, messageId?: string): void;
  whole(text: string, messageId?: string): void;
  end(): void;
}

/** `emit` receives `text` and `message-end`. Messages without text leave no trace. */
function createMessageText(emit: (event: BackendEvent) => void): MessageText {
  let currentId: string | undefined;
  /** Characters of this message that were told, and how many of them whole blocks have confirmed. */
  let toldLength = 0;
  let confirmedLength = 0;

  function end(): void {
    if (toldLength > 0) emit({ type: 'message-end' });
    currentId = undefined;
    toldLength = 0;
    confirmedLength = 0;
  }

  function enter(messageId: string | undefined): void {
    if (messageId !== undefined && currentId !== undefined && messageId !== currentId) end();
    currentId = messageId ?? currentId;
  }

  function tell(text: string): void {
    if (text === '') return;
    toldLength += text.length;
    emit({ type: 'text', text });
  }

  return {
    delta(text, messageId) {
      enter(messageId);
      tell(text);
    },
    whole(text, messageId) {
      enter(messageId);
      tell(text.slice(toldLength - confirmedLength));
      confirmedLength += text.length;
      toldLength = Math.max(toldLength, confirmedLength);
    },
    end,
  };
}

/** What the kernel says when somebody writes where the sandbox shows everything read-only. */
const KERNEL = /\bread-only file system\b|\bEROFS\b|\berofs\b/i;
/** What codex says instead: the patch was good, the file could not be written. */
export const UNWRITTEN = 'Failed to write file';

/** What the CLIs tell their models about a tool that is not there, or may not be used so. Seen in claude, gemini, opencode, pi, copilot and qwen. */
const RULES: readonly RegExp[] = [
  /No such tool available/,
  /permission_denied|permission to use \S+ (?:has been|was|is) denied|has been denied|requested permissions? to (?:use|write|edit)/i,
  /requires (?:user )?(?:confirmation|approval)|approval policy is never/i,
  /Tool (?:call |execution )?(?:denied|blocked|rejected)|denied by (?:policy|permission rules)|blocked by policy|policy_violation/i,
  /tool_not_registered|not found in registry|unavailable tool/i,
  /specified a rule which prevents you/,
  /^Tool '?\S+?'? (?:not found|does not exist)/,
  /^This hat may run only: /,
  /rejected by (?:user|policy)|^exec_command failed .* rejected/i,
  /is declined|was declined|user declined/i,
  /Denied by preToolUse hook/,
  /^Permission denied because no interactive user response/,
];

/** Whether the end of a tool's use says that it was stopped, and by what; `null` for any other end. */
export function toDenial(tool: string, ok: boolean | null, summary: string): ToolDenial | null {
  if (KERNEL.test(summary) || (ok === false && summary.startsWith(UNWRITTEN))) return { tool, layer: 'os', reason: toOneLine(summary) };
  if (ok === false && RULES.some((rule) => rule.test(summary))) return { tool, layer: 'flags', reason: toOneLine(summary) };
  return null;
}
