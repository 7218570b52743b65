/** A text as one word of a POSIX shell; as it is where nothing in it means anything to one. */
export function toShellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
