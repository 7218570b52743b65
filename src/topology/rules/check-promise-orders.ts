import { DEFAULT_PROMISE, TOPIC_COMPLETE } from '../../core/events/reserved.ts';
import type { HatSpec } from '../../core/run/run-spec.ts';
import type { FlowFinding } from '../../core/schema/finding.ts';
import { toHatsYaml } from '../analysis/fix-yaml.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import { createHatNames, isToldToSay, readSentences } from '../analysis/instruction-orders.ts';
import { findTakers, type Topology } from '../routing/compile-topology.ts';
import { mayEnd, safetyNetOf } from '../routing/queries.ts';

/** Instructions that tell a hat to end the run although it may not. */
export const checkPromiseOrders: FlowRule = (topology) => {
  if (topology.coordination === 'solo') return [];
  const isOtherFor = createHatNames(topology);
  const words = [topology.spec.promise, TOPIC_COMPLETE];
  const others = findOtherPromises(topology);
  const told = topology.hats.flatMap((hat) => {
    const said = words.filter((word) => hat.instructions.includes(word));
    if (said.length === 0 || mayEnd(topology, hat.id)) return [];
    const isOther = isOtherFor(hat);
    const sentences = readSentences(hat.instructions);
    const told = said.find((word) =>
      sentences.some((sentence) => findWord(sentence, word).some((offset) => isToldToSay(sentence, offset, isOther))),
    );
    return told === undefined ? [] : [toFinding(topology, hat, told)];
  });
  return [...others, ...told];
};

/** The default promise ends nothing where the configured promise is another one. No finding where it is a topic of the team. */
function findOtherPromises({ spec, hats, routes }: Topology): readonly FlowFinding[] {
  if (spec.promise === DEFAULT_PROMISE || spec.terminalEvents.includes(DEFAULT_PROMISE)) return [];
  if (findTakers(routes, DEFAULT_PROMISE).length > 0) return [];
  return hats
    .filter((hat) => hat.publishes.some(({ topic }) => topic === DEFAULT_PROMISE))
    .map((hat) => ({
      code: 'promise-not-allowed',
      severity: 'warning',
      at: { kind: 'hat-item', hat: hat.id, list: 'publishes', item: DEFAULT_PROMISE },
      message: `Hat '${hat.id}' publishes '${DEFAULT_PROMISE}', but the run ends with '${spec.promise}'.`,
      why: `Nothing ends by it: \`event_loop.completion_promise\` is '${spec.promise}', and '${DEFAULT_PROMISE}' is an event that nobody takes.`,
      fix: `Write '${spec.promise}' in the publishes and in the instructions of '${hat.id}', or take \`completion_promise\` away.`,
      hats: [hat.id],
      topics: [DEFAULT_PROMISE, spec.promise],
      repairs: [
        {
          title: `write "${spec.promise}" instead of "${DEFAULT_PROMISE}"`,
          isSafe: false,
          change: { kind: 'replace', text: spec.promise },
        },
      ],
    }));
}

/** Where the word occurs whole: `DONE` is not in `UNDONE`, nor `task.complete` in `task.completed`. */
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
    why: `The promise of a hat that may not end the run is refused, and the run continues. Here '${ender}' may end it, and hats that list the promise in their publishes.`,
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
