import type { Document } from 'yaml';
import type { LocatedContents } from './contents-builder.ts';
import type { Diagnostic } from './diagnostic.ts';
import { locateContents } from './locate-contents.ts';
import { findOpenMark } from './locate-problem.ts';
import type { LocatedMap, LocatedValue } from './located-value.ts';
import { readDocuments, TooDeepError } from './read-documents.ts';
import { readFast } from './read-fast.ts';
import { type Place, type SourceFile, toDiagnostic } from './source-file.ts';
import { loadYamlLibrary, type YamlLibrary } from './yaml-library.ts';
import { TEXT_FINDINGS, toOpenFinding, toTagFinding, toYamlFinding } from './yaml-problems.ts';

/** A configuration file as it was read. */
export interface ParsedYaml {
  /** `null` where the text is no YAML or not a map; an empty text is an empty map. */
  readonly root: LocatedMap | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Mistakes of syntax that are looked at. */
const MAX_SYNTAX_ERRORS = 20;
/** Of one code: a text that is no YAML at all has one at every line. */
const MAX_SYNTAX_FINDINGS = 5;

/** Reads a text as one YAML document. Everything that is wrong is told with its place; never throws. */
export function parseYaml(file: SourceFile): ParsedYaml {
  const located = readFast(file);
  return located === null ? parseYamlByLibrary(file) : toParsed(file, located, []);
}

/** The same for every text, unusual and wrong ones too, by the library: slower, and the measure of what the fast reader gives. */
export function parseYamlByLibrary(file: SourceFile): ParsedYaml {
  try {
    return parseDocuments(file);
  } catch (error) {
    const offset = error instanceof TooDeepError ? error.offset : 0;
    const finding =
      error instanceof TooDeepError ? TEXT_FINDINGS.tooDeep : toYamlFinding({ code: '', message: String(error).slice(0, 200) });
    return { root: null, diagnostics: [toDiagnostic(toPlace(file, [offset, offset]), finding)] };
  }
}

function parseDocuments(file: SourceFile): ParsedYaml {
  const library = loadYamlLibrary();
  const [first, ...others] = readDocuments(file.text, library);
  if (first === undefined) return { root: emptyMap(file), diagnostics: [] };
  const diagnostics = listSyntaxFindings(file, first, library);
  for (const warning of first.warnings) diagnostics.push(toDiagnostic(toPlace(file, warning.pos), toTagFinding(warning)));
  const second = others.find(({ contents }) => contents !== null && !(library.isScalar(contents) && contents.value === null));
  if (second !== undefined) diagnostics.push(toDiagnostic(toPlace(file, second.contents?.range), TEXT_FINDINGS.severalDocuments));
  const located = locateContents(first.contents, file, library);
  if (first.errors.length > 0) return { root: null, diagnostics: [...diagnostics, ...pickBeside(diagnostics, located)] };
  return toParsed(file, located, diagnostics);
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

/** What is wrong in what could be read beside mistakes of syntax; at their lines, and of parts that nobody wrote, it may be no more than their echo. */
function pickBeside(syntax: readonly Diagnostic[], { diagnostics }: LocatedContents): readonly Diagnostic[] {
  const lines = new Set(syntax.map(({ line }) => line));
  const isWritten = ({ line, column, endLine, endColumn }: Diagnostic): boolean => line !== endLine || column < endColumn;
  return diagnostics.filter((finding) => isWritten(finding) && !lines.has(finding.line)).slice(0, MAX_SYNTAX_ERRORS);
}

function toParsed(file: SourceFile, located: LocatedContents, before: readonly Diagnostic[]): ParsedYaml {
  const diagnostics = [...before, ...located.diagnostics];
  return { root: toRoot(file, located.value, diagnostics), diagnostics };
}

function toRoot(file: SourceFile, value: LocatedValue | null, diagnostics: Diagnostic[]): LocatedMap | null {
  if (value === null) return null;
  if (value.kind === 'map') return value;
  if (value.kind === 'scalar' && value.value === null) return emptyMap(file);
  diagnostics.push(toDiagnostic(value.place, TEXT_FINDINGS.noMap));
  return null;
}

function emptyMap(file: SourceFile): LocatedMap {
  return { kind: 'map', entries: new Map(), place: { file, start: 0, end: 0 } };
}

function toPlace(file: SourceFile, range: readonly number[] | null | undefined): Place {
  const start = range?.[0] ?? 0;
  return { file, start, end: range?.[1] ?? start };
}
