import { shorten } from './shorten.ts';

/** A text as one line for people: each run of white space becomes a space; what is longer than `limit` characters is cut, with an ellipsis. */
export function toOneLine(text: string, limit = 200): string {
  // Only the beginning is shown: a huge text is not read to its end.
  const line = text
    .slice(0, limit * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return shorten(line, limit);
}
