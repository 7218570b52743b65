/** Only errors keep a run from starting. A note says that something is fine but not read by this version. */
export type Severity = 'error' | 'warning' | 'hint' | 'note';

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

/** Something to be said about a configuration. */
export interface Diagnostic extends ShownSpan {
  /** Stable, kebab-case. */
  readonly code: string;
  readonly severity: Severity;
  /** What is wrong: one sentence, the first line of what is shown. */
  readonly message: string;
  /** Why it matters. */
  readonly why: string;
  /** What to do; may hold lines of YAML to write. */
  readonly fix: string;
  readonly related?: readonly RelatedSpan[];
}

/** A finding that has no place yet. */
export type Finding = Omit<Diagnostic, keyof ShownSpan>;

/** True if one of them keeps a run from starting. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

/** In the order of the files as first mentioned, then of the text; equal findings once. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const files = [...new Set(diagnostics.map((diagnostic) => diagnostic.file))];
  const seen = new Set<string>();
  return [...diagnostics]
    .sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column)
    .filter((diagnostic) => {
      const key = JSON.stringify([diagnostic.code, diagnostic.file, diagnostic.line, diagnostic.column, diagnostic.message]);
      return !seen.has(key) && seen.add(key);
    });
}
