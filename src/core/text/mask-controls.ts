// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const CONTROLS = /[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g;
const CONTROLS_IN_LINE = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: see above

export interface MaskOptions {
  /** What stands in their place. Default: the replacement character. */
  readonly by?: string;
  /** True where line feeds stay. Default: they are masked as well. */
  readonly keepsLines?: boolean;
}

/**
 * A text of the user's without what a terminal, a log or a picture would obey: control characters, separators of lines, marks that turn the direction of
 * writing. Each gives way to one mark, so that nothing is hidden. What agents write has whole sequences in it: see `cleanText` of `views`.
 */
export function maskControls(text: string, { by = '\uFFFD', keepsLines = false }: MaskOptions = {}): string {
  return text.replace(keepsLines ? CONTROLS_IN_LINE : CONTROLS, by);
}

// Controls, formats (marks of direction and other things that are not seen), separators of lines; the line feeds of an indentation stay.
const UNSEEN_IN_JSON = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const BEYOND_ASCII = /[\u007F-\uFFFF]/;

/**
 * A value as JSON in which nothing steers a terminal or deceives a reader: what is not seen is written as `\uXXXX`. Parsed, it is the same value.
 *
 * @param indent how many blanks a level is set in; absent: all on one line
 */
export function toSafeJson(value: object, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  return BEYOND_ASCII.test(text) ? text.replace(UNSEEN_IN_JSON, toEscape) : text;
}

function toEscape(character: string): string {
  return character.split('').reduce((text, unit) => `${text}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`, '');
}
