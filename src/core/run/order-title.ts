import type { TurnId } from './turn.ts';

/** As people call a turn: `iteration 7 (builder)`; `iteration 7 (builder), attempt 2` for what was tried again. */
export function toTurnTitle({ iteration, attempt }: TurnId, hat?: string): string {
  return `iteration ${iteration}${hat === undefined ? '' : ` (${hat})`}${attempt === 1 ? '' : `, attempt ${attempt}`}`;
}

/** As people call an order of a fleet by its name: `iteration 7` for `7.1`, `gate 3` for `gate3`. */
export function toOrderTitle(name: string, hat?: string): string {
  const [, iteration, attempt] = /^(\d+)\.(\d+)$/.exec(name) ?? [];
  if (iteration === undefined) return name.replace(/^gate(?=\d)/, 'gate ');
  return toTurnTitle({ iteration: Number(iteration), attempt: Number(attempt) }, hat);
}

/** At the beginning of a sentence. */
export function toSentenceStart(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
