import type { Finding } from '../../core/index.ts';
import { DEFAULT_PROMISE, hasWildcard, matchesTopic, TOPIC_COMPLETE } from '../../core/index.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { quote } from '../value-finding.ts';
import { findingAt, listHats, type RuleInput } from './rule.ts';

/** What is published in a hat's name is something that the hat may publish, and never the end of the run. */
export function checkDefaultPublishes(input: RuleInput): readonly Diagnostic[] {
  const promise = input.declared.event_loop?.completion_promise ?? DEFAULT_PROMISE;
  return listHats(input).flatMap(([id, hat]) => {
    const isListKnown = !input.isBroken(['hats', id, 'publishes']);
    return (hat.default_publishes ?? []).flatMap((topic, index) => {
      const isCovered = (hat.publishes ?? []).some((entry) => matchesTopic(entry.topic, topic));
      const finding = toFinding(topic, promise, isCovered || !isListKnown, id);
      return finding === null ? [] : [findingAt(input, input.toItemPath(['hats', id, 'default_publishes'], index), finding)];
    });
  });
}

function toFinding(topic: string, promise: string, isCovered: boolean, id: string): Finding | null {
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
  if (isCovered) return null;
  return {
    code: 'default-publishes-unlisted',
    severity: 'error',
    message: `The default ${quote(topic)} is not among what hat ${quote(id, "'")} publishes.`,
    why: 'It would be published in the name of a hat that may not publish it.',
    fix: `Add it:\n\nhats:\n  ${id}:\n    publishes: [${topic}]`,
  };
}
