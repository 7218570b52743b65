import type { Diagnostic, RelatedSpan, Span } from '../config/findings/located.ts';
import type { Severity } from '../core/schema/finding.ts';
import type { Coordination } from '../topology/routing/compile-topology.ts';

/** What programs are told about one configuration. Lines and columns count from 1, columns in UTF-16 units, the end is behind the last character. */
export interface ConfigReport {
  /** As it was named. */
  readonly file: string;
  /** True if nothing keeps a run from starting (with `strict` nothing at all that is an error or a warning). */
  readonly valid: boolean;
  /** `null` where the file is no YAML. */
  readonly coordination: Coordination | null;
  /** Sorted by place. */
  readonly diagnostics: readonly ReportedDiagnostic[];
}

/** A finding with its place, every field of it there. */
export interface ReportedDiagnostic extends Span {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly why: string;
  readonly fix: string;
  readonly hats: readonly string[];
  readonly topics: readonly string[];
  readonly related: readonly ReportedSpan[];
}

/** Another place that has to do with a finding. */
export interface ReportedSpan extends Span {
  readonly message: string;
}

export function createConfigReport(
  file: string,
  { coordination, diagnostics }: { readonly coordination: Coordination | null; readonly diagnostics: readonly Diagnostic[] },
  strict = false,
): ConfigReport {
  return { file, valid: isValid(diagnostics, strict), coordination, diagnostics: diagnostics.map(toReported) };
}

/** True if no finding is an error; with `strict` no warning either, but one about the machine: a file is as good wherever it is read. */
export function isValid(diagnostics: readonly Pick<Diagnostic, 'severity' | 'code'>[], strict = false): boolean {
  return !diagnostics.some(({ severity, code }) => severity === 'error' || (strict && severity === 'warning' && code !== 'agent-missing'));
}

function toReported(diagnostic: Diagnostic): ReportedDiagnostic {
  const { code, severity, message, why, fix, hats = [], topics = [], related = [] } = diagnostic;
  return { code, severity, message, why, fix, ...toSpan(diagnostic), hats, topics, related: related.map(toRelated) };
}

function toRelated(span: RelatedSpan): ReportedSpan {
  return { message: span.message, ...toSpan(span) };
}

function toSpan({ file, line, column, endLine, endColumn }: Span): Span {
  return { file, line, column, endLine, endColumn };
}
