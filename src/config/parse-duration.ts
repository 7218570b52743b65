const PART = /(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|m|h|d)\s*/gy;
const PLAIN = /^\d+(?:\.\d+)?$|^\.\d+$/;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const UNITS = Object.keys(UNIT_MS);

/**
 * Milliseconds of a duration as it is written in a configuration: a number of seconds, also as text, or text of parts from the
 * largest unit to the smallest, such as `10m`, `1h30m`, `1.5h`, `500ms`. `null` for anything else, never 0 for what cannot be read.
 */
export function parseDurationMs(value: string | number): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? toWholeMs(value * 1000) : null;
  const text = value.trim();
  if (PLAIN.test(text)) return toWholeMs(Number(text) * 1000);
  return parseParts(text);
}

function parseParts(text: string): number | null {
  let sum = 0;
  let end = 0;
  let smallest = UNITS.length;
  for (const [part, amount, unit] of text.matchAll(PART)) {
    const rank = UNITS.indexOf(unit ?? '');
    if (rank >= smallest) return null;
    smallest = rank;
    end += part.length;
    sum += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return end === text.length && end > 0 ? toWholeMs(sum) : null;
}

/** A duration that is more than nothing never becomes nothing. */
function toWholeMs(ms: number): number {
  return ms > 0 ? Math.max(1, Math.round(ms)) : Math.round(ms);
}
