import type { PanelSpec } from '../../core/run/panel-spec.ts';
import type { HatSpec } from '../../core/run/run-spec.ts';
import { MIN_PANEL_AGENTS, PANEL_KEYS } from '../keys/panel-keys.ts';
import type { ValuesOf } from '../keys/setting.ts';
import { toEffective } from '../keys/setting-values.ts';

type Voting = PanelSpec['voting'];

/** What a panel that is ready to vote asks of a further answer, and what one that is not. */
const NOVELTY_BY_VOTING: Readonly<Record<Voting, PanelSpec['novelty']>> = { lenient: 'off', balanced: 'balanced', strict: 'strict' };

/** Compiles `hats.<id>.panel`, every default filled in; nothing for a hat without one, or for one that has too few agents. */
export function compilePanel(declared: ValuesOf<typeof PANEL_KEYS> | undefined): Pick<HatSpec, 'panel'> {
  const panel = toEffective(PANEL_KEYS, declared);
  const agents = panel.agents ?? [];
  if (agents.length < MIN_PANEL_AGENTS) return {};
  return {
    panel: {
      agents: agents.map(({ id = '', instructions = '' }) => ({ id, instructions: instructions.trimEnd() })),
      strategy: panel.strategy,
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
