import { CANNOT_NOTE, commitRule, isCalledBySeveral, mayRunProgram, type PromptContext } from './prompt-context.ts';
import { cleanForPrompt, inBlock, lines, ours, type PromptWords, type Section, say, section, setting } from './prompt-text.ts';

const NOTE = 'Nobody answers questions: decide, and note why in the scratchpad.';
const SAY = 'Nobody answers questions: decide, and say why in your event.';
const ASK =
  'What only a person can decide, ask: `ralph ask "…" --choices a,b --default b` (or the tool `ask_person`). It waits, and the default counts when nobody answers. Decide the rest.';
/** What every agent must know, whatever its task. Replaced by `core.guardrails`. */
const BUILT_IN = [
  'Search before you write: it may exist already.',
  'No stubs, no invented results, no weakened or skipped checks.',
  'Change only what the task needs; leave `.ralph/` alone.',
  'Leave no process running.',
];

/** The guardrails: the user's, else the built-in ones. */
export function planGuardrails({ settings, topology, turn }: PromptContext): Section | null {
  if (settings.guardrails === null) {
    const alone = turn.mayNote === false ? SAY : NOTE;
    return section('GUARDRAILS', ours(toList([settings.asksPeople === true ? ASK : alone, ...BUILT_IN])));
  }
  return section('GUARDRAILS', inBlock(toList(settings.guardrails), topology.spec.promise));
}

function toList(rules: readonly string[]): string {
  const clean = rules.map((rule) => cleanForPrompt(rule).replace(/\s+/g, ' ').trim()).filter((rule) => rule !== '');
  return clean.map((rule) => `- ${rule}`).join('\n');
}

/** The user's additions to Ralph's own instructions. */
export function planUserInstructions({ topology }: PromptContext): Section | null {
  const { ralph, promise } = topology.spec;
  return cleanForPrompt(ralph.instructions).trim() === '' ? null : section('INSTRUCTIONS', inBlock(ralph.instructions, promise));
}

/** The conversation may be one of several hats, and of some time ago. */
const CARRIED = 'Carried context: turns above may be of other hats, and files may have changed since';
const NOTE_FOR_NEXT = 'Before you stop, note in it what the next agent must know.';
const HAT_COMMITS = { commit: '- Commit what is green, if in git.', none: '- Make no commits.', unable: '' } as const;

/** How a hat is to work; `alone`: a lone hat that nobody coordinates. */
export function hatRules(context: PromptContext, alone: boolean): PromptWords {
  const { settings, turn } = context;
  const notes = turn.mayNote === false ? CANNOT_NOTE : NOTE_FOR_NEXT;
  return lines(
    say`- ${ours(turn.keepsContext === true ? CARRIED : 'Fresh context')}: first read what bears on your task in ${setting(settings.specsDir)} and the scratchpad ${setting(settings.scratchpad)}, where they exist. ${ours(notes)}`,
    ours(alone ? loneTask(context) : '- Do what the events below ask of your hat, no more.'),
    ours(proofLine(context)),
    ours(HAT_COMMITS[commitRule(context) ?? 'unable']),
    say`- Temporary files: ${setting(settings.workspaceDir)}`,
  );
}

function loneTask(context: PromptContext): string {
  const one = 'ONE task, the most important one that is open';
  return isCalledBySeveral(context) ? `- Do what each event below asks; where none asks anything, ${one}.` : `- Do ${one}.`;
}

/** An agent that may change nothing is asked for no proof that changes something. */
function proofLine(context: PromptContext): string {
  const isReader = context.turn.mayWrite === false;
  if (isReader)
    return `- Claim nothing without evidence: in this turn, read or run what proves it. You may not change files${context.turn.mayNote === false ? '.' : ', the scratchpad and temporary ones aside.'}`;
  const proof = '- Claim nothing without evidence: run tests, linter, build in this turn';
  return mayRunProgram(context) ? `${proof}; use the real program once, with bad input too.` : `${proof}.`;
}

/** What Ralph reads first. */
export function planOrientation({ settings }: PromptContext): Section | null {
  return section(
    'ORIENTATION',
    say`Study the scratchpad, and in ${setting(settings.specsDir)} what bears on the objective (where they exist). Look at the git log and the code before you believe that something is missing or done.`,
  );
}

/** What must be proved before what, and what to do when it is red: a coordinator repairs nothing itself. */
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

/** What Ralph must see before anything counts as done. */
export function planBackpressure(context: PromptContext): Section | null {
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

/** What Ralph does in a run without hats. */
export function planSolo(context: PromptContext): Section | null {
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

export function planClassicRules(context: PromptContext): Section | null {
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
      ours(CLASSIC_COMMITS[commitRule(context) ?? 'unable']),
    ),
  );
}

const CLASSIC_COMMITS = {
  commit: '4. Commit your changes before the iteration ends, if this is a git repository: every commit is a checkpoint.',
  none: '4. Make no commits.',
  unable: '',
} as const;

export function planWorkflow(context: PromptContext): Section | null {
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
