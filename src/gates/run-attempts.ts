import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { GateSpec } from '../core/gates/gate-spec.ts';
import { quietly } from '../core/values/result.ts';
import { type CommandResult, runToEnd, toShellCommand } from '../process/start-process.ts';
import { type EvidenceFile, MAX_LOG_BYTES, rewriteLog } from './evidence-store.ts';
import type { CommandSandbox, CommandSettings } from './gate-contract.ts';
import { redactLines } from './redact-lines.ts';

/** The end of the output in which failing parts are looked for. */
const CAPTURED_BYTES = 512 << 10;
/** The longest line that is shown while a gate runs. */
const SHOWN_LINE_BYTES = 8 << 10;
const STOP_GRACE_MS = 2000;

/** One command line to run, until it passes or has had all its tries. */
export interface AttemptOrder {
  readonly command: string;
  readonly spec: GateSpec;
  readonly file: EvidenceFile | null;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

/** Runs a command as often as the gate may be tried. The results of all tries, at least one, the last of them the verdict. */
export async function runAttempts(settings: CommandSettings, order: AttemptOrder): Promise<readonly [CommandResult, ...CommandResult[]]> {
  const tries = 1 + Math.max(0, order.spec.retries ?? 0);
  const results: [CommandResult, ...CommandResult[]] = [await runOnce(settings, order)];
  while (results.length < tries && !hasPassed(results[results.length - 1]) && !order.signal.aborted) {
    announceTry(order, results.length + 1, tries);
    results.push(await runOnce(settings, order));
  }
  // A secret that lies over several lines, or several writes, is only found in the whole.
  if (order.file !== null) rewriteLog(order.file, (text) => redactOutput(settings, text));
  return results;
}

/** True for a command that ended by itself with 0. */
export function hasPassed(result: CommandResult | undefined): boolean {
  return result !== undefined && result.status === 'exited' && result.exitCode === 0 && result.stopReason === undefined;
}

function announceTry({ file, onLine }: AttemptOrder, number: number, tries: number): void {
  const line = `[try ${number} of ${tries}]`;
  onLine(line);
  // The output itself will say that it cannot be kept.
  if (file !== null) quietly(() => appendFileSync(file.logPath, `${line}\n`));
}

/** A marker of its own for each command: when what one of them left is ended, those beside it must go on. */
function toOwnMarker(marker: string): string {
  return `${marker}.${randomUUID()}`;
}

async function runOnce(settings: CommandSettings, order: AttemptOrder): Promise<CommandResult> {
  const sandbox = await settings.hold?.();
  try {
    return await runIn(sandbox, settings, order);
  } finally {
    sandbox?.close();
  }
}

async function runIn(
  sandbox: CommandSandbox | undefined,
  settings: CommandSettings,
  { command, spec, file, signal, onLine }: AttemptOrder,
): Promise<CommandResult> {
  const { cwd, marker, isolation, backpressure } = settings;
  const shell = toShellCommand(command);
  const plain = { path: shell.command, args: shell.args, env: toPlain(settings.env), cwd };
  const program = sandbox === undefined ? plain : sandbox.confine(plain);
  const lines = redactLines((text) => redactOutput(settings, text), onLine);
  const result = await runToEnd({
    command: program.path,
    args: program.args,
    cwd,
    env: program.env,
    ...(marker !== undefined && { marker: toOwnMarker(marker) }),
    isolation: spec.isolation === 'off' || sandbox !== undefined ? undefined : isolation,
    ...(file !== null && { stdoutPath: file.logPath, stderrPath: file.logPath, maxLogBytes: MAX_LOG_BYTES }),
    backpressure,
    abort: signal,
    timeoutMs: spec.timeoutMs,
    stopGraceMs: STOP_GRACE_MS,
    captureBytes: CAPTURED_BYTES,
    maxLineBytes: SHOWN_LINE_BYTES,
    onStdoutLine: lines.take,
    onStderrLine: lines.take,
  });
  lines.flush();
  return { ...result, output: redactOutput(settings, result.output) };
}

function toPlain(env: CommandSettings['env']): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** An output without secrets. Where there are none it stays as it is, with its colours. */
export function redactOutput({ redact }: { readonly redact?: (text: string) => string }, text: string): string {
  if (redact === undefined) return text;
  const plain = stripVTControlCharacters(text);
  const redacted = redact(plain);
  return redacted === plain ? text : redacted;
}
