/** A text as one word of a POSIX shell; as it is where nothing in it means anything to one. */
export function toShellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The command that makes room where something else stands, in a sentence for a fix. */
export function toMoveAway(path: string): string {
  return `Move it away: mv ${toShellWord(path)} ${toShellWord(`${path}.old`)}`;
}
