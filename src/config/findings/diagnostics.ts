import type { Severity } from '../../core/schema/finding.ts';
import { maskControls } from '../../core/text/mask-controls.ts';
import { shorten } from '../../core/text/shorten.ts';
import type { Diagnostic, ShownSpan } from './located.ts';

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

/** How many findings of one kind a file may have; more of them are one mistake, made everywhere. */
export const MAX_OF_A_KIND = 200;

/**
 * Sorts findings: files in the order in which they are first mentioned, then by place. Equal findings are kept once. Of one code and severity a
 * file keeps {@link MAX_OF_A_KIND}; the last of them says how many more there are.
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

/** Puts text of the user into a sentence: short, on one line, in quotes. */
export function quote(text: string, mark = '"'): string {
  return `${mark}${toShort(text)}${mark}`;
}

export function toShort(text: string): string {
  return JSON.stringify(shorten(text, 80)).slice(1, -1);
}

/** The end of a sentence about an unknown name, with the known name that was probably meant. */
export function endWithMeant(near: string | undefined): string {
  return near === undefined ? '.' : `: did you mean \`${near}\`?`;
}

const MAX_CODES = 6;

/** `More: ralph explain event-orphan hats-empty`: where to read on; empty text for no findings. */
export function toExplainHint(diagnostics: readonly Pick<Diagnostic, 'code'>[]): string {
  const codes = [...new Set(diagnostics.map(({ code }) => code))];
  return codes.length === 0 ? '' : `More: ralph explain ${codes.slice(0, MAX_CODES).join(' ')}`;
}

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

/** How many columns a text takes; a character outside the basic plane counts once. */
function widthOf(text: string): number {
  return [...text].length;
}

/** Text of the user as a terminal may show it: nothing in it steers the terminal, and it has one line unless `multiline` is set. */
function toPlain(text: string, multiline = false): string {
  const line = text.replaceAll('\t', ' ');
  return maskControls(multiline ? line : line.replaceAll('\n', ' '), { keepsLines: true });
}

function paint(text: string, code: string | null): string {
  return code === null ? text : `\u001B[${code}m${text}\u001B[0m`;
}
