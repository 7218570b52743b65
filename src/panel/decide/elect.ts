import type { PanelSpec } from '../../core/run/panel-spec.ts';
import type { Election, PanelState } from '../../core/run/panel-state.ts';
import { listNewest } from './answers.ts';

/** Whose answer is the panel's; `null` where there are fewer answers than it needs. */
export function elect(spec: PanelSpec, state: PanelState): Election | null {
  const candidates = listNewest(state);
  const [first] = candidates;
  if (first === undefined || candidates.length < spec.minAgents) return null;
  const toElection = (agent: number, how: Election['how']): Election => {
    const revision = candidates.find((answer) => answer.agent === agent)?.revision ?? first.revision;
    return { winner: { agent, revision }, how };
  };
  if (candidates.length === 1) return toElection(first.agent, 'only');
  const votes = countVotes(state);
  const total = [...votes.values()].reduce((sum, count) => sum + count, 0);
  if (total < spec.quorum) return toElection(first.agent, 'first');
  const most = Math.max(...votes.values());
  // In the order of the file.
  const best = candidates
    .map(({ agent }) => agent)
    .filter((agent) => votes.get(agent) === most)
    .sort((one, other) => one - other);
  return toElection(best[0] ?? first.agent, best.length > 1 ? 'tie' : 'votes');
}

/** Valid votes by the place of the agent that they are for. */
export function countVotes(state: PanelState): ReadonlyMap<number, number> {
  const votes = new Map<number, number>();
  for (const { vote } of state.agents) if (vote !== null) votes.set(vote.target, (votes.get(vote.target) ?? 0) + 1);
  return votes;
}
