import { type GateResult, isRequiredGate, mayStayRed, type StartTestsResult } from '../core/index.ts';
import type { GateOrder, GateRunner } from '../ports/index.ts';
import { createGateBench, type GateBench, type GateRequest, type GateRunnerSettings } from './gate-bench.ts';
import { toScope } from './gate-memory.ts';
import { judgeCommand } from './judge-gate.ts';
import { judgeProtected } from './judge-protected.ts';

/**
 * Runs gates with `/bin/sh`, some of them at once. A gate has passed when its shell ended by itself with 0 and within its time; whatever
 * it left running is ended. A gate that fails does not keep the others from running: the agent should hear of all at once. Only an abort
 * does, and then the rest count as failed. A gate that passed is not run again while the files that it is about are the same.
 */
export function createGateRunner(settings: GateRunnerSettings): GateRunner {
  const bench = createGateBench(settings);
  return {
    run: async (orders, signal, observe) => {
      const request: GateRequest = { signal, observe, look: { stirred: -1, state: null } };
      const commands = orders.filter(({ spec }) => spec.protect === undefined);
      const judged = await Promise.all(commands.map((order) => judgeCommand(bench, { ...request, order })));
      // Last, so that it also sees what a gate itself did to the protected files.
      const pinned: GateResult[] = [];
      for (const order of orders) if (order.spec.protect !== undefined) pinned.push(await judgeProtected(bench, { ...request, order }));
      const tried = await withStartTests(bench, request, orders, [...judged, ...pinned]);
      return withFreshness(bench, request, orders, tried);
    },
  };
}

/** Before the end, with what those that passed say of the tests of the start; not where the end is refused anyway. */
async function withStartTests(
  bench: GateBench,
  { signal, observe, look }: GateRequest,
  orders: readonly GateOrder[],
  judged: readonly GateResult[],
): Promise<readonly GateResult[]> {
  const { tryStartTests } = bench.settings;
  const required = orders.filter(({ spec }) => isRequiredGate(spec));
  const passed = new Set(judged.flatMap((result) => (result.passed ? [result.gate] : [])));
  if (tryStartTests === undefined || signal.aborted || required.some(({ gate, spec }) => !passed.has(gate) && !mayStayRed(spec)))
    return judged;
  const ran = new Set(judged.flatMap((result) => (result.passed && result.skipped !== true ? [result.gate] : [])));
  const due = required.filter(
    ({ gate, spec, isEnd }) => isEnd === true && ran.has(gate) && spec.protect === undefined && spec.mayChangeTests !== true,
  );
  if (due.length === 0) return judged;
  const now = await bench.look(look);
  if (now === null)
    return judged.map((result) => (due.some(({ gate }) => gate === result.gate) ? { ...result, startTests: UNSEEN } : result));
  // What it takes is time in which files may change.
  const end = bench.begin();
  const tried = await tryStartTests(
    due.map(({ gate }) => gate),
    now,
    { signal, observe },
  );
  end();
  return judged.map((result) => {
    const startTests = tried.get(result.gate);
    return startTests === undefined ? result : { ...result, startTests: withoutVoid(startTests, result) };
  });
}

/** At the start the files could be told apart: who takes that away must not gain by it. */
const UNSEEN: StartTestsResult = { outcome: 'unknown', changed: [], total: 0, outputTail: 'Git no longer tells which files there are.' };

/** A runner that finds no test in the copy has tried nothing, however well it ends. */
function withoutVoid(tried: StartTestsResult, { ranTests = 0 }: GateResult): StartTestsResult {
  const isVoid = tried.outcome === 'passed' && ranTests > 0 && (tried.ranTests ?? 0) === 0;
  return isVoid ? { ...tried, outcome: 'unknown', outputTail: 'In a copy of the folder it runs no tests.' } : tried;
}

/** In the order of the orders, and which of them are about files that are no longer the same. */
async function withFreshness(
  bench: GateBench,
  { signal, look }: GateRequest,
  orders: readonly GateOrder[],
  judged: readonly GateResult[],
): Promise<readonly GateResult[]> {
  const now = signal.aborted ? null : await bench.look(look);
  const results: GateResult[] = [];
  for (const { gate, spec } of orders) {
    const result = judged.find((entry) => entry.gate === gate);
    if (result === undefined) continue;
    const tree = result.evidence?.tree ?? null;
    const scope = tree === null ? null : await toScope(now, spec);
    const isStale = scope !== null && scope !== tree;
    results.push(result.evidence === undefined || !isStale ? result : { ...result, evidence: { ...result.evidence, isFresh: false } });
  }
  return results;
}
