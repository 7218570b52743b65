import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../core/values/json.ts';
import { classifyFailure, toExitFailure } from '../stream/classify-failure.ts';
import { textAt } from '../stream/read-fields.ts';
import type { ExitFacts, StreamEnd, Translator } from '../stream/translator.ts';

const MAX_HELD_LENGTH = 16 << 20;

/** Translates `auggie -p --output-format json`: one JSON object at the end, on one line or on many. It tells neither tools nor tokens. */
export function createAuggieTranslator(): Translator {
  let held: string[] = [];
  let heldLength = 0;
  let result: JsonObject | null = null;

  function findResult(text: string): void {
    const value = parseJson(text);
    if (isJsonObject(value) && textAt(value, 'type') === 'result') result = value;
  }

  return {
    line(text) {
      findResult(text);
      heldLength += text.length + 1;
      held.push(text);
      while (heldLength > MAX_HELD_LENGTH) heldLength -= (held.shift()?.length ?? heldLength) + 1;
      return [];
    },
    isFinished: () => result !== null,
    end(exit) {
      const text = held.join('\n');
      held = [];
      if (result === null) findResult(text.slice(text.indexOf('{')));
      return result === null ? toSilentEnd(exit, text) : toStreamEnd(result, exit);
    },
  };
}

/** An answer without text is printed as nothing at all: only then does the exit code speak for the agent. */
function toSilentEnd(exit: ExitFacts, text: string): StreamEnd {
  const isEmptyAnswer = text.trim() === '' && exit.exitCode === 0;
  const failure = isEmptyAnswer ? null : toExitFailure(exit, text, true);
  return {
    events: [],
    verdict: isEmptyAnswer ? 'none' : 'missing',
    failure,
    trouble: null,
    usage: UNKNOWN_USAGE,
    sessionId: null,
    toolCalls: null,
  };
}

function toStreamEnd(result: JsonObject, exit: ExitFacts): StreamEnd {
  const text = textAt(result, 'result');
  const sessionId = textAt(result, 'session_id') || null;
  const facts = { trouble: null, usage: UNKNOWN_USAGE, sessionId, toolCalls: null };
  const session = sessionId === null ? [] : [{ type: 'session', sessionId, model: null } as const];
  if (result['is_error'] === true || textAt(result, 'subtype').startsWith('error')) {
    return {
      ...facts,
      events: session,
      verdict: 'failed',
      failure: classifyFailure({ message: text || textAt(result, 'subtype') }, exit.now),
    };
  }
  const words = text === '' ? [] : [{ type: 'text', text } as const, { type: 'message-end' } as const];
  return { ...facts, events: [...session, ...words], verdict: 'succeeded', failure: null };
}
