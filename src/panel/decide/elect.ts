import type { PanelSpec } from '../../core/run/panel-spec.ts';
import type { Election, PanelState } from '../../core/run/panel-state.ts';
import { listEligible, listNewest } from './answers.ts';

/** Whose answer is the panel's; `null` where there are fewer answers than it needs. */
export function elect(spec: PanelSpec, state: PanelState): Election | null {
  const candidates = listEligible(state);
  const answered = listNewest(state).length;
  const [first] = candidates;
  if (first === undefined || answered < spec.minAgents) return null;
  const toElection = (agent: number, how: Election['how']): Election => {
    const revision = candidates.find((answer) => answer.agent === agent)?.revision ?? first.revision;
    return { winner: { agent, revision }, how };
  };
  if (candidates.length === 1) return toElection(first.agent, answered === 1 ? 'only' : 'gates');
  const best = listBest(spec, state);
  if (best.length === 0) return toElection(first.agent, 'first');
  const chosen = state.agents[findRole(spec, 'ralph')]?.vote?.target;
  if (best.length > 1 && chosen !== undefined && best.includes(chosen)) return toElection(chosen, 'ralph');
  return toElection(best[0] ?? first.agent, best.length > 1 ? 'tie' : 'votes');
}

/** The agents whose answers have the most votes, in the order of the file; none where there are fewer votes than the quorum. */
export function listBest(spec: PanelSpec, state: PanelState): readonly number[] {
  const candidates = listEligible(state).map(({ agent }) => agent);
  const votes = countVotes(spec, state);
  const counts = candidates.map((agent) => votes.get(agent) ?? 0);
  if (counts.reduce((sum, count) => sum + count, 0) < spec.quorum) return [];
  const most = Math.max(...counts);
  return candidates.filter((_, index) => counts[index] === most).sort((one, other) => one - other);
}

/** Valid votes by the place of the agent that they are for; what decides a tie is none. */
export function countVotes(spec: PanelSpec, state: PanelState): ReadonlyMap<number, number> {
  const votes = new Map<number, number>();
  for (const [place, { vote }] of state.agents.entries())
    if (vote !== null && spec.agents[place]?.role === undefined) votes.set(vote.target, (votes.get(vote.target) ?? 0) + 1);
  return votes;
}

/** The place of the agent with a role; -1 where none has it. */
export function findRole(spec: PanelSpec, role: 'ralph' | 'synthesizer'): number {
  return spec.agents.findIndex((agent) => agent.role === role);
}
