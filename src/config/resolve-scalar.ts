const INTEGER = /^[-+]?[0-9]+$/;
const OCTAL = /^0o[0-7]+$/;
const HEXADECIMAL = /^0x[0-9a-fA-F]+$/;
const DECIMAL = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const INFINITE = /^[-+]?\.(?:inf|Inf|INF)$/;
const NOT_A_NUMBER = /^\.(?:nan|NaN|NAN)$/;

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['', null],
  ['~', null],
  ['null', null],
  ['Null', null],
  ['NULL', null],
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['false', false],
  ['False', false],
  ['FALSE', false],
]);

/** What a plain scalar means by the core schema of YAML 1.2, in which `yes` and `on` are texts. */
export function resolveScalar(text: string): string | number | boolean | null {
  const word = text.length <= 5 ? WORDS.get(text) : undefined;
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  const isNumeric = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46;
  return isNumeric ? toNumber(text) : text;
}

function toNumber(text: string): string | number {
  if (INTEGER.test(text)) return Number.parseInt(text, 10);
  if (OCTAL.test(text)) return Number.parseInt(text.slice(2), 8);
  if (HEXADECIMAL.test(text)) return Number.parseInt(text.slice(2), 16);
  if (DECIMAL.test(text)) return Number.parseFloat(text);
  if (INFINITE.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return NOT_A_NUMBER.test(text) ? Number.NaN : text;
}
