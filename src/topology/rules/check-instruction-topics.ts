import { type FlowFinding, type HatSpec, hasWildcard, intersectsPatterns, isTopic } from '../../core/index.ts';
import { isCompletionTopic, mayPublish } from '../queries.ts';
import { findRoutes } from '../route-table.ts';
import type { Topology } from '../topology.ts';
import type { FlowRule } from '../validate-topology.ts';
import { findPublishOrders, type IsOther } from './find-orders.ts';
import { createHatNames } from './hat-names.ts';
import { createNearTopics } from './near-topics.ts';
import { readSentences } from './read-sentences.ts';

/** The ways in which instructions write an event out: for `ralph emit`, for a text signal, for the events file. */
const WRITTEN_OUT = [
  /\bralph\s+emit\s+["'`]?([\w.-]*\w)/g,
  /\bEVENT:([\w.-]*\w)/g,
  /<event\s+topic\s*=\s*["']([\w.-]*\w)["'](?!\s*target)/g,
  /["']topic["']\s*:\s*["']([\w.-]*\w)["']/g,
];
/** Endings of file names: `plan.md` is no topic unless a hat says so. */
const FILE_NAME =
  /\.(?:md|markdown|mdx|txt|rst|adoc|json|jsonl|ya?ml|toml|ini|cfg|conf|env|lock|log|csv|tsv|xml|html?|css|scss|[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|swift|sh|bash|zsh|sql|svg|png|jpe?g|gif|pdf|zip|gz|exe|dll|so|com|org|net|io|dev)$/i;
const MAX_PER_HAT = 5;

/** Instructions that tell a hat to publish a topic that it may not. */
export const checkInstructionTopics: FlowRule = (topology) => {
  if (topology.coordination === 'solo') return [];
  const isOtherFor = createHatNames(topology);
  const known = listKnown(topology);
  const isKnown = (word: string): boolean => known.has(word) || (!FILE_NAME.test(word) && isTaken(topology, word));
  return topology.hats.flatMap((hat) => {
    if (hat.instructions === '') return [];
    const near = createNearTopics(hat.publishes.map((entry) => entry.topic).filter((topic) => !hasWildcard(topic)));
    const told = new Set(listTold(hat.instructions, isOtherFor(hat)));
    return [...told]
      .filter((word) => isTopic(word) && !mayPublish(topology, hat.id, word))
      .filter((word) => !isCompletionTopic(topology, word) && !hat.triggers.some((trigger) => intersectsPatterns(trigger, word)))
      .flatMap((word) => {
        const meant = known.has(word) || FILE_NAME.test(word) ? undefined : near.find(word);
        return meant !== undefined || isKnown(word) ? [toFinding(hat, word, meant)] : [];
      })
      .slice(0, MAX_PER_HAT);
  });
};

/** Every topic that somebody wrote out: of a hat, of a gate, of the loop. */
function listKnown({ hats, spec }: Topology): ReadonlySet<string> {
  const known = new Set([...spec.terminalEvents, ...spec.requiredEvents, ...spec.gates.flatMap((gate) => gate.on)]);
  for (const hat of hats) {
    for (const trigger of hat.triggers) known.add(trigger);
    for (const { topic } of hat.publishes) known.add(topic);
  }
  return known;
}

/** True if a hat takes the topic by a pattern that says something about it. */
function isTaken({ routes }: Topology, topic: string): boolean {
  return findRoutes(routes, topic).some((route) => route.precedence[1] > 0);
}

function listTold(instructions: string, isOther: IsOther): readonly string[] {
  return readSentences(instructions).flatMap((sentence) => [
    ...findPublishOrders(sentence, isOther, (word) => word.includes('.') && isTopic(word)),
    ...(isRefusal(sentence) ? [] : WRITTEN_OUT.flatMap((form) => [...sentence.matchAll(form)].map((match) => match[1] ?? ''))),
  ]);
}

function isRefusal(sentence: string): boolean {
  return /\b(?:never|do not|don['’]t|must not|may not|cannot|instead of)\b/i.test(sentence);
}

function toFinding(hat: HatSpec, topic: string, meant: string | undefined): FlowFinding {
  const publishes = hat.publishes.slice(0, 4).map((entry) => entry.topic);
  return {
    code: 'instruction-topic',
    severity: 'warning',
    at: { kind: 'hat-words', hat: hat.id, words: topic },
    message: `Hat '${hat.id}' is told to publish '${topic}', which it may not${meant === undefined ? '.' : `: did you mean '${meant}'?`}`,
    why: 'An event that is not in the publishes of a hat is refused: it reaches nobody, and the hat is asked once more.',
    fix:
      meant === undefined
        ? `Take '${topic}' out of the instructions, or let the hat publish it:\n\nhats:\n  ${hat.id}:\n    publishes: [${[...publishes, topic].join(', ')}]`
        : `Write '${meant}' in the instructions of the hat.`,
    hats: [hat.id],
    topics: [topic],
    ...(meant === undefined
      ? {
          repairs: [
            {
              title: `let '${hat.id}' publish it: add "${topic}" to its publishes`,
              isSafe: false,
              change: { kind: 'add-item', to: { kind: 'hat-list', hat: hat.id, list: 'publishes' }, item: topic } as const,
            },
          ],
        }
      : {}),
  };
}
