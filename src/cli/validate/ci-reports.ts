import { isAbsolute, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Diagnostic, Span } from '../../config/findings/located.ts';
import type { Severity } from '../../core/schema/finding.ts';
import { maskControls } from '../../core/text/mask-controls.ts';
import { readRulePage } from './rule-pages.ts';

/** Pages of the package as it is published. */
const PACKAGE_URL = `https://unpkg.com/ralph-hats@${RALPH_VERSION}`;
const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
const LEVELS: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = { error: 'error', warning: 'warning', hint: 'note', note: 'note' };

/**
 * Findings as a SARIF 2.1.0 log, for code scanning.
 *
 * @param cwd the folder that file names are relative to
 * @param isComplete whether every file could be read
 */
export function createSarifLog(findings: readonly Diagnostic[], cwd: string, isComplete: boolean): object {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  const rules = codes.map((code) =>
    toRule(
      code,
      findings.find((finding) => finding.code === code),
    ),
  );
  const driver = {
    name: 'Ralph',
    version: RALPH_VERSION,
    semanticVersion: RALPH_VERSION,
    informationUri: 'https://www.npmjs.com/package/ralph-hats',
    rules,
  };
  const run = {
    tool: { driver },
    invocations: [{ executionSuccessful: isComplete }],
    columnKind: 'utf16CodeUnits',
    results: findings.map((finding) => toResult(finding, codes.indexOf(finding.code), cwd)),
  };
  return { $schema: SCHEMA, version: '2.1.0', runs: [run] };
}

function toRule(code: string, finding: Diagnostic | undefined): object {
  const page = readRulePage(code);
  const help = page ?? `${finding?.why ?? ''}\n\n${finding?.fix ?? ''}`;
  const [, what = finding?.message ?? code] = /\n## What\n+([^\n]+)/.exec(page ?? '') ?? [];
  return {
    id: code,
    name: code.replace(/(^|-)([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase()),
    shortDescription: { text: what },
    fullDescription: { text: what },
    help: { text: help, markdown: help },
    helpUri: page === null ? `${PACKAGE_URL}/docs/errors.md` : `${PACKAGE_URL}/docs/rules/${code}.md`,
    defaultConfiguration: { level: LEVELS[finding?.severity ?? 'warning'] },
  };
}

function toResult(finding: Diagnostic, ruleIndex: number, cwd: string): object {
  const { code, severity, message, why, fix, related = [] } = finding;
  return {
    ruleId: code,
    ruleIndex,
    level: LEVELS[severity],
    message: { text: [message, why, fix].filter((text) => text !== '').join('\n\n') },
    locations: [{ physicalLocation: toPhysicalLocation(finding, cwd) }],
    relatedLocations: related.map((span, id) => ({
      id,
      physicalLocation: toPhysicalLocation(span, cwd),
      message: { text: span.message },
    })),
    partialFingerprints: { 'ralphFinding/v1': toFingerprint(finding, cwd) },
  };
}

function toPhysicalLocation({ file, line, column, endLine, endColumn }: Span, cwd: string): object {
  return {
    artifactLocation: toArtifactLocation(file, cwd),
    region: { startLine: line, startColumn: column, endLine, endColumn },
  };
}

/** A file outside of the folder has no relative name that a repository would know. */
function toArtifactLocation(file: string, cwd: string): object {
  const way = relative(cwd, resolve(cwd, file));
  if (isAbsolute(way) || way.startsWith('..')) return { uri: pathToFileURL(resolve(cwd, file)).href };
  return { uri: way.split(sep).map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' };
}

/** The same for the same finding, wherever in the file it has moved to. */
function toFingerprint({ code, message, excerpt, file }: Diagnostic, cwd: string): string {
  const parts = [code, relative(cwd, resolve(cwd, file)), message, excerpt.text.trim()];
  // Loading it takes longer than all other forms of the report.
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

const COMMANDS = { error: 'error', warning: 'warning', hint: 'notice', note: 'notice' } as const;

/** Findings as commands of a GitHub workflow, which shows them at their lines; nothing for none. */
export function toWorkflowCommands(findings: readonly Diagnostic[]): string {
  return findings.map((finding) => `${toCommand(finding)}\n`).join('');
}

function toCommand(finding: Diagnostic): string {
  const { code, severity, message, why, fix, file, line, column, endLine, endColumn } = finding;
  const properties = { file, line, col: column, endLine, endColumn, title: `ralph: ${code}` };
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return `::${COMMANDS[severity]} ${list.join(',')}::${escapeData(`${message}\nWhy: ${why}\nFix: ${fix}`)}`;
}

function escapeData(text: string): string {
  // A log is shown on terminals, too.
  return maskControls(text, { keepsLines: true }).replaceAll('%', '%25').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
