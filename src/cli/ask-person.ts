/** Asks on the terminal; the end of the input counts as an empty answer. The question goes to standard error, results stay clean. */
export async function askPerson(question: string): Promise<string> {
  const { createInterface } = process.getBuiltinModule('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    return await Promise.race([lines.question(question), closed]);
  } finally {
    lines.close();
  }
}

/** True for `y` and `yes`. */
export function isYes(answer: string): boolean {
  return /^\s*y(es)?\s*$/i.test(answer);
}
