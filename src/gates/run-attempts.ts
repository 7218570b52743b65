import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { GateSpec } from '../core/index.ts';
import type { Backpressure, Isolation, Program } from '../ports/index.ts';
import { type CommandResult, runCommand, toShellLine } from '../process/index.ts';
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
  /** Puts the sandbox of the operating system around one command; absent: none. Does not reject: where that cannot be done, what it gives says so and fails. */
  readonly hold?: () => Promise<HeldCommand>;
  /** Takes secrets out of what a gate shows, before anybody hears of it; absent: nothing is taken out. */
  readonly redact?: (text: string) => string;
  /** Whether whoever is shown what a gate prints is behind; absent: never. */
  readonly backpressure?: Backpressure;
}

/** What is held by the operating system. */
export interface HeldCommand {
  readonly confine: (program: Program) => Program;
  /** Takes back what was made for it. */
  readonly close: () => void;
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

/** A marker of its own for each command: whoever ends what one of them left must not end those beside it. */
function toOwnMarker(marker: string): string {
  return `${marker}.${randomUUID()}`;
}

async function runOnce(ground: CommandGround, order: AttemptOrder): Promise<CommandResult> {
  const held = await ground.hold?.();
  try {
    return await runHeld(ground, order, held);
  } finally {
    held?.close();
  }
}

async function runHeld(
  ground: CommandGround,
  { command, spec, file, signal, onLine }: AttemptOrder,
  held: HeldCommand | undefined,
): Promise<CommandResult> {
  const { cwd, marker, isolation, backpressure } = ground;
  const shell = toShellLine(command);
  const plain = { path: shell.command, args: shell.args, env: toPlain(ground.env), cwd };
  const program = held === undefined ? plain : held.confine(plain);
  const tell = (line: string): void => onLine(redactOutput(ground, line));
  const result = await runCommand({
    command: program.path,
    args: program.args,
    cwd,
    env: program.env,
    ...(marker !== undefined && { marker: toOwnMarker(marker) }),
    isolation: spec.isolation === 'off' || held !== undefined ? undefined : isolation,
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

function toPlain(env: CommandGround['env']): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
