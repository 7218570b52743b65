import type { Repair } from '../../core/index.ts';
import type { NearTrigger } from './near-triggers.ts';

/** How a topic and a trigger are made to agree, for a finding at the topic: the slip is mended; where it is not clear which one is, a person chooses. */
export function toSpellingRepairs(topic: string, near: NearTrigger): readonly Repair[] {
  const atTopic: Repair = {
    title: `write "${near.topic}" instead of "${topic}"`,
    isSafe: near.slip === 'left' && near.isSure,
    change: { kind: 'replace', text: near.topic },
  };
  if (near.taker === null || near.taker.trigger !== near.topic) return [atTopic];
  const { hat } = near.taker;
  const atTrigger: Repair = {
    title: `write "${topic}" instead of "${near.topic}" in the triggers of '${hat}'`,
    isSafe: near.slip === 'right' && near.isSure && near.isAlone,
    change: { kind: 'replace-item', at: { kind: 'hat-item', hat, list: 'triggers', item: near.topic }, text: topic },
  };
  const both = near.slip === 'right' ? [atTrigger, atTopic] : [atTopic, atTrigger];
  return near.isSure ? both.slice(0, 1) : both;
}
