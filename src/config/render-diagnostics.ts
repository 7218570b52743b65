import { maskControls, type Severity } from '../core/index.ts';
import type { Diagnostic, ShownSpan } from './diagnostic.ts';

/** How findings are shown. */
export interface RenderOptions {
  /** With terminal colours; default: without. */
  readonly color?: boolean;
}

const LABELS: Readonly<Record<Severity, string>> = { error: 'ERROR', warning: 'WARN', hint: 'HINT', note: 'NOTE' };
const COLORS: Readonly<Record<Severity, string>> = { error: '31', warning: '33', hint: '36', note: '2' };

/**
 * Findings for people: what is wrong, where with the line itself, why it matters, what to do. One block each, in the given order; empty
 * text for none. Control characters of the file are not passed on.
 */
export function renderDiagnostics(diagnostics: readonly Diagnostic[], options: RenderOptions = {}): string {
  return diagnostics.map((diagnostic) => renderDiagnostic(diagnostic, options.color ?? false)).join('\n\n');
}

function renderDiagnostic(diagnostic: Diagnostic, color: boolean): string {
  const { severity, message, code } = diagnostic;
  const label = paint(`${LABELS[severity]}:`, color ? `1;${COLORS[severity]}` : null);
  const lines = [
    `${label} ${toPlain(message)} ${paint(`[${code}]`, color ? '2' : null)}`,
    ...renderFrame(diagnostic, color ? COLORS[severity] : null),
  ];
  for (const other of diagnostic.related ?? []) lines.push(`  ${toPlain(other.message)}`, ...renderFrame(other, color ? '36' : null));
  return [...lines, ...renderWords('Why', diagnostic.why), ...renderWords('Fix', diagnostic.fix)].join('\n');
}

function renderFrame(span: ShownSpan, color: string | null): readonly string[] {
  const place = `  at ${toPlain(span.file)}:${span.line}:${span.column}`;
  const { text, column } = span.excerpt;
  if (text.trim() === '') return [place];
  const before = text.slice(0, span.column - column);
  const marked = text.slice(before.length, Math.max(span.endColumn - column, before.length + 1));
  const gutter = `  ${span.line} | `;
  const indent = ' '.repeat(gutter.length + widthOf(before));
  return [place, gutter + toPlain(text), indent + paint('^'.repeat(Math.max(1, widthOf(marked))), color)];
}

function renderWords(title: string, text: string): readonly string[] {
  const [first = '', ...others] = toPlain(text, true).split('\n');
  return [`  ${title}: ${first}`, ...others.map((line) => (line === '' ? '' : `       ${line}`))];
}

/** How many columns a text takes: characters outside the basic plane count once. */
function widthOf(text: string): number {
  return [...text].length;
}

/** Text of the user's that a terminal may be shown: one line (unless allowed otherwise), nothing that steers it. */
function toPlain(text: string, multiline = false): string {
  const line = text.replaceAll('\t', ' ');
  return maskControls(multiline ? line : line.replaceAll('\n', ' '), { keepsLines: true });
}

function paint(text: string, code: string | null): string {
  return code === null ? text : `\u001B[${code}m${text}\u001B[0m`;
}
