import type { Diagnostic } from '../../config/index.ts';
import { maskControls } from '../../core/index.ts';
import type { CheckedTarget } from './check-files.ts';

const COMMANDS = { error: 'error', warning: 'warning', hint: 'notice', note: 'notice' } as const;

/** Findings as commands of a GitHub workflow, which shows them at their lines; nothing for none. */
export function toWorkflowCommands(targets: readonly CheckedTarget[]): string {
  return targets.flatMap(({ checked }) => checked.diagnostics.map((finding) => `${toCommand(finding)}\n`)).join('');
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
