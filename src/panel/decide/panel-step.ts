import type { PanelSpec } from '../../core/run/panel-spec.ts';
import type { PanelAgent, PanelOrder, PanelState } from '../../core/run/panel-state.ts';

/** One decision under way. */
export interface PanelStep {
  readonly spec: PanelSpec;
  state: PanelState;
  readonly orders: PanelOrder[];
}

/** Replaces parts of the state. */
export function change(step: PanelStep, patch: Partial<PanelState>): void {
  step.state = { ...step.state, ...patch };
}

/** Replaces parts of one agent. */
export function changeAgent(step: PanelStep, agent: number, patch: Partial<PanelAgent>): void {
  change(step, { agents: step.state.agents.map((known, place) => (place === agent ? { ...known, ...patch } : known)) });
}

/** An agent with its place. */
export type PlacedAgent = PanelAgent & { readonly place: number };

/**
 * The agents with their places: to copy them costs more than the rest of a decision, so ask for no more than are needed.
 *
 * @param status of those alone that stand there
 */
export function listAgents(state: PanelState, status?: PanelAgent['status']): readonly PlacedAgent[] {
  return state.agents.flatMap((agent, place) => (status === undefined || agent.status === status ? [{ ...agent, place }] : []));
}
