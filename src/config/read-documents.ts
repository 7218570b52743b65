import { Composer, type Document, Lexer, Parser } from 'yaml';

/** Deeper nesting is refused: the library recurses, and a stack that runs out inside a regular expression cannot be caught. */
export const MAX_DEPTH = 100;

/** Thrown for a text that is nested deeper than {@link MAX_DEPTH}. */
export class TooDeepError extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super('nested too deeply');
    this.offset = offset;
  }
}

/**
 * Reads all documents of a text; an empty text has one without contents. Syntax errors are told in the documents.
 *
 * @throws TooDeepError
 */
export function readDocuments(text: string): readonly Document.Parsed[] {
  // Duplicate keys and merges are found by us, with both places and in linear time.
  const composer = new Composer({ schema: 'core', uniqueKeys: false, prettyErrors: false, logLevel: 'silent', keepSourceTokens: false });
  return [...composer.compose(readTokens(text), true, text.length)];
}

function* readTokens(text: string) {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) yield token;
    if (parser.stack.length > MAX_DEPTH) throw new TooDeepError(parser.offset);
  }
  yield* parser.end();
}
