/** A text without codes for colours, and with a mark for every other escape: doing it twice finds no code that the first time has put together. */
export function stripColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes begin with one
  return text.replace(/\u001B\[[0-9;:]{0,64}m/g, '').replaceAll('\u001B', '\uFFFD');
}
