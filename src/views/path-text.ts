/** Controls, marks that are not seen or turn the direction of writing, halves of characters (bytes that are no UTF-8), and what would end the quotes. */
const ODD = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}"\\]/u;
const ODD_BYTE = /\\udc([89a-f][0-9a-f])/g;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A path on one line, in quotes where anything in it would not be seen or would be obeyed: `"new\nline.txt"`. */
export function toPathText(path: string): string {
  if (!ODD.test(path)) return path;
  return JSON.stringify(path).replace(ODD_BYTE, '\\x$1').replace(UNSEEN, toEscape);
}

function toEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
