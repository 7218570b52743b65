import { type GateSpec, intersectsPatterns, isRequiredGate, matchesTopic, TOPIC_COMPLETE, toGateName } from '../core/index.ts';
import { planChannels } from './channels.ts';
import { contractWords } from './contract-words.ts';
import type { PromptContext } from './prompt-context.ts';
import { inCode, listInCode, setting } from './quoting.ts';
import { lines, type Section, section } from './section.ts';
import { joinWords, ours, say, type Words } from './words.ts';

/** What somebody who may end the run is told besides. */
export interface CompletionFacts {
  /** What to do when it is not time to end. */
  readonly otherwise: string;
  /** True where another section shows how events are published. */
  readonly channelsShown: boolean;
  /** True where the contract lists the event of completion: then it is named beside the promise. */
  readonly listsEvent?: boolean;
}

/** How the run is ended: for those who may. The promise stands inside a sentence, so that an echo of it does not count. */
export function planCompletion(context: PromptContext, facts: CompletionFacts): Section | null {
  const { promise, requiredEvents, eventSources } = context.topology.spec;
  const byEvent = eventSources.includes('jsonl') && !eventSources.includes('text');
  const isNamed = byEvent || facts.listsEvent === true;
  const event = say`publish ${setting(TOPIC_COMPLETE)}`;
  const contract = contractWords(context.topology, TOPIC_COMPLETE);
  const way = byEvent
    ? say`${event}, with the evidence as payload${contract}`
    : say`end your final message with ${setting(promise)} on a line of its own, outside code fences${isNamed ? say`, or ${event}${contract}` : []}`;
  const required =
    requiredEvents.length === 0 ? [] : say` Before that, ${listInCode(requiredEvents)} must have been published in this run.`;
  return section(
    'DONE',
    say`Only when the whole objective is met, you have seen the proof in this turn, and nothing is left open in the scratchpad: ${way}.${required}${gateSentence(context)}`,
    ours(facts.otherwise),
    isNamed && !facts.channelsShown ? planChannels(context) : [],
  );
}

/** Every required gate must agree with the end, whatever it guards; one that is only for some hats may not be due. */
function gateSentence({ topology, turn }: PromptContext): Words {
  const { gates, promise } = topology.spec;
  const isOnEnd = (gate: GateSpec): boolean =>
    gate.on.some((pattern) => matchesTopic(pattern, TOPIC_COMPLETE) || pattern === promise) && (gate.hats?.includes(turn.hat) ?? true);
  const due = gates.filter((gate) => isRequiredGate(gate) && (isOnEnd(gate) || gate.hats === undefined));
  const commands = due.filter((gate) => gate.protect === undefined);
  const globs = due.flatMap((gate) => gate.protect ?? []);
  return joinWords(
    [
      commands.length === 0 ? [] : say` The loop then runs ${listInCode(commands.map(toGateName))} itself; a failure refuses the end.`,
      globs.length === 0 ? [] : say` So does a change of the protected files ${listInCode(globs)}.`,
    ],
    '',
  );
}

/** The gates on what somebody may publish: what the loop itself runs before an event counts. */
export function planGates({ topology, turn }: PromptContext, topics: readonly string[]): Words {
  const own = topology.spec.gates.filter(({ hats, protect }) => protect === undefined && (hats?.includes(turn.hat) ?? true));
  const gates = own.map((gate) => ({
    run: gate.run,
    guarded: topics.filter((topic) => gate.on.some((pattern) => intersectsPatterns(pattern, topic))),
    isRequired: isRequiredGate(gate),
  }));
  const guarding = gates.filter((gate) => gate.guarded.length > 0);
  return lines(
    ...guarding.map(({ run, guarded, isRequired }) =>
      isRequired
        ? say`Before ${listInCode(guarded)} counts, the loop runs ${inCode(run)} itself: run it first.`
        : say`On ${listInCode(guarded)} the loop also runs ${inCode(run)}; a failure of it is only told.`,
    ),
  );
}
