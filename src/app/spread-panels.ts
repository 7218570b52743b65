import type { IterationStart } from '../core/run/effects.ts';
import { ROUND_PROTOCOL, TURN_PROTOCOL } from '../fleet/messages.ts';
import type { WorkerFacts } from '../ports/fleet.ts';
import type { RunFile } from '../runs/run-file.ts';
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
  return isServed || !has(toTurnLabels(settings, order), TURN_PROTOCOL);
}

/** What a worker must have for the round of an agent: its program, and what the hat asks for. */
export function toRoundLabels(
  settings: Declared,
  { order, agent }: { readonly order: IterationStart; readonly agent: number },
): readonly string[] {
  return toLabels(settings, order, [findSpec(settings, { hat: order.hat, backend: agent }).type]);
}

/** What a worker must have for a turn: the program of each agent that may take it, and what the hat asks for. */
export function toTurnLabels(settings: Declared, order: IterationStart): readonly string[] {
  const agents = order.panel === undefined ? [] : (settings.backends[order.hat] ?? []);
  return toLabels(
    settings,
    order,
    [findSpec(settings, order), ...agents].map(({ type }) => type),
  );
}

function toLabels({ runsOn }: Declared, { hat }: IterationStart, programs: readonly string[]): readonly string[] {
  return [...new Set([...programs, ...(runsOn?.[hat] ?? [])])].sort();
}
