import type { Document } from 'yaml';
import { MAX_DEPTH } from './contents-builder.ts';
import type { YamlLibrary } from './yaml-library.ts';

/** Thrown for a text that is nested deeper than {@link MAX_DEPTH}: the library recurses, and a stack that runs out inside a regular expression cannot be caught. */
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
export function readDocuments(text: string, library: YamlLibrary): readonly Document.Parsed[] {
  // Duplicate keys and merges are found by us, with both places and in linear time.
  const composer = new library.Composer({
    schema: 'core',
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
    keepSourceTokens: false,
  });
  return [...composer.compose(readTokens(text, library), true, text.length)];
}

function* readTokens(text: string, { Lexer, Parser }: YamlLibrary) {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) yield token;
    if (parser.stack.length > MAX_DEPTH) throw new TooDeepError(parser.offset);
  }
  yield* parser.end();
}
