import type { PanelView } from '../../views/fold/panel-view.ts';
import { toAgentName, toPanelOutcomeText, toPanelSteps, toVoteLines } from '../../views/report/panel-text.ts';
import { cutText, toFirstLine } from '../../views/text/plain-text.ts';
import { MAX_WIDTH, type Terminal } from '../terminal/terminal.ts';

/** What a person reads of one move of a panel, and of what followed from it: a line for each thing, with the agent that it is about in front. */
export function toPanelLines(panel: PanelView | null, seq: number, look: Pick<Terminal, 'style' | 'columns'>): readonly string[] {
  if (panel === null) return [];
  const width = toLaneWidth(panel);
  const room = Math.max(20, Math.min(look.columns(), MAX_WIDTH) - width - 4);
  const steps = toPanelSteps(panel).filter((step) => step.seq === seq);
  const lines = steps.map(({ agent, text, mood, isWhole }) => {
    const said = isWhole === true ? toFirstLine(text, text.length + room) : cutText(text, room);
    const shown = mood === 'news' ? said : look.style(mood === 'bad' ? 'bad' : 'faint', said);
    return `  ${look.style('name', agent.padEnd(width))}  ${shown}`;
  });
  return panel.outcome?.seq === seq ? [...lines, ...toOutcomeLines(panel, look)] : lines;
}

/** So wide are the names of all agents. */
export function toLaneWidth(panel: Pick<PanelView, 'agents'>): number {
  return Math.max(0, ...panel.agents.map((_, place) => toAgentName(panel, place).length));
}

/** The votes that count, and what came of them. */
export function toOutcomeLines(panel: PanelView, look: Pick<Terminal, 'style'>): readonly string[] {
  if (panel.outcome === null) return [];
  const text = toPanelOutcomeText(panel, panel.outcome);
  if (panel.outcome.kind === 'failed') return [`  ${look.style('bad', `✗ ${text}`)}`];
  const votes = panel.votes.some(({ counts }) => counts) ? toVoteLines(panel) : [];
  return [...votes.map((line) => look.style('faint', `    ${line}`)), `  → ${look.style('heading', text)}`];
}
