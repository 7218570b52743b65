import { RALPH, SYSTEM_TOPICS } from '../core/index.ts';
import { mayEnd, publishableBy } from '../topology/index.ts';
import { planChannels } from './channels.ts';
import { planCompletion } from './completion.ts';
import { contractLines } from './contract-words.ts';
import { planFeedback } from './feedback-section.ts';
import { planGuardrails } from './guardrails.ts';
import { planObjective } from './objective.ts';
import type { PromptContext } from './prompt-context.ts';
import { block, cleanText, listInCode, setting } from './quoting.ts';
import { type Section, section } from './section.ts';
import { planTeam } from './team-section.ts';
import { planTurn } from './turn-section.ts';
import { ours, say, type Words } from './words.ts';

/** Ralph's three parts: the worker without hats, the coordinator of a team, the safety net of one that coordinates itself. */
const PARTS = {
  solo: { who: 'an agent in a loop', turn: 'do ONE task, prove it, stop' },
  ralph: { who: 'the coordinator of a team of agents in a loop', turn: 'delegate ONE task and stop, or end the run' },
  hats: { who: 'the safety net of a team of agents in a loop', turn: 'bring the work back to a hat, stop' },
} as const;

/** What Ralph reads: the core of every prompt of his, then SOLO MODE or MY TEAM. */
export function planRalphPrompt(context: PromptContext): readonly (Section | null)[] {
  const alone = context.topology.hats.length === 0;
  return [
    planIdentity(context),
    planOrientation(context),
    planScratchpad(context),
    planBackpressure(),
    alone ? planSolo() : planTeam(context),
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

function planIdentity({ topology, turn: { keepsContext } }: PromptContext): Section | null {
  const { who, turn } = PARTS[topology.coordination];
  const text = `You are Ralph, ${who}. ${CONTEXTS[keepsContext === true ? 'carried' : 'fresh']} In this turn: ${turn}.`;
  return section('RALPH', ours(text));
}

function planOrientation({ settings }: PromptContext): Section | null {
  return section(
    'ORIENTATION',
    say`Study the scratchpad, and in ${setting(settings.specsDir)} what bears on the objective (where they exist). Look at the git log and the code before you believe that something is missing or done.`,
  );
}

function planScratchpad({ settings }: PromptContext): Section | null {
  return section(
    'SCRATCHPAD',
    say`Your memory is ${setting(settings.scratchpad)}: tasks, decisions, blockers. \`[ ]\` open, \`[x]\` done and checked, \`[~]\` dropped, with the reason. Where it shows progress, go on from there; never start over. Update it before you stop; keep it short. Temporary files: ${setting(settings.workspaceDir)}.`,
  );
}

function planBackpressure(): Section | null {
  const text =
    'A claim needs evidence. Before anything counts as done (`[x]`, a commit, an event), see tests, linter, type check and build green in this turn. Red: fix it, or report it as red.';
  return section('BACKPRESSURE', ours(text));
}

function planSolo(): Section | null {
  const steps = [
    '1. Gap analysis: what the objective and the specs ask for, against what the code does.',
    '2. Plan: write the gaps into the scratchpad as small tasks, the most important first.',
    '3. Do ONE task, the first open one; tests first where it can be tested.',
    '4. Verify it (BACKPRESSURE), mark it `[x]`, and commit it with a clear message, if this is a git repository.',
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
    const rule = 'Nobody waits for your events: publish only what the objective or the instructions ask for. Your next turn gets it.';
    return section('EVENTS', ours(rule), planChannels(context));
  }
  const rule = say`Publish ONE topic that a hat triggers on${otherTopics(context)}, once, as your last act. Others are refused.`;
  return section('EVENTS', rule, contractLines(context.topology, publishableBy(context.topology, RALPH)), planChannels(context));
}

/** What Ralph may publish although no hat takes it: terminal and required topics. */
function otherTopics({ topology }: PromptContext): Words {
  const taken = new Set([...SYSTEM_TOPICS, ...topology.hats.flatMap((hat) => hat.triggers)]);
  const others = publishableBy(topology, RALPH).filter((topic) => !taken.has(topic));
  return others.length === 0 ? [] : say`, or of ${listInCode(others)}`;
}

function planEnd(context: PromptContext, alone: boolean): Section | null {
  if (!mayEnd(context.topology, RALPH)) return section('DONE', ours('You cannot end the run, only hand it back.'));
  return planCompletion(context, {
    otherwise: alone ? 'Else just stop: the next turn goes on.' : 'Else delegate the next task.',
    channelsShown: true,
  });
}
