/** Larger texts are told apart by their beginning and their end only. */
const MAX_COMPARED_CELLS = 1_000_000;
const CONTEXT = 2;

/**
 * What differs between two texts, line by line, as people read it: ` ` in both, `-` only before, `+` only after, `…` for what is left out.
 *
 * @param maxLines of the result; more are counted
 */
export function diffLines(before: string, after: string, maxLines: number): string {
  const lines = toMarked(splitLines(before), splitLines(after));
  const shown = lines.filter((_, index) => isNearChange(lines, index));
  const text: string[] = [];
  let last = -1;
  lines.forEach((line, index) => {
    if (!isNearChange(lines, index)) return;
    if (index > last + 1) text.push('…');
    text.push(line);
    last = index;
  });
  if (text.length <= maxLines) return text.join('\n');
  return [...text.slice(0, maxLines), `… ${shown.length - maxLines} more lines differ`].join('\n');
}

function splitLines(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function isNearChange(lines: readonly string[], index: number): boolean {
  for (let near = Math.max(0, index - CONTEXT); near <= Math.min(lines.length - 1, index + CONTEXT); near += 1) {
    if (!lines[near]?.startsWith(' ')) return true;
  }
  return false;
}

function toMarked(before: readonly string[], after: readonly string[]): readonly string[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before[before.length - 1 - end] === after[after.length - 1 - end])
    end += 1;
  const middle = compare(before.slice(start, before.length - end), after.slice(start, after.length - end));
  const same = (line: string): string => ` ${line}`;
  return [...before.slice(0, start).map(same), ...middle, ...before.slice(before.length - end).map(same)];
}

/** The shortest way from one to the other, by the longest common subsequence. */
function compare(before: readonly string[], after: readonly string[]): readonly string[] {
  const width = after.length + 1;
  if ((before.length + 1) * width > MAX_COMPARED_CELLS) return [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
  const common = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        before[row] === after[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: string[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    if (row < before.length && before[row] === after[column]) {
      lines.push(` ${before[row]}`);
      row += 1;
      column += 1;
    } else if (column >= after.length || (row < before.length && at(row + 1, column) >= at(row, column + 1))) {
      lines.push(`-${before[row]}`);
      row += 1;
    } else {
      lines.push(`+${after[column]}`);
      column += 1;
    }
  }
  return lines;
}
