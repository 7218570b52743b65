import { RALPH, TOPIC_COMPLETE } from '../core/events/reserved.ts';
import type { HatSpec } from '../core/run/run-spec.ts';
import type { Topology } from '../topology/routing/compile-topology.ts';
import { mayEnd } from '../topology/routing/queries.ts';
import { planFeedback } from './feedback-section.ts';
import { knownTopicLines } from './known-topics.ts';
import { handsOnTasks, isCalledBySeveral, offersOf, type PromptContext, type PromptOptions, type PromptTurn } from './prompt-context.ts';
import {
  cleanForPrompt,
  inBlock,
  inCode,
  inLine,
  layOutSections,
  lines,
  listInCode,
  ours,
  type PromptSection,
  type PromptWords,
  type Section,
  say,
  section,
} from './prompt-text.ts';
import { asksForEvents, planClassicEvents, planCompletion, planHandOver, planRalphEvents } from './publishing.ts';
import { planClassicScratchpad, planScratchpad, planScratchpadText } from './scratchpad-section.ts';
import { planTeam } from './team-section.ts';
import { planObjective, planOriginalPrompt, planThisTurn } from './turn-section.ts';
import {
  hatRules,
  planBackpressure,
  planClassicRules,
  planGuardrails,
  planOrientation,
  planSolo,
  planUserInstructions,
  planWorkflow,
} from './work-rules.ts';

/**
 * The whole prompt of a turn, as text. Total and pure: the same arguments give the same text, byte for byte.
 *
 * An agent that only echoes it tells the loop nothing: no line outside code fences is the promise or an event.
 */
export function buildPrompt(topology: Topology, turn: PromptTurn, settings: PromptOptions): string {
  return planSections(topology, turn, settings)
    .map((part) => part.text)
    .join('');
}

/** The prompt in pieces, each with its heading and whether Ralph or somebody else wrote it; joined without a separator they are the prompt. */
export function planSections(topology: Topology, turn: PromptTurn, settings: PromptOptions): readonly PromptSection[] {
  const context: PromptContext = { topology, turn, settings };
  return layOutSections(planTurn(context), topology.spec.promise);
}

/** Ralph takes the turn of a hat that the topology does not know. */
function planTurn(context: PromptContext): readonly (Section | null)[] {
  const { topology, turn } = context;
  if (topology.classic) return planClassicPrompt(context);
  const hat = turn.hat === RALPH ? undefined : topology.hatById.get(turn.hat);
  return hat === undefined ? planRalphPrompt(context) : planHatPrompt(context, hat);
}

/** What Ralph reads: the core of all his prompts, with SOLO MODE or MY TEAM. */
function planRalphPrompt(context: PromptContext): readonly (Section | null)[] {
  const isAlone = context.topology.hats.length === 0;
  return [
    planRalph(context),
    planOrientation(context),
    planScratchpad(context),
    planBackpressure(context),
    isAlone ? planSolo(context) : planTeam(context),
    planGuardrails(context),
    planUserInstructions(context),
    planObjective(context, 'Everything you do serves it.'),
    planFeedback(context),
    planThisTurn(context),
    planRalphEvents(context, isAlone),
    planRalphEnd(context, isAlone),
  ];
}

/** Ralph's three parts: the worker without hats, the coordinator of a team, the safety net of one that coordinates itself. */
const PARTS = {
  solo: { who: 'an agent in a loop', turn: 'do ONE task, prove it, stop', each: 'do what each event asks, prove it, stop' },
  ralph: {
    who: 'the coordinator of a team of agents in a loop',
    turn: 'delegate ONE task and stop, or end the run',
    each: 'delegate what each event calls for and stop, or end the run',
  },
  hats: {
    who: 'the safety net of a team of agents in a loop',
    turn: 'bring ONE piece of work back to a hat, stop',
    each: 'bring the work of each event back to a hat, stop',
  },
} as const;

const CONTEXTS = {
  fresh: 'Every turn starts with a fresh context: of earlier turns you know only what the files, the git history and the scratchpad say.',
  carried:
    'Your conversation goes on over turns: those above may be of other hats, and files may have changed since; what the files, the git history and the scratchpad say counts.',
} as const;

function planRalph(context: PromptContext): Section | null {
  const { keepsContext } = context.turn;
  const { who, turn, each } = PARTS[context.topology.coordination];
  const text = `You are Ralph, ${who}. ${CONTEXTS[keepsContext === true ? 'carried' : 'fresh']} In this turn: ${isCalledBySeveral(context) ? each : turn}.`;
  return section('RALPH', ours(text));
}

function planRalphEnd(context: PromptContext, isAlone: boolean): Section | null {
  if (!mayEnd(context.topology, RALPH)) return section('DONE', ours('You cannot end the run: hand the work back.'));
  return planCompletion(context, {
    otherwise: isAlone ? 'Else just stop: the next turn goes on.' : 'Else delegate the next task.',
    channelsShown: true,
  });
}

/** What an agent that wears a hat reads: its own instructions, what called it, and what it may hand to whom. */
function planHatPrompt(context: PromptContext, hat: HatSpec): readonly (Section | null)[] {
  const { topology } = context;
  const isAlone = topology.hats.length === 1 && topology.coordination === 'hats';
  const offers = offersOf(topology, hat);
  return [
    planHat(context, hat, isAlone),
    section('INSTRUCTIONS', instructions(context, hat)),
    planGuardrails(context),
    planObjective(context, isAlone ? 'Everything you do serves it.' : 'Your share is what the events below ask.'),
    planScratchpadText(context),
    planFeedback(context),
    planThisTurn(context),
    // The agents of a panel hand in to the panel, which publishes.
    ...(hat.panel === undefined ? [planHandOver(context, hat, offers), planHatEnd(context, hat, offers.length > 0)] : []),
  ];
}

function planHat(context: PromptContext, hat: HatSpec, isAlone: boolean): Section | null {
  const description = cleanForPrompt(hat.description).trim() === '' ? [] : say` ${inLine(hat.description)}`;
  const where = ours(isAlone ? 'in a loop that calls you until the work is done' : 'in a team of agents');
  const who = say`You wear the hat ${inLine(hat.name)} (${inCode(hat.id)}) ${where}.${description}`;
  return section('YOUR HAT', who, hatRules(context, isAlone));
}

/** The user's words alone; where there are none, what name, triggers and publishes say. */
function instructions({ topology }: PromptContext, hat: HatSpec): PromptWords {
  if (cleanForPrompt(hat.instructions).trim() !== '') return inBlock(hat.instructions, topology.spec.promise);
  const publishes = hat.publishes.map((entry) => entry.topic);
  const known = knownTopicLines(hat.triggers, handsOnTasks(publishes) ? [] : publishes);
  const role = known.length > 0 ? ours('.') : ours(': do with that what such a role does, and no more.');
  return lines(say`Act as your name says: ${inLine(hat.name)}. You are called for ${listInCode(hat.triggers)}${role}`, known);
}

function planHatEnd(context: PromptContext, hat: HatSpec, handsOver: boolean): Section | null {
  if (!mayEnd(context.topology, hat.id)) return null;
  return planCompletion(context, {
    otherwise: handsOver ? 'Else hand over.' : 'Else just stop.',
    channelsShown: handsOver,
    listsEvent: hat.publishes.some((entry) => entry.topic === TOPIC_COMPLETE),
  });
}

/** `mode: single`: the duties of the classic loop, then the original prompt, last. */
function planClassicPrompt(context: PromptContext): readonly (Section | null)[] {
  return [
    section(
      'RALPH',
      ours(
        `You work in a loop that calls you again and again, ${context.turn.keepsContext === true ? 'in a conversation that goes on' : 'each time with a fresh context'}, until the whole task is done.`,
      ),
    ),
    planClassicRules(context),
    planWorkflow(context),
    planClassicScratchpad(context),
    planGuardrails(context),
    planUserInstructions(context),
    planFeedback(context),
    planThisTurn(context),
    planClassicEvents(context),
    planCompletion(context, { otherwise: 'Else just stop: the next iteration goes on.', channelsShown: asksForEvents(context) }),
    planOriginalPrompt(context),
  ];
}
