/** The last work that was begun for each file, while there is any. */
const lasts = new Map<string, Promise<unknown>>();

/**
 * Runs what reads and then writes a file when nobody else here does the same with it: of two edits that a model asks for at once, none is lost.
 * Other processes are noticed by `replaceFile`, which refuses what has changed meanwhile.
 */
export async function inTurn<Result>(real: string, work: () => Promise<Result>): Promise<Result> {
  const before = lasts.get(real) ?? Promise.resolve();
  const mine = before.then(work, work);
  lasts.set(real, mine);
  try {
    return await mine;
  } finally {
    if (lasts.get(real) === mine) lasts.delete(real);
  }
}
