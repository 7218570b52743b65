import { UNKNOWN_USAGE } from '../backends/usage.ts';
import type { PanelAgent, PanelState } from './panel-state.ts';

/** A panel of so many agents, none of which has done anything yet. */
export function createPanel(agents: number): PanelState {
  const agent: PanelAgent = {
    status: 'waiting',
    round: 0,
    task: 'answer',
    seen: Array.from({ length: agents }, () => 0),
    offers: [],
    injected: 0,
    hasHeard: false,
    vote: null,
    acted: 'nothing',
    isVoteOnly: false,
    enforcements: 0,
    failures: 0,
    usage: UNKNOWN_USAGE,
  };
  return {
    numbers: [],
    agents: Array.from({ length: agents }, () => agent),
    answers: [],
    phase: 'new',
    home: '',
    isTimeUp: false,
    outcome: null,
    elected: null,
  };
}
