import type { MissedSignal } from '../../core/index.ts';
import { isCompletionTopic, mayEnd, mayPublish } from '../../topology/index.ts';
import { notify, type Step, tell } from './step.ts';

/**
 * For a turn that published nothing: what was almost an event or the promise is told to people and to the hat. What the hat may not publish anyway
 * is left out: it only spoke of it.
 */
export function tellMissed(step: Step, hat: string, missed: readonly MissedSignal[]): void {
  const { topology } = step;
  const isAllowed = ({ topic }: MissedSignal): boolean =>
    topic === null || isCompletionTopic(topology, topic) ? mayEnd(topology, hat) : mayPublish(topology, hat, topic);
  for (const { topic, line } of missed.filter(isAllowed)) {
    const what = topic === null ? `the promise ${topology.spec.promise}` : topic;
    const how = topic === null ? ` It counts as ${topology.spec.promise} on a line of its own, with nothing around it.` : '';
    notify(step, 'warning', 'missed-signal', `${hat} wrote ${what} in a way that does not count: ${JSON.stringify(line)}.${how}`);
    tell(step, hat, { kind: 'missed', topic, line });
  }
}
