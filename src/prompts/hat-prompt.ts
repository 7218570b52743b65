import { type HatSpec, hasWildcard, TOPIC_COMPLETE } from '../core/index.ts';
import { mayEnd } from '../topology/index.ts';
import { planChannels, planTarget } from './channels.ts';
import { planCompletion, planGates } from './completion.ts';
import { contractsBelow, contractWords } from './contract-words.ts';
import { planFeedback } from './feedback-section.ts';
import { planGuardrails } from './guardrails.ts';
import { handsOnTasks, knownTopicLines, stuckTopics } from './known-topics.ts';
import { planObjective } from './objective.ts';
import { type Offer, offersOf, receiverNames } from './offers.ts';
import { CANNOT_NOTE, commitRule, isCalledBySeveral, mayRunProgram, type PromptContext } from './prompt-context.ts';
import { block, cleanText, inCode, inLine, listInCode, setting } from './quoting.ts';
import { planScratchpadText } from './scratchpad-section.ts';
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
    planScratchpadText(context),
    planFeedback(context),
    planTurn(context),
    planHandOver(context, wearer),
    wearer.mayEnd ? planEnd(context, wearer) : null,
  ];
}

/** The conversation may be one of several hats, and of some time ago. */
const CARRIED = 'Carried context: turns above may be of other hats, and files may have changed since';

function planIdentity(context: PromptContext, { hat, alone }: Wearer): Section | null {
  const { settings, turn } = context;
  const description = cleanText(hat.description).trim() === '' ? [] : say` ${inLine(hat.description)}`;
  const where = ours(alone ? 'in a loop that calls you until the work is done' : 'in a team of agents');
  return section(
    'YOUR HAT',
    say`You wear the hat ${inLine(hat.name)} (${inCode(hat.id)}) ${where}.${description}`,
    lines(
      say`- ${ours(turn.keepsContext === true ? CARRIED : 'Fresh context')}: first read what bears on your task in ${setting(settings.specsDir)} and the scratchpad ${setting(settings.scratchpad)}, where they exist. ${ours(NOTES[noteRule(context)])}`,
      ours(alone ? loneTask(context) : '- Do what the events below ask of your hat, no more.'),
      ours(proofLine(context)),
      ours(COMMITS[commitRule(context) ?? 'unable']),
      say`- Temporary files: ${setting(settings.workspaceDir)}`,
    ),
  );
}

function loneTask(context: PromptContext): string {
  const one = 'ONE task, the most important one that is open';
  return isCalledBySeveral(context) ? `- Do what each event below asks; where none asks anything, ${one}.` : `- Do ${one}.`;
}

/** Who may change nothing is asked for no proof that would. */
function proofLine(context: PromptContext): string {
  const isReader = context.turn.mayWrite === false;
  if (isReader)
    return `- Claim nothing without evidence: in this turn, read or run what proves it. You may not change files${context.turn.mayNote === false ? '.' : ', the scratchpad and temporary ones aside.'}`;
  const proof = '- Claim nothing without evidence: run tests, linter, build in this turn';
  return mayRunProgram(context) ? `${proof}; use the real program once, with bad input too.` : `${proof}.`;
}

const NOTES = {
  note: 'Before you stop, note in it what the next agent must know.',
  say: CANNOT_NOTE,
} as const;

function noteRule({ turn }: PromptContext): keyof typeof NOTES {
  return turn.mayNote === false ? 'say' : 'note';
}

const COMMITS = { commit: '- Commit what is green, if in git.', none: '- Make no commits.', unable: '' } as const;

/** The user's words alone; where there are none, what name, triggers and publishes say. */
function instructions({ topology }: PromptContext, { hat }: Wearer): Words {
  if (cleanText(hat.instructions).trim() !== '') return block(hat.instructions, topology.spec.promise);
  const publishes = hat.publishes.map((entry) => entry.topic);
  const known = knownTopicLines(hat.triggers, handsOnTasks(publishes) ? [] : publishes);
  const role = known.length > 0 ? ours('.') : ours(': do with that what such a role does, and no more.');
  return lines(say`Act as your name says: ${inLine(hat.name)}. You are called for ${listInCode(hat.triggers)}${role}`, known);
}

const RESULTS = { note: 'note the result in the scratchpad', say: 'say the result in your final message' } as const;

function planHandOver(context: PromptContext, { hat, offers, ...wearer }: Wearer): Section | null {
  const noEnd = ours(wearer.mayEnd ? '' : 'You cannot end the run, only hand over.');
  if (offers.length === 0) {
    return wearer.mayEnd
      ? null
      : section('HAND OVER', ours(`You publish no events: ${RESULTS[noteRule(context)]}, then stop. You cannot end the run.`));
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

function offerLine({ topology }: PromptContext, { topic, receivers }: Offer): Words {
  const form = ours(hasWildcard(topic) ? ' (any topic of this form)' : '');
  const to = receivers.length === 0 ? ours('nobody, it is recorded') : receiverNames(receivers);
  return lines(say`- ${inCode(topic)}${form} -> ${to}${contractWords(topology, topic)}`, contractsBelow(topology, topic));
}

/** Only where there is such a topic. */
function stuckLine(topics: readonly string[]): Words {
  const stuck = stuckTopics(topics);
  return stuck.length === 0 ? [] : say`If you are stuck, publish ${listInCode(stuck)} and say why.`;
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
