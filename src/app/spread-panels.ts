import type { IterationStart } from '../core/run/effects.ts';
import { ROUND_PROTOCOL, TURN_PROTOCOL } from '../fleet/messages.ts';
import type { WorkerFacts } from '../ports/fleet.ts';
import type { RunFile } from '../runs/run-file.ts';
import { toTurnLabels } from '../runs/turn-labels.ts';
import { findSpec } from '../turns/hat-facts.ts';

/** What is known of the hat whose turn it is. */
type Declared = Pick<RunFile['settings'], 'backends' | 'runsOn'>;

/**
 * Whether the agents of a panel are offered one by one. Not where only workers of older versions are there for one of them, and one of these can take the whole panel.
 */
export function canSpread(there: readonly WorkerFacts[], settings: Declared, order: IterationStart): boolean {
  const has = (labels: readonly string[], protocol: number): boolean =>
    there.some((worker) => worker.protocol >= protocol && labels.every((label) => worker.labels.includes(label)));
  const agents = settings.backends[order.hat] ?? [];
  const isServed = agents.every((_, agent) => has(toRoundLabels(settings, { order, agent }), ROUND_PROTOCOL));
  return isServed || !has(toOrderLabels(settings, order), TURN_PROTOCOL);
}

/** What a worker must have for the round of an agent: its program, and what the hat asks for. */
export function toRoundLabels(
  settings: Declared,
  { order: { hat }, agent }: { readonly order: IterationStart; readonly agent: number },
): readonly string[] {
  return toTurnLabels(settings, { hat, spec: findSpec(settings, { hat, backend: agent }), isPanel: false });
}

/** What a worker must have for a turn: the program of each agent that may take it, and what the hat asks for. */
export function toOrderLabels(settings: Declared, order: IterationStart): readonly string[] {
  return toTurnLabels(settings, { hat: order.hat, spec: findSpec(settings, order), isPanel: order.panel !== undefined });
}
