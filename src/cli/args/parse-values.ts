import { parseDurationMs } from '../../config/keys/setting-values.ts';
import { createUsageError } from './usage-error.ts';

/** A whole number from `min` on, as a person types it. Throws a usage error that names the option. */
export function parseCount(text: string, name: string, min: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= min) return value;
  throw createUsageError(`${name} ${JSON.stringify(text.slice(0, 40))} cannot be read.`, `It must be a whole number, ${min} or more.`);
}

/** `+10` adds to the limit, `30` sets it. */
export function parseIterations(text: string): { readonly add: number } | { readonly set: number } {
  if (text.startsWith('+')) return { add: parseCount(text.slice(1), '--max-iterations', 1) };
  return { set: parseCount(text, '--max-iterations', 1) };
}

/** `+1h` adds to the limit, `6h` sets it; in milliseconds. */
export function parseRuntime(text: string): { readonly add: number } | { readonly set: number } {
  const isMore = text.startsWith('+');
  const durationMs = parseDurationMs(isMore ? text.slice(1) : text);
  if (durationMs === null || durationMs <= 0)
    throw createUsageError(
      `--max-runtime ${JSON.stringify(text.slice(0, 40))} cannot be read.`,
      'It must be a duration, such as 6h or 90m (a number is seconds); with + in front: that much more.',
    );
  return isMore ? { add: durationMs } : { set: durationMs };
}

/** An amount of money above 0: `5`, `2.50`, `$5`. */
export function parseUsd(text: string, name: string): number {
  const plain = text.replace(/^\$/, '');
  const value = Number(plain);
  if (/^\d+(\.\d+)?$|^\.\d+$/.test(plain) && value > 0 && Number.isFinite(value)) return value;
  throw createUsageError(
    `${name} ${JSON.stringify(text.slice(0, 40))} cannot be read.`,
    'It must be an amount in US dollars, such as 5 or 2.50.',
  );
}

/** `7` (its newest attempt) or `7.2`. */
export interface TurnChoice {
  readonly iteration: number;
  readonly attempt: number | null;
}

/** Reads the name of a turn; `null` for anything else, such as the beginning of a run's id. */
function parseTurn(text: string): TurnChoice | null {
  const match = /^(\d{1,6})(?:\.(\d{1,4}))?$/.exec(text);
  if (match === null) return null;
  return { iteration: Number(match[1]), attempt: match[2] === undefined ? null : Number(match[2]) };
}

/** `7`, `RUN`, `RUN 7`: a short number is an iteration, anything else a run. */
export function parseRunAndTurn([first, second]: readonly (string | undefined)[]): {
  readonly run: string | undefined;
  readonly turn: TurnChoice | null;
} {
  const alone = first === undefined || second !== undefined ? null : parseTurn(first);
  if (alone !== null) return { run: undefined, turn: alone };
  const turn = second === undefined ? null : parseTurn(second);
  if (second !== undefined && turn === null)
    throw createUsageError(
      `${JSON.stringify(second.slice(0, 40))} is no iteration.`,
      'An iteration is a number, such as 7, or one attempt of it, 7.2.',
    );
  return { run: first, turn };
}
