import type { BackendEvent } from '../../core/backends/backend-event.ts';
import type { Input } from '../../core/run/inputs.ts';
import { type Json, mapTexts } from '../../core/values/json.ts';
import type { Redaction } from '../../ports/redaction.ts';

/** What these say is chosen from words that the run knows: a topic that is called like somebody's password stays what it is. */
const WORDS = new Set([
  'type',
  'kind',
  'channel',
  'topic',
  'target',
  'hat',
  'status',
  'class',
  'backend',
  'promptHash',
  'processStart',
  'sessionId',
  'commit',
  'question',
  'purpose',
  'when',
  'to',
]);

/**
 * An input without secrets: what is journaled, decided on, shown and handed to other hats is made of it. What the person declared (the configuration, the task) stays
 * as it was written.
 */
export function redactInput(input: Input, redaction: Redaction | undefined): Input {
  if (redaction === undefined) return input;
  switch (input.type) {
    case 'run-resumed':
      return input.external === undefined ? input : { ...input, external: redactTexts(input.external, redaction.text) };
    case 'run-started':
    case 'timer-fired':
    case 'usage-reported':
    case 'stop-requested':
      return input;
    case 'iteration-spawned':
    case 'iteration-ended':
    case 'events-received':
    case 'told':
    case 'tell-given':
    case 'asked':
    case 'answered':
    case 'gates-finished':
    case 'hooks-answered':
    case 'panel-moved':
    case 'checkpoint-finished':
    case 'environment-failed':
      return redactTexts(input, redaction.text);
  }
}

/**
 * Hands on what an agent does without secrets. Its text may be held back a little, where a piece ends like the beginning of one; `end` hands on what is left.
 */
export function createEventRedactor(
  redaction: Redaction | undefined,
  take: (event: BackendEvent) => void,
): { readonly take: (event: BackendEvent) => void; readonly end: () => void } {
  if (redaction === undefined) return { take, end: () => undefined };
  const stream = redaction.stream();
  const say = (text: string): void => {
    if (text !== '') take({ type: 'text', text });
  };
  return {
    take: (event) => {
      if (event.type === 'text') return say(stream.push(event.text));
      if (event.type === 'message-end') say(stream.end());
      take(redactTexts(event, redaction.text));
    },
    end: () => say(stream.end()),
  };
}

function redactTexts<Value extends object>(value: Value, redact: (text: string) => string): Value {
  const keep = (part: Json): Json => part;
  // The fields of a payload are the agent's own: none of them is one of our words.
  const redactAll = (part: Json): Json => mapTexts(part, redact, undefined, redact);
  return mapTexts(value as Json, redact, (key) => (WORDS.has(key) ? keep : key === 'payload' ? redactAll : undefined)) as Value;
}
