import { createRequire } from 'node:module';
import type { Alias, Document, ParsedNode, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { type Diagnostic, type Place, type SourceFile, toDiagnostic } from '../findings/located.ts';
import { ContentsBuilder, type LocatedContents, MAX_DEPTH } from './contents-builder.ts';
import { type OpenMark, TEXT_FINDINGS, toOpenFinding, toTagFinding, toYamlFinding } from './yaml-problems.ts';

/** How many mistakes of syntax are looked at. */
const MAX_SYNTAX_ERRORS = 20;
/** How many of one code are reported: a text that is no YAML at all has one in every line. */
const MAX_SYNTAX_FINDINGS = 5;

/** Reads any text as one YAML document, by the library; a text that is no YAML has no value. Never throws. */
export function readByLibrary(file: SourceFile): LocatedContents {
  try {
    return readDocument(file, loadYamlLibrary());
  } catch (error) {
    const offset = error instanceof TooDeepError ? error.offset : 0;
    const finding =
      error instanceof TooDeepError ? TEXT_FINDINGS.tooDeep : toYamlFinding({ code: '', message: String(error).slice(0, 200) });
    return { value: null, diagnostics: [toDiagnostic(toPlace(file, [offset, offset]), finding)] };
  }
}

function readDocument(file: SourceFile, library: YamlLibrary): LocatedContents {
  const [first, ...others] = readDocuments(file.text, library);
  if (first === undefined) return locateContents(null, file, library);
  const diagnostics = listSyntaxFindings(file, first, library);
  for (const warning of first.warnings) diagnostics.push(toDiagnostic(toPlace(file, warning.pos), toTagFinding(warning)));
  const second = others.find(({ contents }) => contents !== null && !(library.isScalar(contents) && contents.value === null));
  if (second !== undefined) diagnostics.push(toDiagnostic(toPlace(file, second.contents?.range), TEXT_FINDINGS.severalDocuments));
  const located = locateContents(first.contents, file, library);
  if (first.errors.length > 0) return { value: null, diagnostics: [...diagnostics, ...pickBeside(diagnostics, located)] };
  return { value: located.value, diagnostics: [...diagnostics, ...located.diagnostics] };
}

function listSyntaxFindings(file: SourceFile, document: Document.Parsed, library: YamlLibrary): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const counts = new Map<string, number>();
  for (const error of document.errors.slice(0, MAX_SYNTAX_ERRORS)) {
    const open = findOpenMark(error, document, file.text, library);
    const place = open === null ? error.pos : [open.start, open.start + 1];
    const finding = toDiagnostic(toPlace(file, place), open === null ? toYamlFinding(error) : toOpenFinding(open));
    const count = (counts.get(finding.code) ?? 0) + 1;
    counts.set(finding.code, count);
    if (count <= MAX_SYNTAX_FINDINGS) diagnostics.push(finding);
  }
  return diagnostics;
}

/** Findings about what could be read beside the mistakes of syntax; those in the same lines, or about parts that are not written, may only be their echo. */
function pickBeside(syntax: readonly Diagnostic[], { diagnostics }: LocatedContents): readonly Diagnostic[] {
  const lines = new Set(syntax.map(({ line }) => line));
  const isWritten = ({ line, column, endLine, endColumn }: Diagnostic): boolean => line !== endLine || column < endColumn;
  return diagnostics.filter((finding) => isWritten(finding) && !lines.has(finding.line)).slice(0, MAX_SYNTAX_ERRORS);
}

function toPlace(file: SourceFile, range: readonly number[] | null | undefined): Place {
  const [start, end] = toRange(range);
  return { file, start, end };
}

/** Thrown for a text that is nested deeper than {@link MAX_DEPTH}: the library recurses, and a stack that runs out inside a regular expression cannot be caught. */
class TooDeepError extends Error {
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
function readDocuments(text: string, library: YamlLibrary): readonly Document.Parsed[] {
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

interface YamlError {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [start: number, end: number];
}

const MARKS: readonly (readonly [begin: string, mark: string, end: string])[] = [
  ['Flow sequence ', '[', ']'],
  ['Flow map ', '{', '}'],
  ['Missing closing "', '"', '"'],
  ["Missing closing '", "'", "'"],
];

/** The mark that a mistake is about, where it is one that was never closed: the library tells where the end was missed. */
function findOpenMark(error: YamlError, document: Document.Parsed, text: string, library: YamlLibrary): OpenMark | null {
  const kind = MARKS.find(([begin]) => error.message.startsWith(begin));
  if (kind === undefined || (error.code !== 'BAD_INDENT' && error.code !== 'MISSING_CHAR')) return null;
  const [, mark, end] = kind;
  let start = -1;
  library.visit(document, {
    Node: (_, { range }) => {
      if (range?.[1] === error.pos[0] && text[range[0]] === mark) start = range[0];
    },
  });
  return start < 0 ? null : { mark, start, isOutdented: beginsLaterLine(text.slice(error.pos[0]), mark, end) };
}

/** True if the end begins a line before another mark of the kind is opened. */
function beginsLaterLine(rest: string, mark: string, end: string): boolean {
  const [before = ''] = rest.split(mark, 1);
  return mark !== end && before.split('\n').some((line) => line.trimStart().startsWith(end));
}

/** The library that reads what the fast reader leaves: everything unusual, and everything wrong. */
type YamlLibrary = typeof import('yaml');

let library: YamlLibrary | undefined;

/**
 * Loads the library when it is first needed: that takes longer than all the rest of a call that does without. It is required, not imported, because
 * a configuration is loaded synchronously. The build keeps it in a file apart (`#library/*` in package.json), and puts it into the script of the command.
 */
export function loadYamlLibrary(): YamlLibrary {
  library ??= createRequire(import.meta.url)(RALPH_YAML_LIBRARY) as YamlLibrary;
  return library;
}

/** Turns the nodes of a YAML document into located values. */
function locateContents(contents: ParsedNode | null, file: SourceFile, library: YamlLibrary): LocatedContents {
  const builder = new ContentsBuilder(file);
  if (contents !== null) new NodeReader(builder, library).read(contents);
  return builder.finished();
}

class NodeReader {
  readonly #builder: ContentsBuilder;
  readonly #library: YamlLibrary;

  constructor(builder: ContentsBuilder, library: YamlLibrary) {
    this.#builder = builder;
    this.#library = library;
  }

  read(node: unknown): void {
    const { isAlias, isMap, isScalar, isSeq } = this.#library;
    if (isAlias(node)) this.#readAlias(node);
    else if (isMap(node)) this.#readMap(node);
    else if (isSeq(node)) this.#readList(node);
    else if (isScalar(node)) this.#readScalar(node);
    else this.#builder.addEmpty(0);
  }

  #readAlias(node: Alias): void {
    const [start, end] = toRange(node.range);
    this.#builder.addAlias(node.source, start, end);
  }

  #readMap(map: YAMLMap): void {
    const [start, end] = toRange(map.range);
    this.#builder.open('map', start, map.anchor ?? null);
    for (const { key, value } of map.items) {
      this.read(key);
      if (value === null) this.#builder.addEmpty(toRange((key as ParsedNode).range)[1]);
      else this.read(value);
    }
    this.#builder.close(map.flow === true ? end : undefined);
  }

  #readList(list: YAMLSeq): void {
    const [start, end] = toRange(list.range);
    this.#builder.open('list', start, list.anchor ?? null);
    for (const item of list.items) this.read(item);
    this.#builder.close(list.flow === true ? end : undefined);
  }

  #readScalar({ value, source, range, type, anchor }: Scalar): void {
    const [start, end] = toRange(range);
    const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
    const written = source ?? (known === null ? '' : String(known));
    const isMerge = value === '<<' && type === 'PLAIN';
    this.#builder.addScalar({
      value: known,
      written,
      start,
      end,
      anchor: anchor ?? null,
      isMerge,
      isBlock: type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED',
    });
  }
}

function toRange(range: readonly number[] | null | undefined): readonly [start: number, end: number] {
  const start = range?.[0] ?? 0;
  return [start, range?.[1] ?? start];
}
