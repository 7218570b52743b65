/** What may come next. */
type Wanted = 'value' | 'value-or-close' | 'key' | 'key-or-close' | 'colon' | 'comma-or-close' | 'end';

const SPACE = /[ \t\n\r]*/y;
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*(?:(")|\\(?:u[0-9a-fA-F]{0,3})?$)?/y;
const NUMBER = /-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d*)?)?/y;
const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORDS = ['true', 'false', 'null'];

/**
 * The place of the first character that cannot stand where it stands in JSON, the length of a text that ends too early, `null` for JSON. The engine's
 * own messages name a place only for some of the mistakes, in words that change from version to version.
 */
export function findJsonBreak(text: string): number | null {
  const open: ('{' | '[')[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  for (;;) {
    at += lengthOf(SPACE, text, at);
    if (at >= text.length) return wanted === 'end' ? null : text.length;
    const mark = text[at];
    const inside = open.at(-1);
    const closes = inside === '{' ? '}' : ']';
    if (wanted === 'end') return at;
    if (wanted === 'colon') {
      if (mark !== ':') return at;
      wanted = 'value';
      at += 1;
    } else if (mark === closes && wanted.endsWith('close')) {
      open.pop();
      wanted = toNext(open.length);
      at += 1;
    } else if (wanted === 'comma-or-close') {
      if (mark !== ',') return at;
      wanted = inside === '{' ? 'key' : 'value';
      at += 1;
    } else if (wanted.startsWith('value') && (mark === '{' || mark === '[')) {
      open.push(mark);
      wanted = mark === '{' ? 'key-or-close' : 'value-or-close';
      at += 1;
    } else {
      if (wanted.startsWith('key') && mark !== '"') return at;
      const { length, isWhole } = readScalar(text, at);
      at += length;
      if (!isWhole) return at;
      wanted = wanted.startsWith('key') ? 'colon' : toNext(open.length);
    }
  }
}

function toNext(depth: number): Wanted {
  return depth === 0 ? 'end' : 'comma-or-close';
}

/** How much of a text, number or word stands there, and whether that is all of it. */
function readScalar(text: string, at: number): { readonly length: number; readonly isWhole: boolean } {
  const mark = text[at] ?? '';
  if (mark === '"') {
    STRING.lastIndex = at;
    const [whole = '', end] = STRING.exec(text) ?? [];
    return { length: whole.length, isWhole: end !== undefined };
  }
  if (/[-\d]/.test(mark)) {
    const length = lengthOf(NUMBER, text, at);
    return { length, isWhole: WHOLE_NUMBER.test(text.slice(at, at + length)) };
  }
  const word = WORDS.find((candidate) => candidate[0] === mark) ?? '';
  let length = 0;
  while (length < word.length && text[at + length] === word[length]) length += 1;
  return { length, isWhole: length > 0 && length === word.length };
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
