import { addUsage, type BackendEvent, UNKNOWN_USAGE, type Usage } from '../core/index.ts';
import { type FailureSigns, toReadableError } from './failure-class.ts';
import { createMessageText } from './message-text.ts';
import { toOneLine } from './one-line.ts';

/** Tool calls whose end is awaited; more than this at once is no agent but an attack on our memory. */
const MAX_OPEN_TOOLS = 10_000;

/** What a translator writes down while it reads: events for the next answer, and the facts of the turn. */
export interface TurnRecorder {
  /** A piece of assistant text. Another `messageId` than before begins a new message. */
  delta(text: string, messageId?: string): void;
  /** A whole block of assistant text, of which the pieces may have come already. */
  whole(text: string, messageId?: string): void;
  /** The assistant message is over, if one was open. */
  endMessage(): void;
  thinking(text: string): void;
  toolStart(id: string, name: string, summary: string): void;
  /** `name` is needed only where the start was not told. */
  toolEnd(id: string, ok: boolean, summary: string, name?: string): void;
  session(id: string, model: string | null): void;
  /** The totals of the turn so far. */
  setUsage(usage: Usage): void;
  /** One more part of the totals. */
  addUsage(usage: Usage): void;
  /** The agent tries again by itself after what `signs` tell. */
  retry(signs: FailureSigns, delayMs: number | null): void;
  warn(message: string): void;
  /** The final event, saying that all went well. */
  succeed(): void;
  /** The final event, saying that it did not. */
  fail(signs: FailureSigns): void;
  /** The agent goes on: what looked final was not. */
  reopen(): void;
  /** The events since the last call. */
  take(): readonly BackendEvent[];
  readonly facts: TurnFacts;
}

/** The facts of the turn so far. */
export interface TurnFacts {
  readonly final: { readonly kind: 'succeeded' } | { readonly kind: 'failed'; readonly signs: FailureSigns } | null;
  /** What the agent last tried again after, if it got nowhere since. */
  readonly trouble: FailureSigns | null;
  readonly usage: Usage;
  readonly sessionId: string | null;
  readonly toolCalls: number;
}

/** Makes an empty recorder. */
export function createTurnRecorder(): TurnRecorder {
  let events: BackendEvent[] = [];
  const facts: { -readonly [key in keyof TurnFacts]: TurnFacts[key] } = {
    final: null,
    trouble: null,
    usage: UNKNOWN_USAGE,
    sessionId: null,
    toolCalls: 0,
  };
  const openTools = new Map<string, string>();
  const emit = (event: BackendEvent): void => void events.push(event);
  const message = createMessageText((event) => {
    facts.trouble = null;
    emit(event);
  });

  const setUsage = (usage: Usage): void => {
    facts.usage = usage;
    emit({ type: 'usage', usage });
  };

  return {
    delta: message.delta,
    whole: message.whole,
    endMessage: message.end,
    thinking(text) {
      if (text !== '') emit({ type: 'thinking', text });
    },
    toolStart(id, name, summary) {
      facts.trouble = null;
      facts.toolCalls += 1;
      if (openTools.size < MAX_OPEN_TOOLS) openTools.set(id, name);
      emit({ type: 'tool-start', id, name, summary });
    },
    toolEnd(id, ok, summary, name) {
      const known = openTools.get(id);
      openTools.delete(id);
      emit({ type: 'tool-end', id, name: known ?? name ?? 'tool', ok, summary });
    },
    session(id, model) {
      if (id === '' || facts.sessionId === id) return;
      facts.sessionId = id;
      emit({ type: 'session', sessionId: id, model: model === '' ? null : model });
    },
    setUsage,
    addUsage: (usage) => setUsage(addUsage(facts.usage, usage)),
    retry(signs, delayMs) {
      facts.trouble = signs;
      emit({ type: 'retry', message: toOneLine(toReadableError(signs.message)), delayMs });
    },
    warn: (text) => emit({ type: 'warning', message: toOneLine(text, 500) }),
    succeed() {
      message.end();
      facts.final = { kind: 'succeeded' };
    },
    fail(signs) {
      message.end();
      facts.final = { kind: 'failed', signs };
    },
    reopen() {
      facts.final = null;
    },
    take() {
      const taken = events;
      events = [];
      return taken;
    },
    facts,
  };
}
