/** A duration for people: `850 ms`, `12.3 s`, `4 min 05 s`, `2 h 03 min`. */
export function toDurationText(durationMs: number): string {
  const ms = Math.max(0, Math.round(durationMs));
  if (ms < 1000) return `${ms} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** Money for people: `$0.0042`, `$1.25`; `unknown` for `null`. */
export function toUsdText(amountUsd: number | null): string {
  if (amountUsd === null) return 'unknown';
  return `$${amountUsd !== 0 && Math.abs(amountUsd) < 0.1 ? amountUsd.toFixed(4) : amountUsd.toFixed(2)}`;
}
