import type { GateResult } from '../core/index.ts';
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
      return withFreshness(bench, request, orders, [...judged, ...pinned]);
    },
  };
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
