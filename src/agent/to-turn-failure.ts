import type { TurnFailure } from '../core/index.ts';
import type { ModelFailure } from '../ports/index.ts';

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
export function toTurnFailure({ class: kind, message, retryAfterMs, wasRetried }: ModelFailure, now: number): TurnFailure {
  const known = { class: CLASSES[kind], message: message.slice(0, MAX_CHARACTERS), ...(wasRetried === true && { wasRetried }) };
  return kind === 'limit' && retryAfterMs !== undefined ? { ...known, resetAt: now + retryAfterMs } : known;
}
