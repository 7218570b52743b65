import type { PanelSpec } from '../../core/run/panel-spec.ts';
import type { PanelAgent, PanelOrder, PanelState } from '../../core/run/panel-state.ts';
import { createPanel } from '../../core/run/panel-state.ts';

/** One decision under way. */
export interface PanelStep {
  readonly spec: PanelSpec;
  state: PanelState;
  readonly orders: PanelOrder[];
}

/** Replaces parts of the state. */
export function changePanel(step: PanelStep, patch: Partial<PanelState>): void {
  step.state = { ...step.state, ...patch };
}

/** Replaces parts of one agent. */
export function changeAgent(step: PanelStep, agent: number, patch: Partial<PanelAgent>): void {
  changePanel(step, { agents: step.state.agents.map((known, place) => (place === agent ? { ...known, ...patch } : known)) });
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

/**
 * The panel of a turn that begins.
 *
 * @param kept that of the turn that it takes up; absent: it takes up none
 */
export function openPanel(spec: PanelSpec, kept?: PanelState): PanelState {
  return (kept === undefined ? null : reopenPanel(spec, kept)) ?? createPanel(spec.agents.length);
}

/**
 * The panel of a turn that was interrupted, for the turn that takes it up: what was handed in stays, and who was at work begins again.
 * One that was over comes to the same end again. `null`: its agents are others now.
 */
export function reopenPanel(spec: PanelSpec, state: PanelState): PanelState | null {
  if (state.agents.length !== spec.agents.length) return null;
  // By place, so that nobody has the answers of another.
  if (state.ids?.some((id, place) => id !== spec.agents[place]?.id) === true) return null;
  return {
    ...state,
    phase: 'new',
    outcome: state.outcome?.kind === 'won' ? state.outcome : null,
    agents: state.agents.map((agent) => ({
      ...agent,
      status: agent.status !== 'working' && agent.status !== 'ending' ? agent.status : state.elected === null ? 'waiting' : 'done',
      offers: [],
    })),
  };
}
