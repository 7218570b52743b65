import { type GateSpec, intersectsPatterns, matchesTopic, TOPIC_COMPLETE } from '../core/index.ts';
import { planChannels } from './channels.ts';
import type { PromptContext } from './prompt-context.ts';
import { inCode, listInCode, setting } from './quoting.ts';
import { lines, type Section, section } from './section.ts';
import { ours, say, type Words } from './words.ts';

/** What somebody who may end the run is told besides. */
export interface CompletionFacts {
  /** What to do when it is not time to end. */
  readonly otherwise: string;
  /** True where another section shows how events are published. */
  readonly channelsShown: boolean;
}

/** How the run is ended: for those who may. The promise stands inside a sentence, so that an echo of it does not count. */
export function planCompletion(context: PromptContext, facts: CompletionFacts): Section | null {
  const { promise, requiredEvents, gates, eventSources } = context.topology.spec;
  const byEvent = eventSources.includes('jsonl') && !eventSources.includes('text');
  const way = byEvent
    ? say`publish ${setting(TOPIC_COMPLETE)}, with the evidence as payload`
    : say`end your final message with ${setting(promise)} on a line of its own, outside code fences`;
  const required =
    requiredEvents.length === 0 ? [] : say` Before that, ${listInCode(requiredEvents)} must have been published in this run.`;
  return section(
    'DONE',
    say`Only when the whole objective is met, you have seen the proof in this turn, and nothing is left open in the scratchpad: ${way}.${required}${gateSentence(gates, promise)}`,
    ours(facts.otherwise),
    byEvent && !facts.channelsShown ? planChannels(context) : [],
  );
}

function gateSentence(gates: readonly GateSpec[], promise: string): Words {
  const guards = gates.filter((gate) => gate.on.some((pattern) => matchesTopic(pattern, TOPIC_COMPLETE) || pattern === promise));
  return guards.length === 0
    ? []
    : say` The loop then runs ${listInCode(guards.map((gate) => gate.run))} itself; a failure refuses the end.`;
}

/** The gates on what somebody may publish: what the loop itself runs before an event counts. */
export function planGates({ topology }: PromptContext, topics: readonly string[]): Words {
  const gates = topology.spec.gates.map(({ on, run }) => ({
    run,
    guarded: topics.filter((topic) => on.some((pattern) => intersectsPatterns(pattern, topic))),
  }));
  const guarding = gates.filter((gate) => gate.guarded.length > 0);
  return lines(
    ...guarding.map(({ run, guarded }) => say`Before ${listInCode(guarded)} counts, the loop runs ${inCode(run)} itself: run it first.`),
  );
}
