import { planChannels } from './channels.ts';
import { planCompletion } from './completion.ts';
import { planFeedback } from './feedback-section.ts';
import { planGuardrails } from './guardrails.ts';
import { planOriginalPrompt } from './objective.ts';
import { commitRule, isCalledBySeveral, mayRunProgram, type PromptContext } from './prompt-context.ts';
import { setting } from './quoting.ts';
import { planUserInstructions } from './ralph-prompt.ts';
import { scratchpadWords } from './scratchpad-section.ts';
import { lines, type Section, section } from './section.ts';
import { planTurn } from './turn-section.ts';
import { ours, say } from './words.ts';

/** `mode: single`: the duties of seed 004's classic loop, then the original prompt, last. */
export function planClassicPrompt(context: PromptContext): readonly (Section | null)[] {
  return [
    section(
      'RALPH',
      ours(
        `You work in a loop that calls you again and again, ${context.turn.keepsContext === true ? 'in a conversation that goes on' : 'each time with a fresh context'}, until the whole task is done.`,
      ),
    ),
    planRules(context),
    planWorkflow(context),
    planNotes(context),
    planGuardrails(context),
    planUserInstructions(context),
    planFeedback(context),
    planTurn(context),
    planEvents(context),
    planCompletion(context, { otherwise: 'Else just stop: the next iteration goes on.', channelsShown: asksForEvents(context) }),
    planOriginalPrompt(context),
  ];
}

function planRules(context: PromptContext): Section | null {
  const { settings } = context;
  const mayNote = context.turn.mayNote !== false;
  const ticked = settings.promptFile === null ? ours('in the scratchpad') : say`tick their checkboxes in ${setting(settings.promptFile)}`;
  return section(
    'RULES',
    lines(
      ours(
        isCalledBySeveral(context)
          ? '1. Do what each event below asks; where none asks anything, one small, focused task. No more in this iteration.'
          : '1. Do only ONE small, focused task in this iteration.',
      ),
      mayNote
        ? say`2. Mark subtasks as complete when you finish them: ${ticked}.`
        : ours('2. You cannot write files: say in your final message what is done.'),
      mayNote ? say`3. Put temporary files into ${setting(settings.workspaceDir)}.` : ours(''),
      ours(COMMITS[commitRule(context) ?? 'unable']),
    ),
  );
}

const COMMITS = {
  commit: '4. Commit your changes before the iteration ends, if this is a git repository: every commit is a checkpoint.',
  none: '4. Make no commits.',
  unable: '',
} as const;

function planWorkflow(context: PromptContext): Section | null {
  const use = mayRunProgram(context) ? ', and use the real program once, with bad input too,' : '';
  return section(
    'WORKFLOW',
    ours(
      [
        '- Explore: read until you understand the code that the task touches.',
        '- Plan: decide how you will do it.',
        `- Implement: write the tests first and see them fail, then the code; see tests, linter and build green${use} before you call it done.`,
        ...(commitRule(context) === 'commit' ? ['- Commit: with a message that says what changed and why.'] : []),
      ].join('\n'),
    ),
  );
}

const KEEPING = {
  note: 'Before you stop, update it: what you did, what remains, blockers, decisions.',
  say: 'You cannot write it: say in your final message what you did, what remains, blockers, decisions.',
} as const;

function planNotes(context: PromptContext): Section | null {
  const { settings } = context;
  return section(
    'SCRATCHPAD',
    say`Before you start, read ${setting(settings.scratchpad)}, if it exists. Where it shows progress, continue from there; never restart from scratch. ${ours(KEEPING[context.turn.mayNote === false ? 'say' : 'note'])}`,
    scratchpadWords(context),
  );
}

/** Only where the run asks for events: the classic loop goes on by itself. */
function planEvents(context: PromptContext): Section | null {
  return asksForEvents(context) ? section('EVENTS', planChannels(context)) : null;
}

function asksForEvents({ topology }: PromptContext): boolean {
  return topology.spec.requiredEvents.length > 0;
}
