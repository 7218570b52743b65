/** Characters that take two columns: East Asian wide and full-width ones, and emoji. */
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;
/** Characters that take none: accents that stand on the one before, joiners. */
const NARROW = /\p{Mn}|\p{Me}|\p{Cf}/u;
/** From here on a character may be anything but one column wide. */
const FIRST_ODD = 0x300;

/** The columns of a monospaced screen that a character takes: 0, 1 or 2. */
export function toCharCells(char: string): 0 | 1 | 2 {
  if ((char.codePointAt(0) ?? 0) < FIRST_ODD && char !== '\u00ad') return 1;
  if (NARROW.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}

export function toTextCells(text: string): number {
  let cells = 0;
  for (const char of text) cells += toCharCells(char);
  return cells;
}
