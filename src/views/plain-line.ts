import { cleanText } from './clean-text.ts';

/** A text on one line, cleaned, with single spaces, cut to a number of characters. */
export function toPlainLine(text: string, limit: number): string {
  return cutText(
    cleanText(text.slice(0, limit * 8 + 1000))
      .replace(/\s+/g, ' ')
      .trim(),
    limit,
  );
}

/** A text cut to a number of characters, with `…` for what is missing. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const characters = [...text];
  return characters.length <= limit
    ? text
    : `${characters
        .slice(0, Math.max(0, limit - 1))
        .join('')
        .trimEnd()}…`;
}

/** The first line that says something, and how many more there are: `Mend the test. (+3 lines)`. */
export function toFirstLine(text: string, limit: number): string {
  const lines = cleanText(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const [first = ''] = lines;
  const more = lines.length - 1;
  const note = more < 1 ? '' : ` (+${more} ${more === 1 ? 'line' : 'lines'})`;
  return `${toPlainLine(first, limit - note.length)}${note}`;
}
