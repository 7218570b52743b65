import type { PanelSpec } from '../../core/run/panel-spec.ts';
import type { Election, PanelAnswer, PanelState, ShownAnswer } from '../../core/run/panel-state.ts';

/** The newest answer of an agent. */
export function findAnswer(state: PanelState, agent: number): PanelAnswer | undefined {
  return state.answers.findLast((answer) => answer.agent === agent);
}

/** A revision of an answer. */
export function findRevision(state: PanelState, { agent, revision }: ShownAnswer): PanelAnswer | undefined {
  return state.answers.find((answer) => answer.agent === agent && answer.revision === revision);
}

/**
 * The answer of each agent that others know, in the order in which the agents first answered: the newest; where gates judge, the newest that passed, else the
 * newest that failed.
 */
export function listNewest(state: PanelState): readonly PanelAnswer[] {
  // One pass: this is asked several times for each agent in each decision.
  const newest = new Map<number, PanelAnswer | null>();
  for (const answer of state.answers) {
    const known = newest.get(answer.agent) ?? null;
    const isKept =
      answer.check?.verdict === 'pending' || (answer.check?.verdict === 'failed' && known !== null && known.check?.verdict !== 'failed');
    newest.set(answer.agent, isKept ? known : answer);
  }
  return [...newest.values()].filter((answer) => answer !== null);
}

/** True while gates judge an answer: of one agent, or of any. */
export function isJudging(state: PanelState, agent?: number): boolean {
  return (
    !state.isTimeUp &&
    state.answers.some((answer) => answer.check?.verdict === 'pending' && (agent === undefined || answer.agent === agent))
  );
}

/** What can be voted for: all that others know; where gates judge, what passed, if anything did. */
export function listEligible(state: PanelState): readonly PanelAnswer[] {
  const known = listNewest(state);
  const passed = known.filter(({ check }) => check?.verdict !== 'failed');
  return passed.length === 0 ? known : passed;
}

/** Newest answers of others that an agent was not told of. */
export function listUnseen(state: PanelState, agent: number): readonly ShownAnswer[] {
  const seen = state.agents[agent]?.seen ?? [];
  return listNewest(state)
    .filter((answer) => answer.agent !== agent && answer.revision > (seen[answer.agent] ?? 0))
    .map(({ agent: source, revision }) => ({ agent: source, revision }));
}

/** Whether an agent may hand in one more answer. */
export function mayAnswer(spec: PanelSpec, state: PanelState, agent: number): boolean {
  if (spec.agents[agent]?.role !== undefined) return false;
  const own = state.answers.filter((answer) => answer.agent === agent).length;
  if (state.agents[agent]?.isVoteOnly === true || state.isTimeUp) return false;
  return own < spec.maxAnswersPerAgent && (spec.maxAnswersTotal === null || state.answers.length < spec.maxAnswersTotal);
}

/** The name of an agent as others read it. */
export function toNumberName(state: PanelState, agent: number): string {
  return `agent${state.numbers[agent] ?? 0}`;
}

/** Agents that can be voted for, as they are named, in the order of their numbers. */
export function listCandidates(state: PanelState): readonly string[] {
  return listEligible(state)
    .map(({ agent }) => state.numbers[agent] ?? 0)
    .sort((one, other) => one - other)
    .map((number) => `agent${number}`);
}

/** The place of the agent that a name means; `null` where it has no answer that can be voted for, or is no such name. */
export function findCandidate(state: PanelState, name: string): number | null {
  const number = /^agent([1-9]\d{0,5})$/.exec(name.trim().toLowerCase())?.[1];
  const agent = number === undefined ? -1 : state.numbers.indexOf(Number(number));
  return listEligible(state).some((answer) => answer.agent === agent) ? agent : null;
}

/** Shares of common words from which two answers are too near; of MassGen. */
const LIMITS = { off: null, balanced: 0.7, strict: 0.5 } as const;

/** The answer that a further one hardly differs from: the share of their words that both have is above 0.7 (`balanced`) or 0.5 (`strict`). */
export function findTooNear(spec: PanelSpec, state: PanelState, content: string): PanelAnswer | null {
  const limit = LIMITS[spec.novelty];
  if (limit === null) return null;
  const words = toWords(content);
  return listNewest(state).find((answer) => shareOf(words, toWords(answer.content)) > limit) ?? null;
}

function toWords(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0;
  for (const word of one) if (other.has(word)) common += 1;
  const all = one.size + other.size - common;
  return all === 0 ? 1 : common / all;
}

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
