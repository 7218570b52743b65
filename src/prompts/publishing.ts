import { RALPH, TOPIC_COMPLETE } from '../core/events/reserved.ts';
import { hasWildcard, intersectsPatterns, matchesTopic } from '../core/events/topics.ts';
import { type GateSpec, isRequiredGate, toGateName } from '../core/gates/gate-spec.ts';
import { contractOf, type HatSpec } from '../core/run/run-spec.ts';
import { describeShape } from '../core/schema/describe-shape.ts';
import type { Topology } from '../topology/routing/compile-topology.ts';
import { mayEnd, publishableBy } from '../topology/routing/queries.ts';
import { handsOnTasks, isCalledBySeveral, type OfferedTopic, type PromptContext, type PromptTurn, stuckTopics } from './prompt-context.ts';
import {
  inCode,
  inLine,
  joinWords,
  lines,
  listInCode,
  ours,
  type PromptWords,
  receiverNames,
  type Section,
  say,
  section,
  setting,
} from './prompt-text.ts';

const RESULTS = { note: 'note the result in the scratchpad', say: 'say the result in your final message' } as const;

export function planHandOver(context: PromptContext, hat: HatSpec, offers: readonly OfferedTopic[]): Section | null {
  const canEnd = mayEnd(context.topology, hat.id);
  const noEnd = ours(canEnd ? '' : 'You cannot end the run, only hand over.');
  if (offers.length === 0) {
    return canEnd
      ? null
      : section(
          'HAND OVER',
          ours(`You publish no events: ${RESULTS[context.turn.mayNote === false ? 'say' : 'note']}, then stop. You cannot end the run.`),
        );
  }
  const byTarget = planTarget(
    context,
    offers.some((offer) => offer.byTarget),
  );
  const topics = offers.map((offer) => offer.topic);
  return section(
    'HAND OVER',
    ours(
      isCalledBySeveral(context)
        ? 'As your last acts publish ONE of these topics for each event that called you, and stop. Others are refused.'
        : 'As your last act publish ONE of these topics, once, and stop. Others are refused.',
    ),
    lines(...offers.map((offer) => offerLine(context, offer))),
    lines(byTarget, planGates(context, topics), stuckLine(topics), byDefault(hat), noEnd),
    planChannels(context),
    ours(handsOnTasks(topics) ? TASK_PAYLOAD : 'Payload: what you did and where, with the evidence (command, result).'),
  );
}

const TASK_PAYLOAD = 'Payload: ONE small task: what, where, how to prove it.';

function offerLine({ topology }: PromptContext, { topic, receivers }: OfferedTopic): PromptWords {
  const form = ours(hasWildcard(topic) ? ' (any topic of this form)' : '');
  const to = receivers.length === 0 ? ours('nobody, it is recorded') : receiverNames(receivers);
  return lines(say`- ${inCode(topic)}${form} -> ${to}${contractWords(topology, topic)}`, contractsBelow(topology, topic));
}

/** Empty where no topic says that the hat is stuck. */
function stuckLine(topics: readonly string[]): PromptWords {
  const stuck = stuckTopics(topics);
  return stuck.length === 0 ? [] : say`If you are stuck, publish ${listInCode(stuck)} and say why.`;
}

function byDefault(hat: HatSpec): PromptWords {
  return hat.defaultPublishes.length === 0
    ? []
    : say`If you publish nothing, the loop publishes ${listInCode(hat.defaultPublishes)} in your name.`;
}

/** What Ralph may publish; `alone`: in a run without hats. */
export function planRalphEvents(context: PromptContext, alone: boolean): Section | null {
  if (alone) {
    const rule = 'Publish only what the objective or the instructions ask for; your next turn gets it.';
    return section('EVENTS', ours(rule), planChannels(context));
  }
  const { topology } = context;
  const topics = publishableBy(topology, RALPH);
  const list = joinWords(topics.map(inCode), ', ');
  const rule = isCalledBySeveral(context)
    ? say`As your last acts, for each event that called you publish at most ONE of these topics: ${list}. Others are refused.`
    : say`As your last act, publish ONE of these topics, once: ${list}. Others are refused.`;
  return section('EVENTS', lines(rule, planTarget(context, false)), contractLines(topology, topics), planChannels(context));
}

/** Only where the run asks for events: the classic loop goes on by itself. */
export function planClassicEvents(context: PromptContext): Section | null {
  return asksForEvents(context) ? section('EVENTS', planChannels(context)) : null;
}

export function asksForEvents({ topology }: PromptContext): boolean {
  return topology.spec.requiredEvents.length > 0;
}

/** What a prompt says about the end besides how to declare it. */
export interface CompletionFacts {
  /** What to do when it is not time to end. */
  readonly otherwise: string;
  /** True where another section shows how events are published. */
  readonly channelsShown: boolean;
  /** True where the contract lists the event of completion: then it is named beside the promise. */
  readonly listsEvent?: boolean;
}

/** How to end the run, for those who may. The promise stands inside a sentence, so that an echo of it does not count. */
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
function gateSentence({ topology, turn }: PromptContext): PromptWords {
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

/**
 * How an event is written, by the channels that are on. The tag stands between fences and without a topic,
 * so that an echo of the prompt publishes nothing.
 */
function planChannels({ topology, settings, turn }: PromptContext): PromptWords {
  const { jsonl, text, hasTool } = openChannels({ topology, turn });
  if (!jsonl && !text) return ours('No channel for events is on in this run: publish none.');
  const line = say`- file: append the line \`{"topic":"TOPIC","payload":"…"}\` to \`$RALPH_EVENTS_FILE\` (${setting(settings.eventsFile)})`;
  return lines(
    ours(jsonl ? 'Publish by ONE of:' : 'Publish by:'),
    hasTool ? ours('- tool: `emit_event` with topic and payload (its name may have a prefix)') : [],
    jsonl && !hasTool ? planShell(turn) : [],
    jsonl && !hasTool ? line : [],
    text ? ours('- final message, outside code fences:\n```\n<event topic="…">payload</event>\n```') : [],
  );
}

/** An agent with the tool is shown no other way to the file: its shell may be closed, and its model would try. */
function openChannels({ topology, turn }: Pick<PromptContext, 'topology' | 'turn'>): Record<'jsonl' | 'text' | 'hasTool', boolean> {
  const jsonl = topology.spec.eventSources.includes('jsonl');
  return { jsonl, text: topology.spec.eventSources.includes('text'), hasTool: jsonl && turn.hasEmitTool === true };
}

/**
 * How an event is given a receiver, for agents that may: where an edge of its contract names a hat, and where a target lifts every contract (a
 * `mode` is given). Empty for others.
 */
function planTarget({ topology, turn }: PromptContext, hasEdge: boolean): PromptWords {
  const { jsonl, text, hasTool } = openChannels({ topology, turn });
  const isLifted = topology.spec.mode !== null && topology.hats.length > 0;
  if (!(hasEdge || isLifted) || !(jsonl || text)) return [];
  const forms = [
    ...(hasTool ? ['`target` of the tool'] : []),
    ...(jsonl && !hasTool ? ['`--target HAT`', '`"target":"HAT"`'] : []),
    ...(text ? ['`target="…"`'] : []),
  ];
  const others = topology.hats.map((hat) => hat.id).filter((id) => id !== turn.hat);
  if (!isLifted) return ours(`To pick the receiver, add the target: ${forms.join(', ')}.`);
  return others.length === 0
    ? []
    : say`You may hand any topic to a hat of your choice (${listInCode(others)}) by a target: ${ours(forms.join(', '))}.`;
}

function planShell({ losesPath }: PromptTurn): PromptWords {
  return ours(
    losesPath === true
      ? '- shell: `"$RALPH_BIN" emit TOPIC \'payload\'`'
      : '- shell: `ralph emit TOPIC \'payload\'` (or `"$RALPH_BIN" emit …`)',
  );
}

/** The gates on topics: what the loop itself runs before an event counts. */
function planGates({ topology, turn }: PromptContext, topics: readonly string[]): PromptWords {
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

/** At most this many topics are described; an agent whose event does not match its schema is told. */
const MAX_TOPICS = 20;
const MAX_SHAPE = 160;

/** The description of a topic and the shape of its payload, to follow its name; empty where neither is known. */
function contractWords({ spec }: Topology, topic: string): PromptWords {
  const contract = contractOf(spec.events, topic);
  const about = contract?.description === undefined ? [] : inLine(contract.description.replace(/[\s.]+$/, ''));
  const shape = contract?.schema === undefined ? [] : say`payload: JSON ${inCode(describeShape(contract.schema, MAX_SHAPE))}`;
  const known = joinWords([about, shape], '; ');
  return known.length === 0 ? [] : say`: ${known}`;
}

/** A line for each topic with a description or schema, among topics and patterns. */
function contractLines(topology: Topology, topics: readonly string[]): PromptWords {
  const known = Object.keys(topology.spec.events ?? {}).filter((topic) => topics.some((pattern) => matchesTopic(pattern, topic)));
  const shown = known.slice(0, MAX_TOPICS).map((topic) => say`- ${inCode(topic)}${contractWords(topology, topic)}`);
  return lines(...shown, known.length > MAX_TOPICS ? ours('- …') : []);
}

/** The lines of {@link contractLines} for what a pattern stands for; empty for a topic. */
function contractsBelow(topology: Topology, pattern: string): PromptWords {
  return hasWildcard(pattern) ? contractLines(topology, [pattern]) : [];
}
