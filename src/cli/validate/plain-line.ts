/** Text of the user's on one line: a file or a hat may be called anything, and nothing of it steers a terminal. */
export function toPlainLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
  return text.replace(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]/g, '\uFFFD');
}
