import { TOPIC_START } from '../../core/events/reserved.ts';
import type { RunStarted } from '../../core/run/inputs.ts';
import { takersOf } from '../../topology/routing/queries.ts';
import { askBaseline } from './baseline.ts';
import { change, deliver, goOn, type LoopStep, startClock } from './step.ts';

/** The run begins: its first event carries the objective to the entry. */
export function onRunStarted(step: LoopStep, input: RunStarted): void {
  change(step, {
    status: 'running',
    runId: input.runId,
    limits: input.spec.limits,
    startedAt: input.at,
    inboxOffset: input.inboxOffset,
  });
  startClock(step);
  const { topology } = step;
  deliver(step, { topic: topology.startTopic, payload: input.spec.objective, to: entriesOf(step), how: 'trigger' });
  askBaseline(step);
  goOn(step);
}

/** Under fan-out every taker of the first topic begins; else the one entry. */
function entriesOf(step: LoopStep): readonly string[] {
  const { topology } = step;
  const takers = takersOf(topology, topology.startTopic);
  const fans = topology.spec.routing === 'fanout' && topology.spec.startingHat === null && takers.length > 1;
  const ownStart = topology.startTopic !== TOPIC_START || topology.coordination === 'hats';
  return fans && ownStart ? takers : [topology.entry];
}
