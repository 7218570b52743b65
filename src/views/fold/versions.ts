/** What something was, input by input: each value holds from its input on until the next one. */
export interface Versions<Value> {
  /** What it is from this input on, which is none before the last one that was set; the same input again: in the place of that. */
  readonly set: (seq: number, value: Value) => void;
  /** What it was after an input; `undefined` before the first. Takes the logarithm of the number of versions. */
  readonly at: (seq: number) => Value | undefined;
}

/** Nothing was set yet. */
export function createVersions<Value>(): Versions<Value> {
  const seqs: number[] = [];
  const values: Value[] = [];
  return {
    set: (seq, value) => {
      if (seqs.at(-1) === seq) values.pop();
      else seqs.push(seq);
      values.push(value);
    },
    at: (seq) => values[countUntil(seqs, seq) - 1],
  };
}

/** How many of these numbers, which never decrease, are not above the limit. */
export function countUntil(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
