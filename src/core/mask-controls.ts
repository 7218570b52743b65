// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const CONTROLS = /[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g;
const CONTROLS_IN_LINE = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: see above

/** How controls are masked. */
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
