import type { RunSource } from './page-source.ts';

/** The place of a turn by its name (`7.1`); `null` where there is none. Turns stand in the order of their iterations, and attempts of the same one behind one another. */
export async function findTurn(source: RunSource, name: string, total: number): Promise<number | null> {
  const iteration = Number(name.split('.')[0]);
  let [low, high] = [0, total - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const { rows } = await source.turns({ from: Math.max(0, middle - 20), count: 40 });
    const found = rows.find((row) => row.name === name);
    if (found !== undefined) return found.place;
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return null;
    if (iteration < first.iteration) high = middle - 20;
    else if (iteration > last.iteration) low = middle + 20;
    else return null;
  }
  return null;
}
