import type { PanelMoved } from '../../core/run/inputs.ts';
import { decidePanel } from '../../panel/decide/decide-panel.ts';
import { change, type LoopStep, notify, order } from './step.ts';

/** Something happened in a panel: what its agents do next is decided by its own rules. Of a turn that is over it is not heard any more. */
export function onPanelMoved(step: LoopStep, { iteration, attempt, move }: PanelMoved): void {
  const turn = step.state.activations.find((entry) => entry.iteration === iteration && entry.attempt === attempt);
  const spec = turn === undefined ? undefined : step.topology.hatById.get(turn.hat)?.panel;
  if (turn?.panel === undefined || spec === undefined) return;
  if ('isAnew' in move && move.isAnew === true)
    notify(
      step,
      'warning',
      'panel-changed',
      'The work behind what was handed in before is on another machine: this panel begins anew, without it.',
    );
  const { state, orders } = decidePanel(spec, turn.panel, move);
  change(step, { activations: step.state.activations.map((entry) => (entry === turn ? { ...turn, panel: state } : entry)) });
  for (const next of orders) order(step, { type: 'panel-ordered', iteration, attempt, hat: turn.hat, order: next });
}
