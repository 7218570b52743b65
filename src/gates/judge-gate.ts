import type { GateResult, GateSpec } from '../core/index.ts';
import { countFailedTests, countRunTests, toGateName } from '../core/index.ts';
import type { CommandResult } from '../process/index.ts';
import { type EvidenceFile, type EvidenceRecord, hashLog } from './evidence-store.ts';
import { explainGateEnd } from './explain-gate-end.ts';
import type { GateBench, GateCase } from './gate-bench.ts';
import { toScope, toScopeKey } from './gate-memory.ts';
import { hasPassed, runAttempts } from './run-attempts.ts';
import { toExcerpt } from './to-excerpt.ts';

/** How much of an output goes into the journal and into prompts. */
const keptBytes = 4 << 10;

/** The verdict of a gate that runs a command: remembered where nothing changed since, else by running it. Never rejects. */
export function judgeCommand(bench: GateBench, given: GateCase): Promise<GateResult> {
  const { spec } = given.order;
  const judge = async (): Promise<GateResult> => {
    if (given.signal.aborted) return toUnrun(given, spec.run, 'not run: the run was stopped');
    const command = findCommand(bench, spec);
    if (command === null) return toUnrun(given, spec.run, toUnknownCheckText(spec));
    const before = await toScope(await bench.look(given.look), spec);
    return recall(bench, given, command, before) ?? run(bench, given, command, before);
  };
  return bench.inTurn(spec.run, () => bench.slots.run(spec.serial === true, judge));
}

function findCommand({ settings }: GateBench, { check, run }: GateSpec): string | null {
  return check === undefined || run !== check ? run : (settings.findCheck?.(check) ?? null);
}

function toUnknownCheckText({ check = 'tests' }: GateSpec): string {
  return `The files of this folder do not say how its ${check === 'tests' ? 'tests are run' : `${check} is done`}; no command is known for it. Add it where it belongs (package.json scripts, Makefile, …), or name the command in the gate: run: COMMAND`;
}

/** A verdict that stands already: nothing under `only_if` changed since the run began, or the same files passed before. */
function recall(bench: GateBench, given: GateCase, command: string, tree: string | null): GateResult | undefined {
  const { spec } = given.order;
  if (tree === null) return undefined;
  const isUntouched = spec.onlyIf !== undefined && bench.settings.startScopes?.[toScopeKey(spec)] === tree;
  if (isUntouched) return { ...toUnrun(given, command, 'not run: no path of its only_if changed'), passed: true, skipped: true };
  const known = spec.cache === false ? undefined : bench.memory.recall(command, tree);
  if (known?.evidence === undefined) return undefined;
  // Another gate may have run the same command under another name.
  const { name: _, ...facts } = known;
  const named = spec.name === undefined ? {} : { name: spec.name };
  return { ...facts, ...named, gate: given.order.gate, evidence: { ...known.evidence, isCached: true } };
}

async function run(bench: GateBench, given: GateCase, command: string, treeBefore: string | null): Promise<GateResult> {
  const { order, signal, observe } = given;
  const file = bench.store?.open() ?? null;
  const startedAt = Date.now();
  const end = bench.begin();
  const onLine = (line: string): void => observe(order.gate, line);
  const results = await runAttempts(bench.settings, { command, spec: order.spec, file, signal, onLine });
  const isAlone = end();
  const tree = await toScope(await bench.look(given.look), order.spec);
  const verdict = toVerdict(order.spec, results[results.length - 1] ?? results[0]);
  const durationMs = Math.round(results.reduce((sum, entry) => sum + entry.durationMs, 0));
  const attempts = results.map(({ exitCode, stopReason, durationMs: ms }) => ({
    exitCode,
    timedOut: stopReason === 'timeout',
    durationMs: Math.round(ms),
  }));
  // Files that changed beside it may have been seen in part: such a verdict is about no state of them. What it changed itself it answers for.
  const isFresh = isAlone || treeBefore === tree;
  const result = toResult(bench, given, { command, verdict, file, startedAt, durationMs, attempts, treeBefore, tree, isFresh });
  if (result.passed && isFresh && tree !== null && !signal.aborted) bench.memory.keep(command, tree, result);
  return result;
}

/** What a command showed. */
export interface GateOutcome {
  readonly command: string;
  readonly verdict: Pick<GateResult, 'passed' | 'exitCode' | 'timedOut' | 'failedTests' | 'ranTests' | 'isOutputCut' | 'outputTail'> & {
    readonly isCut: boolean;
  };
  readonly file: EvidenceFile | null;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly attempts: EvidenceRecord['attempts'];
  readonly treeBefore: string | null;
  readonly tree: string | null;
  readonly isFresh: boolean;
}

function toVerdict(spec: GateSpec, last: CommandResult): GateOutcome['verdict'] {
  const passed = hasPassed(last);
  const remark = passed ? '' : explainGateEnd(last, spec.timeoutMs);
  const { text, isCut } = toExcerpt(last.output, last.isOutputCut, remark, keptBytes);
  const failedTests = passed ? null : countFailedTests(last.output, last.isOutputCut);
  const ranTests = countRunTests(last.output);
  const counted = {
    ...(failedTests !== null && { failedTests }),
    ...(ranTests !== null && { ranTests }),
    ...(last.isOutputCut && { isOutputCut: true as const }),
  };
  return { passed, exitCode: last.exitCode, timedOut: last.stopReason === 'timeout', ...counted, outputTail: text, isCut };
}

/** Writes the record of what was shown, and tells it as the loop wants it. */
export function toResult({ store }: GateBench, { order, signal }: GateCase, outcome: GateOutcome): GateResult {
  const { command, verdict, file, startedAt, durationMs, attempts, treeBefore, tree, isFresh } = outcome;
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
    },
  };
}

/** A gate of which nothing was run. */
export function toUnrun({ order }: GateCase, command: string, outputTail: string): GateResult {
  const { gate, spec } = order;
  const named = spec.name === undefined ? {} : { name: spec.name };
  return { gate, ...named, command, passed: false, exitCode: null, timedOut: false, durationMs: 0, outputTail };
}
