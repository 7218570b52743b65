// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what is removed here.
/** Operating system commands (titles, links), then control sequences (colours, cursor), then the short escapes. */
const ESCAPES =
  /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[PX^_][^\u001b]*(?:\u001b\\)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g;
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
/** What makes a line more than words: the above, and the return to its beginning. */
const SPECIAL = /[\u0000-\u0008\u000b-\u001f\u007f\u009b]/;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: see above

/** A line of terminal output as a person would read it: no escape codes, and of a line that was overwritten only what stood last. */
export function toPlainLine(text: string): string {
  if (!SPECIAL.test(text)) return text.trim() === '' ? '' : text;
  const bare = text.includes('\u001b') || text.includes('\u009b') ? text.replace(ESCAPES, '') : text;
  const parts = bare.split('\r').filter((part) => part.trim() !== '');
  return (parts[parts.length - 1] ?? '').replace(CONTROLS, '');
}
