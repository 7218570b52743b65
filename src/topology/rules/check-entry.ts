import { TOPIC_READY, TOPIC_RESUME, TOPIC_START } from '../../core/index.ts';
import { findTakers } from '../route-table.ts';
import type { FlowRule } from '../validate-topology.ts';

/** Rule 2 of seed 001: somebody takes the first event. Ralph does under `ralph`; `starting_hat` and `starting_event` say who else. */
export const checkEntry: FlowRule = (topology) => {
  const { spec, routes, hats } = topology;
  if (topology.coordination !== 'hats' || hats.length === 0 || spec.startingHat !== null) return [];
  const entries = [TOPIC_START, TOPIC_READY, TOPIC_RESUME, ...(spec.startingEvent === null ? [] : [spec.startingEvent])];
  if (entries.some((topic) => findTakers(routes, topic).length > 0)) return [];
  const [first] = hats;
  return [
    {
      code: 'entry-missing',
      severity: 'error',
      at: { kind: 'hats' },
      message: "No hat triggers on 'task.start' or 'task.resume'.",
      why: "The loop publishes 'task.start' to begin execution. Without a handler, the loop terminates immediately.",
      fix: `Add 'task.start' to the triggers of your entry hat:\n\nhats:\n  ${first?.id ?? 'planner'}:\n    triggers: ["task.start", ...]`,
      topics: [TOPIC_START],
    },
  ];
};
