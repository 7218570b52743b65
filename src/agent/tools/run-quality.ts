import { toDurationText } from '../../core/index.ts';
import type { CommandResult } from '../../process/index.ts';
import type { ToolResult } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { cleanOutput } from './clean-output.ts';
import { describeProgramEnd, hasSucceeded } from './describe-program-end.ts';
import { findStoppedWrite } from './find-stopped-write.ts';
import { parseTestCounts, type TestCounts } from './parse-test-counts.ts';
import { toProgramEnvironment } from './program-environment.ts';
import type { QualityOrder } from './quality-commands.ts';
import { runProgram } from './run-program.ts';

/** Longest and usual time of a check, in seconds. */
export const QUALITY_SECONDS = { usual: 600, most: 3600 };

/**
 * Runs a check of the project and tells how it ended: the end of its output, then one line with the exit code and, for tests, the figures.
 * Hooks and scripts of the project run with it; that is what they are for.
 *
 * @param kind `tests`: figures are looked for in the output
 */
export async function runQuality(
  order: QualityOrder,
  kind: 'tests' | 'other',
  timeoutSeconds: number,
  context: ToolContext,
): Promise<ToolResult> {
  const [command = '', ...args] = order.words ?? ['/bin/sh', '-c', '--', order.shown];
  // CI keeps runners from waiting for a key press or from watching files.
  const env = { CI: 'true', ...toProgramEnvironment(context) };
  const timeoutMs = timeoutSeconds * 1000;
  const result = await runProgram({ command, args, cwd: context.jail.workspace, env, timeoutMs, isCheck: true }, context);
  return toResult(order, result, timeoutMs, {
    counts: kind === 'tests' ? parseTestCounts(result.output) : null,
    stopped: context.confine === undefined ? null : findStoppedWrite(cleanOutput(result.output)),
    hint: context.mayWrite ? '' : context.view === undefined ? SCOPE_HINT : VIEW_HINT,
  });
}

interface Findings {
  readonly counts: TestCounts | null;
  /** What the sandbox stopped. */
  readonly stopped: string | null;
  readonly hint: string;
}

/** For a hat that may not write: a failure of its scope must not be taken for one of the work. */
const SCOPE_HINT =
  '\n[Your scope stopped a write: checks write in .agent/ and in folders of builds, tests and caches only. That need not be a fault of the work.]';

const VIEW_HINT =
  '\n[Your scope stopped a write: checks write in the workspace, which is a view that is thrown away, and nowhere else. That need not be a fault of the work.]';

function toResult(order: QualityOrder, result: CommandResult, timeoutMs: number, { counts, stopped, hint }: Findings): ToolResult {
  const output = cleanOutput(result.output).trim();
  const took = toDurationText(result.durationMs);
  const figures = counts === null ? '' : `; ${toFigures(counts)}`;
  return {
    text: `${output === '' ? '(no output)' : output}\n[${order.shown}: ${describeProgramEnd(result, timeoutMs)}, ${took}${figures}]${stopped === null || hasSucceeded(result) ? '' : hint}`,
    isError: !hasSucceeded(result),
    keep: 'tail',
    facts: {
      command: order.shown,
      exitCode: result.exitCode,
      durationMs: Math.round(result.durationMs),
      ...(counts !== null && { passed: counts.passed, failed: counts.failed, skipped: counts.skipped }),
      ...(stopped !== null && { stopped }),
    },
  };
}

function toFigures({ passed, failed, skipped, unit }: TestCounts): string {
  const what = unit === 'packages' ? ' packages' : '';
  return `${passed}${what} passed, ${failed}${what} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
