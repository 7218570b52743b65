import { type FlowFinding, type HatSpec, TOPIC_COMPLETE } from '../../core/index.ts';
import type { FlowRule } from '../flow-rule.ts';
import { mayEnd, safetyNetOf } from '../queries.ts';
import type { Topology } from '../topology.ts';
import { isToldToSay } from './find-orders.ts';
import { toHatsYaml } from './fix-yaml.ts';
import { createHatNames } from './hat-names.ts';
import { readSentences } from './read-sentences.ts';

/** Instructions that tell a hat to end the run though it may not (decisions, section 2). */
export const checkPromiseOrders: FlowRule = (topology) => {
  if (topology.coordination === 'solo') return [];
  const isOtherFor = createHatNames(topology);
  const words = [topology.spec.promise, TOPIC_COMPLETE];
  return topology.hats.flatMap((hat) => {
    const said = words.filter((word) => hat.instructions.includes(word));
    if (said.length === 0 || mayEnd(topology, hat.id)) return [];
    const isOther = isOtherFor(hat);
    const sentences = readSentences(hat.instructions);
    const told = said.find((word) =>
      sentences.some((sentence) => findWord(sentence, word).some((offset) => isToldToSay(sentence, offset, isOther))),
    );
    return told === undefined ? [] : [toFinding(topology, hat, told)];
  });
};

/** Where the word stands whole: `DONE` is not in `UNDONE`, nor `task.complete` in `task.completed`. */
function findWord(sentence: string, word: string): readonly number[] {
  const offsets: number[] = [];
  for (let at = sentence.indexOf(word); at >= 0; at = sentence.indexOf(word, at + word.length)) {
    const isBegun = /[\w-]$|[\w-]\.$/.test(sentence.slice(Math.max(0, at - 2), at));
    const isContinued = /^(?:[\w-]|\.[\w-])/.test(sentence.slice(at + word.length, at + word.length + 2));
    if (!isBegun && !isContinued) offsets.push(at);
  }
  return offsets;
}

function toFinding(topology: Topology, hat: HatSpec, word: string): FlowFinding {
  const { promise } = topology.spec;
  const ender = topology.coordination === 'hats' ? (topology.recoveryHat ?? safetyNetOf(topology)) : safetyNetOf(topology);
  return {
    code: 'promise-not-allowed',
    severity: 'warning',
    at: { kind: 'hat-words', hat: hat.id, words: word },
    message: `Hat '${hat.id}' is told to output '${word}', but it may not end the run.`,
    why: `The promise of a hat that may not end the run is refused, and the run goes on. Here '${ender}' may end it, and hats that list the promise in their publishes.`,
    fix: `Either let the hat hand over instead of ending, and take '${word}' out of its instructions, or let it end the run:\n\n${toHatsYaml({ hat: hat.id, list: 'publishes', items: hat.publishes, added: promise })}`,
    hats: [hat.id],
    topics: [word],
    repairs: [
      {
        title: `let '${hat.id}' end the run: add "${promise}" to its publishes`,
        isSafe: false,
        change: { kind: 'add-item', to: { kind: 'hat-list', hat: hat.id, list: 'publishes' }, item: promise },
      },
    ],
  };
}
