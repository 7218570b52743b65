import { RALPH, TOPIC_PANEL_CONFLICT } from '../../core/events/reserved.ts';
import type { PanelAgentSpec, PanelSpec } from '../../core/run/panel-spec.ts';
import type { HatSpec, PublishSpec } from '../../core/run/run-spec.ts';
import { MIN_PANEL_AGENTS, PANEL_KEYS } from '../keys/panel-keys.ts';
import type { ValuesOf } from '../keys/setting.ts';
import { toEffective } from '../keys/setting-values.ts';

type Voting = PanelSpec['voting'];

/** What a panel that is ready to vote asks of a further answer, and what one that is not. */
const NOVELTY_BY_VOTING: Readonly<Record<Voting, PanelSpec['novelty']>> = { lenient: 'off', balanced: 'balanced', strict: 'strict' };

/** Agents that answer and vote, as they are declared. */
export function listMembers<Agent extends { readonly id?: string }>({
  agents = [],
  synthesizer,
}: {
  readonly agents?: readonly Agent[];
  readonly synthesizer?: string;
}): readonly Agent[] {
  return agents.filter(({ id }) => synthesizer === undefined || id !== synthesizer);
}

/** What a panel publishes by itself, beside the event of its hat. */
export function toPanelEvents(declared: ValuesOf<typeof PANEL_KEYS> | undefined): readonly PublishSpec[] {
  if (declared === undefined || listMembers(declared).length < MIN_PANEL_AGENTS) return [];
  return [{ topic: TOPIC_PANEL_CONFLICT, target: declared.conflicts ?? RALPH }];
}

/** Compiles `hats.<id>.panel`, every default filled in; nothing for a hat without one, or for one that has too few agents. */
export function compilePanel(declared: ValuesOf<typeof PANEL_KEYS> | undefined): Pick<HatSpec, 'panel'> {
  const panel = toEffective(PANEL_KEYS, declared);
  const agents = panel.agents ?? [];
  if (listMembers(panel).length < MIN_PANEL_AGENTS) return {};
  const { synthesizer, tie, round_timeout: roundTimeoutMs, grace: graceMs } = panel;
  return {
    panel: {
      agents: [
        ...agents.map(({ id = '', instructions = '' }): PanelAgentSpec => {
          const agent = { id, instructions: instructions.trimEnd() };
          return id === synthesizer ? { ...agent, role: 'synthesizer' } : agent;
        }),
        ...(tie === 'ralph' ? [{ id: RALPH, instructions: '', role: 'ralph' as const }] : []),
      ],
      strategy: panel.strategy,
      ...(tie === 'first' ? {} : { tie }),
      ...(roundTimeoutMs === undefined ? {} : { roundTimeoutMs, graceMs }),
      maxAnswersPerAgent: panel.max_answers_per_agent,
      maxAnswersTotal: panel.max_answers_total ?? null,
      novelty: panel.novelty ?? NOVELTY_BY_VOTING[panel.voting],
      voting: panel.voting,
      injection: panel.injection,
      firstInjection: panel.first_injection,
      maxInjectionsPerRound: panel.max_injections,
      timeoutMs: panel.timeout,
      maxParallel: panel.max_parallel ?? agents.length,
      quorum: panel.quorum,
      minAgents: panel.min_agents,
      budgetUsd: panel.budget_usd ?? null,
    },
  };
}
