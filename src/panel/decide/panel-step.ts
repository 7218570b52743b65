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

/** The agents with their places. */
export function listAgents(state: PanelState): readonly (PanelAgent & { readonly place: number })[] {
  return state.agents.map((agent, place) => ({ ...agent, place }));
}
