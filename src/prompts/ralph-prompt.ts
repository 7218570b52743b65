import { RALPH } from '../core/index.ts';
import { mayEnd, publishableBy } from '../topology/index.ts';
import { planChannels, planTarget } from './channels.ts';
import { planCompletion } from './completion.ts';
import { contractLines } from './contract-words.ts';
import { planFeedback } from './feedback-section.ts';
import { planGuardrails } from './guardrails.ts';
import { planObjective } from './objective.ts';
import { CANNOT_NOTE, commitRule, isCalledBySeveral, mayRunProgram, type PromptContext } from './prompt-context.ts';
import { block, cleanText, inCode, setting } from './quoting.ts';
import { scratchpadWords } from './scratchpad-section.ts';
import { lines, type Section, section } from './section.ts';
import { planTeam } from './team-section.ts';
import { planTurn } from './turn-section.ts';
import { joinWords, ours, say } from './words.ts';

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

/** What Ralph reads: the core of every prompt of his, then SOLO MODE or MY TEAM. */
export function planRalphPrompt(context: PromptContext): readonly (Section | null)[] {
  const alone = context.topology.hats.length === 0;
  return [
    planIdentity(context),
    planOrientation(context),
    planScratchpad(context),
    planBackpressure(context),
    alone ? planSolo(context) : planTeam(context),
    planGuardrails(context),
    planUserInstructions(context),
    planObjective(context, 'Everything you do serves it.'),
    planFeedback(context),
    planTurn(context),
    planEvents(context, alone),
    planEnd(context, alone),
  ];
}

const CONTEXTS = {
  fresh: 'Every turn starts with a fresh context: of earlier turns you know only what the files, the git history and the scratchpad say.',
  carried:
    'Your conversation goes on over turns: those above may be of other hats, and files may have changed since; what the files, the git history and the scratchpad say counts.',
} as const;

function planIdentity(context: PromptContext): Section | null {
  const { keepsContext } = context.turn;
  const { who, turn, each } = PARTS[context.topology.coordination];
  const text = `You are Ralph, ${who}. ${CONTEXTS[keepsContext === true ? 'carried' : 'fresh']} In this turn: ${isCalledBySeveral(context) ? each : turn}.`;
  return section('RALPH', ours(text));
}

function planOrientation({ settings }: PromptContext): Section | null {
  return section(
    'ORIENTATION',
    say`Study the scratchpad, and in ${setting(settings.specsDir)} what bears on the objective (where they exist). Look at the git log and the code before you believe that something is missing or done.`,
  );
}

function planScratchpad(context: PromptContext): Section | null {
  const { settings } = context;
  if (context.turn.mayNote === false) {
    return section(
      'SCRATCHPAD',
      say`The memory of the agents is ${setting(settings.scratchpad)}: tasks, decisions, blockers. \`[ ]\` open, \`[x]\` done and checked, \`[~]\` dropped. Where it shows progress, go on from there; never start over. ${ours(CANNOT_NOTE)}`,
      scratchpadWords(context),
    );
  }
  return section(
    'SCRATCHPAD',
    say`Your memory is ${setting(settings.scratchpad)}: tasks, decisions, blockers. \`[ ]\` open, \`[x]\` done and checked, \`[~]\` dropped, with the reason. Where it shows progress, go on from there; never start over. Update it before you stop; keep it short. Temporary files: ${setting(settings.workspaceDir)}.`,
    scratchpadWords(context),
  );
}

/** What counts as done for whom, and what to do where it is not: who coordinates builds nothing. */
const PROOFS = {
  solo: {
    before: 'A claim needs evidence. Before anything counts as done (`[x]`, a commit, an event)',
    said: 'A claim needs evidence. Before you call anything done',
    red: 'fix it, or report it as red',
  },
  ralph: {
    before: "A claim needs evidence, a hat's too. Before you mark `[x]` or end the run",
    said: "A claim needs evidence, a hat's too. Before you end the run",
    red: 'delegate the repair',
  },
  hats: {
    before: "A claim needs evidence, a hat's too. Before you mark `[x]`",
    said: "A claim needs evidence, a hat's too. Before you call anything done",
    red: 'say so in your event',
  },
} as const;

function planBackpressure(context: PromptContext): Section | null {
  const { coordination } = context.topology;
  const { before, said, red } = PROOFS[coordination];
  const mayRun = mayRunProgram(context);
  const proof = mayRun
    ? 'see tests, linter, type check and build green in this turn'
    : 'see the proof in this turn, as far as you may run it';
  const use = mayRun && coordination === 'solo' ? '; use the real program once, with bad input too' : '';
  return section('BACKPRESSURE', ours(`${context.turn.mayNote === false ? said : before}, ${proof}${use}. Red: ${red}.`));
}

const SOLO_COMMITS = {
  commit: ', mark it `[x]`, and commit it with a clear message, if this is a git repository.',
  none: ' and mark it `[x]`. Make no commits.',
  unable: ' and mark it `[x]`.',
  unnoted: '.',
} as const;

function planSolo(context: PromptContext): Section | null {
  const mayNote = context.turn.mayNote !== false;
  const task = 'task, the first open one; tests first where it can be tested.';
  const steps = [
    '1. Gap analysis: what the objective and the specs ask for, against what the code does.',
    `2. Plan: ${mayNote ? 'write the gaps into the scratchpad as' : 'make the gaps'} small tasks, the most important first.`,
    isCalledBySeveral(context) ? `3. Do what each event below asks; where none asks anything, one ${task}` : `3. Do ONE ${task}`,
    `4. Verify it (BACKPRESSURE)${SOLO_COMMITS[mayNote ? (commitRule(context) ?? 'unable') : 'unnoted']}`,
    '5. Stop. The next turn takes the next task.',
  ];
  return section('SOLO MODE', ours('You have no team: the work is yours.'), ours(steps.join('\n')));
}

/** The user's additions to Ralph's own instructions. */
export function planUserInstructions({ topology }: PromptContext): Section | null {
  const { ralph, promise } = topology.spec;
  return cleanText(ralph.instructions).trim() === '' ? null : section('INSTRUCTIONS', block(ralph.instructions, promise));
}

function planEvents(context: PromptContext, alone: boolean): Section | null {
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

function planEnd(context: PromptContext, alone: boolean): Section | null {
  if (!mayEnd(context.topology, RALPH)) return section('DONE', ours('You cannot end the run: hand the work back.'));
  return planCompletion(context, {
    otherwise: alone ? 'Else just stop: the next turn goes on.' : 'Else delegate the next task.',
    channelsShown: true,
  });
}
