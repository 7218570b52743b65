import { addUsage, type BackendEvent, type IterationStart, type Usage } from '../../core/index.ts';
import type { LoopPorts } from './loop-ports.ts';
import type { LoopView } from './loop-view.ts';

/** What shows that an agent works on after it has told its usage. */
const GOES_ON: ReadonlySet<BackendEvent['type']> = new Set(['text', 'thinking', 'tool-start', 'tool-end', 'retry']);

/**
 * Watches what a running turn costs, by the `usage` events of its backend (totals of the turn so far): any backend takes part by telling them as it
 * goes, the native agent after each of its steps. Where an agent tells tokens only, the price table makes money of them. Once nothing is left of the
 * run's limit and the agent goes on, the loop is told, once: a turn whose last word told the cost is over by itself.
 */
export function createCostGuard(ports: LoopPorts, loop: LoopView, order: IterationStart): (event: BackendEvent) => void {
  const { iteration, attempt } = order;
  let model: string | null = null;
  let reached: Usage | null = null;
  let isTold = false;

  return (event) => {
    if (event.type === 'session') model = event.model ?? model;
    if (isTold) return;
    if (reached !== null && GOES_ON.has(event.type)) {
      isTold = true;
      loop.post({ type: 'usage-reported', at: ports.clock.now(), iteration, attempt, usage: reached });
      return;
    }
    const { maxCostUsd } = loop.state().limits;
    if (event.type !== 'usage' || maxCostUsd === null) return;
    const costUsd = event.usage.costUsd ?? ports.wardrobe.priceOf(order, event.usage, model);
    const usage = { ...event.usage, costUsd };
    const total = addUsage(loop.state().usage, usage).costUsd;
    reached = costUsd !== null && total !== null && total >= maxCostUsd ? usage : null;
  };
}
