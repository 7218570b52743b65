import { type HatSpec, hasWildcard, TOPIC_COMPLETE } from '../core/index.ts';
import { mayEnd } from '../topology/index.ts';
import { planChannels } from './channels.ts';
import { planCompletion, planGates } from './completion.ts';
import { contractsBelow, contractWords } from './contract-words.ts';
import { planFeedback } from './feedback-section.ts';
import { planGuardrails } from './guardrails.ts';
import { planObjective } from './objective.ts';
import { type Offer, offersOf, receiverNames } from './offers.ts';
import type { PromptContext } from './prompt-context.ts';
import { block, cleanText, inCode, inLine, listInCode, setting } from './quoting.ts';
import { lines, type Section, section } from './section.ts';
import { planTurn } from './turn-section.ts';
import { ours, say, type Words } from './words.ts';

/** A hat in its team. */
interface Wearer {
  readonly hat: HatSpec;
  readonly offers: readonly Offer[];
  readonly mayEnd: boolean;
  /** True for a lone hat that nobody coordinates. */
  readonly alone: boolean;
}

/** What an agent reads that wears a hat: its own instructions, what called it, and what it may hand to whom. */
export function planHatPrompt(context: PromptContext, hat: HatSpec): readonly (Section | null)[] {
  const { topology } = context;
  const alone = topology.hats.length === 1 && topology.coordination === 'hats';
  const wearer: Wearer = { hat, alone, offers: offersOf(topology, hat), mayEnd: mayEnd(topology, hat.id) };
  return [
    planIdentity(context, wearer),
    section('INSTRUCTIONS', instructions(context, wearer)),
    planGuardrails(context),
    planObjective(context, alone ? 'Everything you do serves it.' : 'Your share is what the events below ask.'),
    planFeedback(context),
    planTurn(context),
    planHandOver(context, wearer),
    wearer.mayEnd ? planEnd(context, wearer) : null,
  ];
}

/** The conversation may be one of several hats, and of some time ago. */
const CARRIED = 'Carried context: turns above may be of other hats, and files may have changed since';

function planIdentity({ settings, turn }: PromptContext, { hat, alone }: Wearer): Section | null {
  const description = cleanText(hat.description).trim() === '' ? [] : say` ${inLine(hat.description)}`;
  const where = ours(alone ? 'in a loop that calls you until the work is done' : 'in a team of agents');
  return section(
    'YOUR HAT',
    say`You wear the hat ${inLine(hat.name)} (${inCode(hat.id)}) ${where}.${description}`,
    lines(
      say`- ${ours(turn.keepsContext === true ? CARRIED : 'Fresh context')}: first read the scratchpad ${setting(settings.scratchpad)}, and what bears on your task in ${setting(settings.specsDir)}, where they exist. Before you stop, note in the scratchpad what the next agent must know.`,
      ours(
        alone
          ? '- Do ONE task, the most important one that is open.'
          : '- Do what the events below ask of your hat, no more. The rest is for others.',
      ),
      ours('- Claim nothing without evidence: in this turn, run the tests, linter, build, whatever proves it.'),
      say`- Temporary files: ${setting(settings.workspaceDir)}`,
    ),
  );
}

/** The user's words alone; where there are none, what name, triggers and publishes say. */
function instructions({ topology }: PromptContext, { hat }: Wearer): Words {
  if (cleanText(hat.instructions).trim() !== '') return block(hat.instructions, topology.spec.promise);
  return say`Act as your name says: ${inLine(hat.name)}. You are called for ${listInCode(hat.triggers)}: do with that what such a role does, and no more.`;
}

function planHandOver(context: PromptContext, { hat, offers, ...wearer }: Wearer): Section | null {
  const noEnd = ours(wearer.mayEnd ? '' : 'You cannot end the run, only hand over.');
  if (offers.length === 0) {
    return wearer.mayEnd
      ? null
      : section('HAND OVER', ours('You publish no events: note the result in the scratchpad, then stop. You cannot end the run.'));
  }
  const byTarget = ours(
    offers.some((offer) => offer.byTarget) ? 'To pick the receiver, add the target: `--target HAT`, `"target":"HAT"`, `target="…"`.' : '',
  );
  const topics = offers.map((offer) => offer.topic);
  return section(
    'HAND OVER',
    ours(
      context.turn.events.length > 1
        ? 'As your last acts publish ONE of these topics for each event that called you, and stop. Others are refused.'
        : 'As your last act publish ONE of these topics, once, and stop. Others are refused.',
    ),
    lines(...offers.map((offer) => offerLine(context, offer))),
    lines(byTarget, planGates(context, topics), byDefault(hat), noEnd),
    planChannels(context),
    ours('Payload: what you did and where, with the evidence (command, result).'),
  );
}

function offerLine({ topology }: PromptContext, { topic, receivers }: Offer): Words {
  const form = ours(hasWildcard(topic) ? ' (any topic of this form)' : '');
  const to = receivers.length === 0 ? ours('nobody, it is recorded') : receiverNames(receivers);
  return lines(say`- ${inCode(topic)}${form} -> ${to}${contractWords(topology, topic)}`, contractsBelow(topology, topic));
}

function byDefault(hat: HatSpec): Words {
  return hat.defaultPublishes.length === 0
    ? []
    : say`If you publish nothing, the loop publishes ${listInCode(hat.defaultPublishes)} in your name.`;
}

function planEnd(context: PromptContext, { hat, offers }: Wearer): Section | null {
  const handsOver = offers.length > 0;
  return planCompletion(context, {
    otherwise: handsOver ? 'Else hand over.' : 'Else just stop.',
    channelsShown: handsOver,
    listsEvent: hat.publishes.some((entry) => entry.topic === TOPIC_COMPLETE),
  });
}
