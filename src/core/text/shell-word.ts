/**
 * What a person types to go on with a run whose journal was lost under it.
 *
 * @param rescued absolute path of the folder with what was recorded: `.ralph/rescue/<run>`, beside `.ralph/runs`
 */
export function toWayBack(rescued: string, runId: string): string {
  const run = toShellWord(rescued.replace(/rescue(?=[\\/][^\\/]+$)/, 'runs'));
  return `Bring it back and go on: \`mkdir -p ${run} && cp -R ${toShellWord(rescued)}/. ${run}/ && ralph resume ${runId}\``;
}

/** A text as one word of a POSIX shell; as it is where nothing in it means anything to one. */
export function toShellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The command that makes room where something else stands, in a sentence for a fix. */
export function toMoveAway(path: string): string {
  return `Move it away: mv ${toShellWord(path)} ${toShellWord(`${path}.old`)}`;
}
