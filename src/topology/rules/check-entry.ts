import { TOPIC_READY, TOPIC_RESUME, TOPIC_START } from '../../core/events/reserved.ts';
import { matchesTopic } from '../../core/events/topics.ts';
import { toHatsYaml } from '../analysis/fix-yaml.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import { findTakers } from '../routing/compile-topology.ts';

/** Somebody takes the first event. Ralph does under `ralph`; `starting_hat` and `starting_event` say who else. */
export const checkEntry: FlowRule = ({ coordination, spec, routes, hats, hatById }, { looseTriggers }) => {
  if (coordination !== 'hats' || hats.length === 0) return [];
  if (spec.startingHat !== null && hatById.has(spec.startingHat)) return [];
  const entries = [TOPIC_START, TOPIC_READY, TOPIC_RESUME, ...(spec.startingEvent === null ? [] : [spec.startingEvent])];
  if (entries.some((topic) => findTakers(routes, topic).length > 0)) return [];
  const isMeant = (pattern: string): boolean => entries.some((topic) => matchesTopic(pattern, topic));
  if (Object.values(looseTriggers).some((patterns) => patterns.some(isMeant))) return [];
  const [first] = hats;
  if (first === undefined) return [];
  return [
    {
      code: 'entry-missing',
      severity: 'error',
      at: { kind: 'hats' },
      message: "No hat triggers on 'task.start' or 'task.resume'.",
      why: "The loop publishes 'task.start' to begin execution. Without a handler, the loop terminates immediately.",
      fix: `Add 'task.start' to the triggers of your entry hat:\n\n${toHatsYaml({ hat: first.id, list: 'triggers', items: first.triggers, added: TOPIC_START })}`,
      topics: [TOPIC_START, TOPIC_RESUME],
    },
  ];
};
