import { detectQualityCommand } from '../../../core/project/detect-quality-command.ts';
import type { QualityKind } from '../../../core/project/package-scripts.ts';
import { toDurationText } from '../../../core/text/duration.ts';
import { accept, type Result, refuse } from '../../../core/values/result.ts';
import { openProjectFolder } from '../../../process/open-project-folder.ts';
import type { CommandResult } from '../../../process/start-process.ts';
import type { ToolContext, ToolResult } from '../../tool/tool.ts';
import { cleanOutput } from '../../tool/tool-output.ts';
import { toProgramEnvironment } from '../program/program-environment.ts';
import { describeProgramEnd, hasSucceeded, runProgram } from '../program/run-program.ts';
import { parseTestCounts, type TestCounts } from './parse-test-counts.ts';

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
    },
    ...(stopped !== null && { report: { kind: 'write-stopped', line: stopped } }),
  };
}

function toFigures({ passed, failed, skipped, unit }: TestCounts): string {
  const what = unit === 'packages' ? ' packages' : '';
  return `${passed}${what} passed, ${failed}${what} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** What the kernel says of a write where the sandbox shows everything read-only. */
const READ_ONLY = /\bread-only file system\b|\bEROFS\b/i;
const MAX_LENGTH = 200;

/** The first line of an output that tells of a write which the sandbox stopped; `null` where there is none. */
export function findStoppedWrite(output: string): string | null {
  const line = output.split('\n').find((text) => READ_ONLY.test(text));
  return line === undefined ? null : line.trim().slice(0, MAX_LENGTH);
}

/** A check of the project, ready to be started. */
export interface QualityOrder {
  /** As a person would type it. */
  readonly shown: string;
  /** The words that are started without a shell; `null` for a line of the person's own that needs one. */
  readonly words: readonly string[] | null;
}

const ADVICE: Readonly<Record<QualityKind, string>> = {
  tests: 'Say in your result how the tests are run, or add a test script to the project.',
  lint: 'Go on without, or add a lint script to the project.',
  build: 'Go on without, or add a build script to the project.',
  typecheck: 'Go on without, or add a typecheck script to the project.',
};

/** The command of a check: the configured one, else what the files of the workspace tell. */
export function findQualityCommand(kind: QualityKind, { quality, jail }: Pick<ToolContext, 'quality' | 'jail'>): Result<QualityOrder> {
  const line = quality[kind] ?? detectQualityCommand(kind, openProjectFolder(jail.workspace))?.command;
  if (line === undefined) return refuse({ reason: `Nothing in the workspace tells how to do this (${kind}).`, advice: ADVICE[kind] });
  return accept(toOrder(line));
}

/** A line that means nothing to a shell is split at its blanks; any other goes to the shell as the person wrote it. */
export function toOrder(line: string): QualityOrder {
  const isPlain = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./ -]*$/.test(line) && !/^\w+=/.test(line);
  return { shown: line, words: isPlain ? line.split(/ +/).filter((word) => word !== '') : null };
}

/** The same command with more words behind it; `null` where that needs a shell. */
export function withWords(order: QualityOrder, words: readonly string[]): QualityOrder | null {
  if (order.words === null) return null;
  const shown = words.map((word) => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)));
  return { shown: [order.shown, ...shown].join(' '), words: [...order.words, ...words] };
}
