import { appendFileSync } from 'node:fs';
import type { GateSpec } from '../core/index.ts';
import type { Backpressure, Isolation } from '../ports/index.ts';
import { type CommandResult, runShellLine } from '../process/index.ts';
import { type EvidenceFile, MAX_LOG_BYTES, rewriteLog } from './evidence-store.ts';
import { redactOutput } from './redact-output.ts';

/** Of so much output the failing parts are looked for. */
const capturedBytes = 512 << 10;
/** The longest line that is shown while a gate runs. */
const shownLineBytes = 8 << 10;
const stopGraceMs = 2000;

/** Where and with what commands run. */
export interface CommandGround {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Beginning of the tokens by which gates' processes can be found again, without white space. */
  readonly marker?: string;
  /** The namespaces that the command of a gate gets, unless the gate refuses them; absent: none. */
  readonly isolation?: Isolation;
  /** Takes secrets out of what a gate shows, before anybody hears of it; absent: nothing is taken out. */
  readonly redact?: (text: string) => string;
  /** Whether whoever is shown what a gate prints is behind; absent: never. */
  readonly backpressure?: Backpressure;
}

/** One command line to run, until it passes or has had all its tries. */
export interface AttemptOrder {
  readonly command: string;
  readonly spec: GateSpec;
  readonly file: EvidenceFile | null;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

/** Runs a command as often as the gate may be tried. The results of all tries, at least one, the last of them the verdict. */
export async function runAttempts(ground: CommandGround, order: AttemptOrder): Promise<readonly [CommandResult, ...CommandResult[]]> {
  const tries = 1 + Math.max(0, order.spec.retries ?? 0);
  const results: [CommandResult, ...CommandResult[]] = [await runOnce(ground, order)];
  while (results.length < tries && !hasPassed(results[results.length - 1]) && !order.signal.aborted) {
    announceTry(order, results.length + 1, tries);
    results.push(await runOnce(ground, order));
  }
  // What lies over several lines, or several writes, is only found in the whole.
  if (order.file !== null) rewriteLog(order.file, (text) => redactOutput(ground, text));
  return results;
}

/** True for a command that ended by itself with 0. */
export function hasPassed(result: CommandResult | undefined): boolean {
  return result !== undefined && result.status === 'exited' && result.exitCode === 0 && result.stopReason === undefined;
}

function announceTry({ file, onLine }: AttemptOrder, number: number, tries: number): void {
  const line = `[try ${number} of ${tries}]`;
  onLine(line);
  try {
    if (file !== null) appendFileSync(file.logPath, `${line}\n`);
  } catch {
    // The output itself will say that it cannot be kept.
  }
}

/** Commands started so far, over all gates of this process. */
let started = 0;

/** A marker of its own for each command: whoever ends what one of them left must not end those beside it. */
function toOwnMarker(marker: string): string {
  started += 1;
  return `${marker}.${started}`;
}

async function runOnce(ground: CommandGround, { command, spec, file, signal, onLine }: AttemptOrder): Promise<CommandResult> {
  const { cwd, env, marker, isolation, backpressure } = ground;
  const tell = (line: string): void => onLine(redactOutput(ground, line));
  const result = await runShellLine(command, {
    cwd,
    env,
    ...(marker !== undefined && { marker: toOwnMarker(marker) }),
    isolation: spec.isolation === 'off' ? undefined : isolation,
    ...(file !== null && { stdoutPath: file.logPath, stderrPath: file.logPath, maxLogBytes: MAX_LOG_BYTES }),
    backpressure,
    abort: signal,
    timeoutMs: spec.timeoutMs,
    stopGraceMs,
    captureBytes: capturedBytes,
    maxLineBytes: shownLineBytes,
    onStdoutLine: tell,
    onStderrLine: tell,
  });
  return { ...result, output: redactOutput(ground, result.output) };
}
