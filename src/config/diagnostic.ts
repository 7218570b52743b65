import type { Finding } from '../core/index.ts';

/** A place in a file. Lines and columns count from 1, columns in UTF-16 units; the end is behind the last character. */
export interface Span {
  /** As the user named it, or relative to the folder of the run. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** A place with the text that stands there, so that it can be shown without the file. */
export interface ShownSpan extends Span {
  readonly excerpt: Excerpt;
}

/** What is shown of a line: at most 160 characters around the place. */
export interface Excerpt {
  readonly text: string;
  /** The column at which the text begins. */
  readonly column: number;
}

/** Another place that has to do with a finding. */
export interface RelatedSpan extends ShownSpan {
  readonly message: string;
}

/** Something to be said about a configuration, with its place. */
export interface Diagnostic extends Finding, ShownSpan {
  readonly related?: readonly RelatedSpan[];
}

/** True if one of them keeps a run from starting. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

/** So many findings of a kind are told of a file; whoever has more has one mistake that is made everywhere. */
export const MAX_OF_A_KIND = 200;

/**
 * In the order of the files as first mentioned, then of the text; equal findings once. Of one code and severity a file has at most 200: the
 * last of them says how many more there are.
 */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const files = new Map([...new Set(diagnostics.map((diagnostic) => diagnostic.file))].map((file, index) => [file, index]));
  const rank = (diagnostic: Diagnostic): number => files.get(diagnostic.file) ?? 0;
  const seen = new Set<string>();
  const sorted = [...diagnostics]
    .sort((a, b) => rank(a) - rank(b) || a.line - b.line || a.column - b.column)
    .filter((diagnostic) => {
      const { code, file, line, column, message, why } = diagnostic;
      const key = JSON.stringify([code, file, line, column, message, why]);
      return !seen.has(key) && seen.add(key);
    });
  return capKinds(sorted);
}

function capKinds(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const counts = new Map<string, number>();
  const lasts = new Map<string, number>();
  const kept: Diagnostic[] = [];
  for (const diagnostic of diagnostics) {
    const kind = JSON.stringify([diagnostic.code, diagnostic.severity, diagnostic.file]);
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (count <= MAX_OF_A_KIND) lasts.set(kind, kept.push(diagnostic) - 1);
  }
  for (const [kind, at] of lasts) {
    const more = (counts.get(kind) ?? 0) - MAX_OF_A_KIND;
    const last = kept[at];
    if (more > 0 && last !== undefined) kept[at] = { ...last, why: `${last.why} And ${more.toLocaleString('en')} more of this kind.` };
  }
  return kept;
}
