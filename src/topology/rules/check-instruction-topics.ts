import { hasWildcard, isTopic, matchesTopic } from '../../core/events/topics.ts';
import type { HatSpec } from '../../core/run/run-spec.ts';
import type { FlowFinding } from '../../core/schema/finding.ts';
import { toHatsYaml } from '../analysis/fix-yaml.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import { createHatNames, findPublishOrders, type IsOther, readSentences } from '../analysis/instruction-orders.ts';
import { createNearTopics, type NearTopics } from '../analysis/near-topics.ts';
import { findRoutes, type Topology } from '../routing/compile-topology.ts';
import { isCompletionTopic, mayPublish } from '../routing/queries.ts';

/** The ways in which instructions write an event out that can mean nothing else: for `ralph emit`, for a text signal. */
const SURE_FORMS = [
  /\bralph\s+emit\s+["'`]?([\w.-]*\w)/g,
  /\bEVENT:([\w.-]*\w)/g,
  /<event\s+topic\s*=\s*["']([\w.-]*\w)["'](?!\s*target)/g,
];
/** All of them: JSON for the events file may be an example of something else. */
const WRITTEN_OUT = [...SURE_FORMS, /["']topic["']\s*:\s*["']([\w.-]*\w)["']/g];
/** Endings of file names: `plan.md` is no topic unless a hat says so. */
const FILE_NAME =
  /\.(?:md|markdown|mdx|txt|rst|adoc|json|jsonl|ya?ml|toml|ini|cfg|conf|env|lock|log|csv|tsv|xml|html?|css|scss|[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|swift|sh|bash|zsh|sql|svg|png|jpe?g|gif|pdf|zip|gz|exe|dll|so|com|org|net|io|dev)$/i;
/** What stands for a topic in a description of the form: `EVENT:your.topic`. */
const PLACEHOLDER =
  /^(?:your|my|the|some|any|topic|event|name|foo|bar|example|x|xx+)(?:[._-](?:topic|event|name|here|foo|bar|baz|example|x|y|xx+))+$/i;
/** What is said of an event that arrives. */
const ARRIVING =
  /\b(?:get|gets|got|receiv\w*|arriv\w*|incoming|wakes?|call(?:s|ed) you|comes? in|reads?|see|sees|look for|wait for|respond to|react to)\b/i;
const ARRIVING_BEFORE = /\b(?:when|on|if|after|once|upon|until|for|each|every|by|from)\s+[`"'(*]*$/i;
const MAX_PER_HAT = 5;
/** Without one of these nothing is published. */
const PUBLISHING = /publish|emit|send|fir(?:e|ing)|rais|trigger|dispatch|post|issu|broadcast|signal|announc/i;
const WRITING_OUT = /ralph\s+emit|EVENT:|<event|["']topic["']/;
const WORD = /[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*/g;

/** Instructions that tell a hat to publish a topic that it may not. */
export const checkInstructionTopics: FlowRule = (topology) => {
  if (topology.coordination === 'solo') return [];
  const isOtherFor = createHatNames(topology);
  const isKnown = createKnownTest(topology);
  return topology.hats.flatMap((hat) => {
    const suspects = listSuspects(topology, hat, isKnown);
    const sure = listSure(topology, hat, suspects);
    if (suspects.size === 0 && sure.size === 0) return [];
    const told = new Set(listTold(hat.instructions, isOtherFor(hat)));
    const found = [...suspects].filter(([word]) => told.has(word) && !sure.has(word));
    return [...sure, ...found].slice(0, MAX_PER_HAT).map(([word, meant]) => toFinding(hat, word, meant));
  });
};

/** Topics in the sure forms that the hat may not publish, known or not; each with what was probably meant. */
function listSure(
  topology: Topology,
  hat: HatSpec,
  suspects: ReadonlyMap<string, string | undefined>,
): ReadonlyMap<string, string | undefined> {
  const sure = new Map<string, string | undefined>();
  if (!WRITING_OUT.test(hat.instructions)) return sure;
  let near: NearTopics | null = null;
  for (const word of readSentences(hat.instructions).flatMap((sentence) => listWrittenOut(hat, sentence))) {
    if (sure.has(word) || !isTopic(word) || isCompletionTopic(topology, word) || mayPublish(topology, hat.id, word)) continue;
    if (!word.includes('.') && !suspects.has(word) && !hat.triggers.includes(word)) continue;
    near ??= createNearTopics(hat.publishes.map((entry) => entry.topic).filter((topic) => !hasWildcard(topic)));
    sure.set(word, near.find(word));
  }
  return sure;
}

/** What a sentence tells the hat to write in a sure form; not what it says of an event that the hat gets. */
function listWrittenOut(hat: HatSpec, sentence: string): readonly string[] {
  if (isRefusal(sentence)) return [];
  const isArriving = (topic: string, before: string): boolean =>
    hat.triggers.some((trigger) => matchesTopic(trigger, topic)) && (ARRIVING.test(sentence) || ARRIVING_BEFORE.test(before));
  return SURE_FORMS.flatMap((form) =>
    [...sentence.matchAll(form)]
      .filter(
        (match) => match[0].startsWith('ralph') || !isArriving(match[1] ?? '', sentence.slice(Math.max(0, match.index - 40), match.index)),
      )
      .flatMap((match) => (PLACEHOLDER.test(match[1] ?? '') ? [] : (match[1] ?? []))),
  );
}

/** The words of the instructions that would be a mistake if the hat were told to publish them; each with what was probably meant instead. */
function listSuspects(topology: Topology, hat: HatSpec, isKnown: (word: string) => boolean): ReadonlyMap<string, string | undefined> {
  const suspects = new Map<string, string | undefined>();
  const { instructions } = hat;
  const isWrittenOut = WRITING_OUT.test(instructions);
  if (!isWrittenOut && !PUBLISHING.test(instructions)) return suspects;
  let near: NearTopics | null = null;
  for (const [word] of instructions.matchAll(WORD)) {
    if (!isWrittenOut && !word.includes('.')) continue;
    if (suspects.has(word) || !isTopic(word) || isAllowed(topology, hat, word)) continue;
    if (isKnown(word)) suspects.set(word, undefined);
    else if (word.includes('.') && !FILE_NAME.test(word)) {
      near ??= createNearTopics(hat.publishes.map((entry) => entry.topic).filter((topic) => !hasWildcard(topic)));
      const meant = near.find(word);
      if (meant !== undefined || isTaken(topology, word) || isQuotedOrder(instructions, word)) suspects.set(word, meant);
    }
  }
  return suspects;
}

/** "Publish `build.finished`": between such quotes directly behind the verb it can be nothing but a topic. */
function isQuotedOrder(instructions: string, word: string): boolean {
  const at = instructions.indexOf(`\`${word}\``);
  return at >= 0 && !PLACEHOLDER.test(word) && /\b(?:publish|emit)\s+$/i.test(instructions.slice(Math.max(0, at - 20), at));
}

/** What a hat publishes, completes with, or is called by: that it names. */
function isAllowed(topology: Topology, hat: HatSpec, word: string): boolean {
  if (isCompletionTopic(topology, word) || mayPublish(topology, hat.id, word)) return true;
  return hat.triggers.some((trigger) => matchesTopic(trigger, word));
}

/** Says whether somebody wrote the topic out: a hat, a gate, the loop. The list is made when it is first asked for. */
function createKnownTest({ hats, spec }: Topology): (word: string) => boolean {
  let known: Set<string> | null = null;
  return (word) => {
    if (known === null) {
      known = new Set([...spec.terminalEvents, ...spec.requiredEvents, ...spec.gates.flatMap((gate) => gate.on)]);
      for (const hat of hats) {
        for (const trigger of hat.triggers) known.add(trigger);
        for (const { topic } of hat.publishes) known.add(topic);
      }
    }
    return known.has(word);
  };
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
  const list = toHatsYaml({ hat: hat.id, list: 'publishes', items: hat.publishes, added: topic });
  return {
    code: 'instruction-topic',
    severity: 'warning',
    at: { kind: 'hat-words', hat: hat.id, words: topic },
    message: `Hat '${hat.id}' is told to publish '${topic}', which it may not${meant === undefined ? '.' : `: did you mean '${meant}'?`}`,
    why: 'An event that is not in the publishes of a hat is refused: it reaches nobody, and the hat is asked once more.',
    fix:
      meant === undefined
        ? `Take '${topic}' out of the instructions, or let the hat publish it:\n\n${list}`
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
