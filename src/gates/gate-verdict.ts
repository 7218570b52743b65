import { countFailedTests, countRunTests } from '../core/gates/count-run-tests.ts';
import type { GateResult } from '../core/gates/gate-result.ts';
import { type GateSpec, toGateName } from '../core/gates/gate-spec.ts';
import { toDurationText } from '../core/text/duration.ts';
import type { CommandResult } from '../process/start-process.ts';
import { type EvidenceFile, type EvidenceRecord, type EvidenceStore, hashLog } from './evidence-store.ts';
import type { GateCase } from './gate-contract.ts';
import { toExcerpt } from './to-excerpt.ts';

/** How much of an output goes into the journal and into prompts. */
export const KEPT_BYTES = 4 << 10;
/** What POSIX shells answer when they cannot run a command: sh(1), "Exit Status". */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

export interface GateOutcome
  extends Pick<EvidenceRecord, 'command' | 'startedAt' | 'durationMs' | 'attempts' | 'treeBefore' | 'tree' | 'worker'> {
  readonly verdict: Pick<GateResult, 'passed' | 'exitCode' | 'timedOut' | 'failedTests' | 'ranTests' | 'isOutputCut' | 'outputTail'> & {
    readonly isCut: boolean;
  };
  readonly file: EvidenceFile | null;
  readonly isFresh: boolean;
}

export function toCommandVerdict(spec: GateSpec, last: CommandResult, passed: boolean): GateOutcome['verdict'] {
  const remark = passed ? '' : explainGateEnd(last, spec.timeoutMs);
  const { text, isCut } = toExcerpt(last.output, last.isOutputCut, remark, KEPT_BYTES);
  const failedTests = passed ? null : countFailedTests(last.output, last.isOutputCut);
  const ranTests = countRunTests(last.output);
  const counted = {
    ...(failedTests !== null && { failedTests }),
    ...(ranTests !== null && { ranTests }),
    ...(last.isOutputCut && { isOutputCut: true as const }),
  };
  return { passed, exitCode: last.exitCode, timedOut: last.stopReason === 'timeout', ...counted, outputTail: text, isCut };
}

type GateEnd = Pick<CommandResult, 'status' | 'exitCode' | 'signal' | 'stopReason' | 'error' | 'logError'>;

/** What the output of a gate does not say about its end, in one line; empty when the exit code says all. */
function explainGateEnd(end: GateEnd, timeoutMs: number): string {
  if (end.logError !== undefined) return `ended because its output could not be kept: ${end.logError.message}`;
  if (end.status === 'spawn-error') return `the gate could not be started: ${end.error?.message ?? 'no reason given'}`;
  if (end.stopReason === 'timeout') return `ended because it took longer than ${toDurationText(timeoutMs)}`;
  if (end.stopReason !== undefined) return 'ended because the run was stopped';
  if (end.status === 'signaled') return `ended by ${end.signal}`;
  if (end.exitCode === NOT_FOUND) return 'exit code 127: a command was not found; check its spelling and the PATH';
  if (end.exitCode === NOT_EXECUTABLE) return 'exit code 126: a file was found but may not be executed (chmod +x)';
  return '';
}

/** Writes the record of what was shown, and tells it as the loop wants it. */
export function toResult(store: EvidenceStore | null, { order, signal }: GateCase, outcome: GateOutcome): GateResult {
  const { command, verdict, file, startedAt, durationMs, attempts, treeBefore, tree, isFresh, worker } = outcome;
  const where = worker === undefined ? {} : { worker };
  const { isCut, ...shown } = verdict;
  const { outputHash, outputBytes } = hashLog(file, shown.outputTail);
  const { outputTail: _, ...facts } = shown;
  const record = {
    command,
    startedAt,
    durationMs,
    ...facts,
    treeBefore,
    tree,
    treeChanged: treeBefore !== tree,
    outputHash,
    outputBytes,
    attempts,
  };
  const isWritten =
    file !== null &&
    !signal.aborted &&
    store?.write(file, {
      v: 1,
      number: file.number,
      gate: order.gate,
      name: toGateName(order.spec),
      ...record,
      output: `${file.number}.log`,
      ...where,
    });
  return {
    gate: order.gate,
    ...(order.spec.name !== undefined && { name: order.spec.name }),
    command,
    ...facts,
    durationMs,
    outputTail: shown.outputTail,
    evidence: {
      number: isWritten === true && file !== null ? file.number : null,
      treeBefore,
      tree,
      isFresh,
      isCached: false,
      attempts: Math.max(1, attempts.length),
      outputHash,
      log: file?.log ?? null,
      isCut,
      ...where,
    },
  };
}

/** A gate of which nothing was run. */
export function toUnrun({ order }: GateCase, command: string, outputTail: string): GateResult {
  const { gate, spec } = order;
  const named = spec.name === undefined ? {} : { name: spec.name };
  return { gate, ...named, command, passed: false, exitCode: null, timedOut: false, durationMs: 0, outputTail };
}
