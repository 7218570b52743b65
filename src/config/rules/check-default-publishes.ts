import { DEFAULT_PROMISE, TOPIC_COMPLETE } from '../../core/events/reserved.ts';
import { hasWildcard, matchesTopic } from '../../core/events/topics.ts';
import type { Finding } from '../../core/schema/finding.ts';
import { findNearMiss, isOnlyNearMiss } from '../../core/text/near-miss.ts';
import { endWithMeant, quote } from '../findings/diagnostics.ts';
import type { Diagnostic } from '../findings/located.ts';
import { toWordRepair } from '../keys/value-finding.ts';
import { findingAt, listHats, type RuleInput } from './rule.ts';

/** A default of a hat is a topic that it may publish, and never the end of the run. */
export function checkDefaultPublishes(input: RuleInput): readonly Diagnostic[] {
  const promise = input.declared.event_loop?.completion_promise ?? DEFAULT_PROMISE;
  return listHats(input).flatMap(([id, hat]) => {
    const isListKnown = !input.isBroken(['hats', id, 'publishes']);
    return (hat.default_publishes ?? []).flatMap((topic, index) => {
      const listed = (hat.publishes ?? []).map((entry) => entry.topic);
      const isCovered = listed.some((pattern) => matchesTopic(pattern, topic));
      const finding = toFinding(topic, promise, isCovered || !isListKnown, { id, listed });
      return finding === null ? [] : [findingAt(input, input.toItemPath(['hats', id, 'default_publishes'], index), finding)];
    });
  });
}

interface Publisher {
  readonly id: string;
  readonly listed: readonly string[];
}

function toFinding(topic: string, promise: string, isCovered: boolean, publisher: Publisher): Finding | null {
  if (hasWildcard(topic)) {
    return {
      code: 'default-publishes-pattern',
      severity: 'error',
      message: `The default ${quote(topic)} is a pattern.`,
      why: 'An event needs one topic to be published under.',
      fix: 'Write the topic out.',
    };
  }
  if (topic === promise || topic === TOPIC_COMPLETE) {
    return {
      code: 'default-publishes-completion',
      severity: 'error',
      message: `The default ${quote(topic)} would end the run.`,
      why: 'A hat that forgot to publish anything would complete the work by its silence.',
      fix: 'Choose a topic that hands the work on.',
    };
  }
  return isCovered ? null : toUnlistedFinding(topic, publisher);
}

/** A misspelt topic can be repaired; whether the hat may publish any other is for its author to say. */
function toUnlistedFinding(topic: string, { id, listed }: Publisher): Finding {
  const topics = listed.filter((other) => !hasWildcard(other));
  const near = findNearMiss(topic, topics);
  const add = { kind: 'add-item', to: { kind: 'hat-list', hat: id, list: 'publishes' }, item: topic } as const;
  const addRepair = { title: `let '${id}' publish it: add "${topic}" to its publishes`, isSafe: false, change: add };
  return {
    code: 'default-publishes-unlisted',
    severity: 'error',
    message: `The default ${quote(topic)} is not among what hat ${quote(id, "'")} publishes${endWithMeant(near)}`,
    why: 'It would be published in the name of a hat that may not publish it.',
    fix:
      near === undefined
        ? `Add it:\n\nhats:\n  ${id}:\n    publishes: [${[...listed.slice(0, 4), topic].join(', ')}]`
        : `Write \`${near}\`, or add ${quote(topic)} to \`publishes\`.`,
    hats: [id],
    topics: [topic],
    repairs: [...(near === undefined ? [] : [toWordRepair(near, isOnlyNearMiss(topic, near, topics))]), addRepair],
  };
}
