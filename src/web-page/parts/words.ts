import { toDurationText, toUsdText } from '../../core/text/duration.ts';
import type { RunFrame } from '../../wire/run-frame.ts';

/** `turn 7 of 40` */
export function toTurnsText({ iterations, maxIterations }: { readonly iterations: number; readonly maxIterations: number | null }): string {
  return `${iterations}${maxIterations === null ? '' : ` of ${maxIterations}`} ${iterations === 1 && maxIterations === null ? 'turn' : 'turns'}`;
}

/** The turn that a person means: the one under way, where there is one. */
export function toTurnNumber({ progress, working }: Pick<RunFrame, 'progress' | 'working'>): number {
  return Math.max(progress.iterations, ...working.map(({ iteration }) => iteration));
}

/** `$1.92 of $5.00 + turn 6`, with the turns whose cost nobody knows. */
export function toCostText({ costUsd, maxCostUsd, costNote }: RunFrame['progress']): string {
  const spent = costUsd === null ? 'cost unknown' : toUsdText(costUsd);
  const limit = maxCostUsd === null ? '' : ` of ${toUsdText(maxCostUsd)}`;
  return `${spent}${limit}${costNote}`;
}

/** `41 s of 4 h 00 min` */
export function toTimeText({ elapsedMs, maxRuntimeMs }: RunFrame['progress']): string {
  return `${toDurationText(elapsedMs)}${maxRuntimeMs === null ? '' : ` of ${toDurationText(maxRuntimeMs)}`}`;
}

/** `09:41:07` of a moment, in the time zone of the reader. */
export function toTimeOfDay(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** `2 min ago`, `yesterday` is not said: days are counted. */
export function toAgoText(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  const days = Math.floor(seconds / 86_400);
  return `${days} ${days === 1 ? 'day' : 'days'} ago`;
}

/** `12 kB` */
export function toBytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
