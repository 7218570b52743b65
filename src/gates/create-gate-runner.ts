import type { GateResult } from '../core/index.ts';
import type { GateOrder, GateRunner } from '../ports/index.ts';
import { type CommandResult, runShellLine } from '../process/index.ts';
import { explainGateEnd } from './explain-gate-end.ts';
import { toTail } from './to-tail.ts';

/** Colours and the like are taken out of the output, so more is read than is kept. */
const capturedBytes = 16 << 10;
const keptBytes = 4 << 10;
/** The longest line that is shown while a gate runs. */
const shownLineBytes = 8 << 10;
const stopGraceMs = 2000;

export interface GateRunnerSettings {
  /** Where the gates run: the workspace. */
  readonly cwd: string;
  /** Their complete environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Token by which a gate's processes can be found again, without white space. */
  readonly marker?: string;
}

/**
 * Runs gates one after the other with `/bin/sh`. A gate has passed when its shell ended by itself with 0 and within its time; whatever
 * it left running is ended. A gate that fails does not keep the next from running: the agent should hear of all at once. Only an abort
 * does, and then the rest count as failed.
 */
export function createGateRunner(settings: GateRunnerSettings): GateRunner {
  return {
    async run(orders, signal, observe) {
      const results: GateResult[] = [];
      for (const order of orders) results.push(signal.aborted ? toSkipped(order) : await runGate(settings, order, signal, observe));
      return results;
    },
  };
}

async function runGate(
  settings: GateRunnerSettings,
  order: GateOrder,
  signal: AbortSignal,
  observe: (gate: number, line: string) => void,
): Promise<GateResult> {
  const onLine = (line: string): void => observe(order.gate, line);
  const result = await runShellLine(order.spec.run, {
    cwd: settings.cwd,
    env: settings.env,
    ...(settings.marker !== undefined && { marker: settings.marker }),
    abort: signal,
    timeoutMs: order.spec.timeoutMs,
    stopGraceMs,
    captureBytes: capturedBytes,
    maxLineBytes: shownLineBytes,
    onStdoutLine: onLine,
    onStderrLine: onLine,
  });
  return toGateResult(order, result);
}

function toGateResult(order: GateOrder, result: CommandResult): GateResult {
  const passed = result.status === 'exited' && result.exitCode === 0 && result.stopReason === undefined;
  return {
    gate: order.gate,
    command: order.spec.run,
    passed,
    exitCode: result.exitCode,
    timedOut: result.stopReason === 'timeout',
    durationMs: Math.round(result.durationMs),
    outputTail: toTail(result.output, result.isOutputCut, passed ? '' : explainGateEnd(result, order.spec.timeoutMs), keptBytes),
  };
}

function toSkipped(order: GateOrder): GateResult {
  return {
    gate: order.gate,
    command: order.spec.run,
    passed: false,
    exitCode: null,
    timedOut: false,
    durationMs: 0,
    outputTail: 'not run: the run was stopped',
  };
}
