import { existsSync, realpathSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { TextEdit } from '../../config/edit/text-edit.ts';
import type { Diagnostic } from '../../config/findings/located.ts';
import type { Repair } from '../../core/schema/finding.ts';
import { maskControls } from '../../core/text/mask-controls.ts';
import { isRalphError } from '../../core/values/errors.ts';
import { pathOf } from '../../validation/edited-files.ts';
import { type MadeRepair, type RepairedConfig, repairConfig } from '../../validation/repair-config.ts';
import { writeRepairs } from '../../validation/write-repairs.ts';
import type { CliContext } from '../cli-context.ts';
import { isColoured } from '../terminal/terminal.ts';
import { type CheckedTarget, renameFile, type Target, toRefusedTarget, type ValidateFlags } from './check-files.ts';

/** Repairs configurations one after the other, writes them and says what was changed. */
export async function fixTargets(context: CliContext, targets: readonly Target[], flags: ValidateFlags): Promise<readonly CheckedTarget[]> {
  const fixed: CheckedTarget[] = [];
  for (const target of targets) fixed.push(await fixTarget(context, target, flags));
  return fixed;
}

async function fixTarget(context: CliContext, { name, request }: Target, flags: ValidateFlags): Promise<CheckedTarget> {
  try {
    const choose = toChooser(context, flags);
    const mayEdit = createEditGuard(request.cwd, request.configFiles ?? []);
    const repaired = await repairConfig({ request, mayEdit, ...(choose === null ? {} : { choose }) });
    writeRepairs(repaired);
    if (flags.format === 'human') printMade(context, repaired.made);
    if (repaired.isCut) context.terminal.err('There may be more to repair than was tried: run the command again.\n');
    return toCheckedTarget(name, request.cwd, repaired);
  } catch (error) {
    if (!isRalphError(error)) throw error;
    return toRefusedTarget(name, error);
  }
}

function toCheckedTarget(name: string, cwd: string, { checked, made }: RepairedConfig): CheckedTarget {
  return { name, checked: { ...checked, diagnostics: renameFile(checked.diagnostics, name, cwd) }, refusal: null, made };
}

/** Files that were named may be changed, and those in the folder; a file that is elsewhere and only imported may not. */
function createEditGuard(cwd: string, named: readonly string[]): (edit: TextEdit) => boolean {
  const allowed = new Set(named.map((file) => resolve(cwd, file)));
  return (edit) => {
    const path = pathOf(edit);
    return existsSync(path) && (allowed.has(path) || isInside(realpathSync(cwd), realpathSync(path)));
  };
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === path;
}

type Chooser = 'first' | ((finding: Diagnostic, repairs: readonly Repair[]) => Promise<Repair | null>);

function toChooser({ ask, terminal }: CliContext, { fixAll, format }: ValidateFlags): Chooser | null {
  if (fixAll === true) return 'first';
  if (ask === null || format !== 'human') return null;
  return async (finding, repairs) => {
    const { renderDiagnostics } = await import('../../config/index.ts');
    const choices = repairs.map((repair, index) => `  ${index + 1}. ${maskControls(repair.title)}\n`);
    terminal.err(`${renderDiagnostics([finding], { color: isColoured(terminal.errStyle) })}\n\n${choices.join('')}`);
    const answer = await ask(`Repair it? ${repairs.length === 1 ? '1' : `1-${repairs.length}`}, or Enter to leave it: `);
    return repairs[Number.parseInt(answer, 10) - 1] ?? null;
  };
}

function printMade({ terminal }: CliContext, made: readonly MadeRepair[]): void {
  for (const { file, line, title } of made)
    terminal.out(`${terminal.style('good', 'fixed')} ${maskControls(`${file}:${line} ${title}`)}\n`);
  if (made.length > 0) terminal.out('\n');
}
