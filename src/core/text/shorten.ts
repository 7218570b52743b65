/** The beginning of a text: at most `limit` UTF-16 units, and never half of a character such as an emoji. */
export function startOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? limit - 1 : limit);
}

/** The end of a text: at most `limit` UTF-16 units, and never half of a character. */
export function endOf(text: string, limit: number): string {
  const from = Math.max(0, text.length - limit);
  const first = text.charCodeAt(from);
  const isHalf = from > 0 && first >= 0xdc00 && first <= 0xdfff;
  return text.slice(isHalf ? from + 1 : from);
}

/** A text of at most `limit` UTF-16 units: a longer one ends with `…`, which is counted in. */
export function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${startOf(text, limit - 1)}…`;
}

/** A text as one line for people: each run of white space becomes a space; what is longer than `limit` characters is cut, with an ellipsis. */
export function toOneLine(text: string, limit = 200): string {
  // Only the beginning is shown: a huge text is not read to its end.
  const line = text
    .slice(0, limit * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return shorten(line, limit);
}
