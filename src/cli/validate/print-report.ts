import { renderDiagnostics, toExplainHint } from '../../config/findings/diagnostics.ts';
import { maskControls } from '../../core/text/mask-controls.ts';
import { createConfigReport, isValid } from '../../validation/config-report.ts';
import type { CliContext } from '../cli-context.ts';
import { describeError } from '../terminal/describe-error.ts';
import { isColoured, printJson } from '../terminal/terminal.ts';
import type { CheckedTarget, ValidateFlags } from './check-files.ts';

/** Prints what was found, in the form that was asked for. */
export async function printReport(context: CliContext, targets: readonly CheckedTarget[], flags: ValidateFlags): Promise<void> {
  const { terminal } = context;
  const strict = flags.strict === true;
  const findings = targets.flatMap(({ checked }) => checked.diagnostics);
  switch (flags.format) {
    case 'human':
      return terminal.out(toHumanReport(context, targets, strict));
    case 'json':
      return printJson(terminal, { files: targets.map((target) => toJsonReport(target, flags)) });
    case 'sarif': {
      const { createSarifLog } = await import('./ci-reports.ts');
      return printJson(
        terminal,
        createSarifLog(
          findings,
          context.cwd,
          targets.every(({ refusal }) => refusal === null),
        ),
        2,
      );
    }
    case 'github': {
      const { toWorkflowCommands } = await import('./ci-reports.ts');
      return terminal.out(toWorkflowCommands(findings));
    }
  }
}

function toJsonReport({ name, checked, made }: CheckedTarget, { strict, fix, fixAll }: ValidateFlags): object {
  const report = createConfigReport(name, checked, strict);
  return fix === true || fixAll === true ? { ...report, fixed: made } : report;
}

/** The findings, a line for each file, and where to read on. */
function toHumanReport({ terminal }: CliContext, targets: readonly CheckedTarget[], strict: boolean): string {
  const color = isColoured(terminal.style);
  const readable = targets.filter(({ refusal }) => refusal === null);
  const blocks = readable.map(({ checked }) => renderDiagnostics(checked.diagnostics, { color }));
  const found = blocks.filter((block) => block !== '').map((block) => `${block}\n\n`);
  const lines = readable.map((target) => `${toSummary(target, terminal.style, strict)}\n`);
  const hint = toExplainHint(readable.flatMap((target) => target.checked.diagnostics));
  return [...found, ...lines, ...(hint === '' ? [] : [`${terminal.style('faint', hint)}\n`])].join('');
}

const MAX_HATS = 12;
const KINDS = [
  ['error', 'error', 'errors'],
  ['warning', 'warning', 'warnings'],
  ['hint', 'hint', 'hints'],
  ['note', 'note', 'notes'],
] as const;

/** `ralph.yml: 2 errors, 1 warning`, or `ralph.yml: valid (hats: planner, builder)`. */
export function toSummary({ name, checked }: CheckedTarget, style: CliContext['terminal']['style'], strict: boolean): string {
  const counts = KINDS.flatMap(([severity, one, many]) => {
    const count = checked.diagnostics.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  const shown = maskControls(name);
  const found = counts.length === 0 ? '' : `, ${counts.join(', ')}`;
  if (!isValid(checked.diagnostics, strict)) return `${shown}: ${style('bad', counts.join(', '))}`;
  return `${shown}: ${style('good', 'valid')}${toTeam(checked)}${found}`;
}

function toTeam({ coordination, topology }: CheckedTarget['checked']): string {
  const ids = topology?.hats.map((hat) => hat.id) ?? [];
  if (coordination === null) return '';
  if (ids.length === 0) return ` (${coordination})`;
  const more = ids.length > MAX_HATS ? ` and ${ids.length - MAX_HATS} more` : '';
  return ` (${coordination}: ${ids.slice(0, MAX_HATS).join(', ')}${more})`;
}

/** Says on standard error which configurations could not be looked at. */
export function printRefusals({ terminal }: CliContext, targets: readonly CheckedTarget[]): void {
  for (const { refusal } of targets) {
    if (refusal !== null) terminal.err(describeError(refusal, { style: terminal.errStyle, debug: false }).text);
  }
}
