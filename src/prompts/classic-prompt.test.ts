import { describe, expect, it } from 'vitest';
import { buildPrompt } from './build-prompt.ts';
import { OBJECTIVE, SETTINGS, sampleEvent, sampleSpec, sampleTopology, sampleTurn } from './fixtures.ts';

const classic = sampleTopology({ mode: 'single' });
const FROM_FILE: typeof SETTINGS = { ...SETTINGS, promptFile: 'PROMPT.md' };
const ask = (topology = classic, settings = FROM_FILE, changes = {}): string =>
  buildPrompt(topology, sampleTurn('default', changes), settings);

describe('seed 004: the instructions prepended in single-hat mode', () => {
  it.each([
    ['the loop calls again and again until the task is complete', /calls you again and again.* until the whole task is done/],
    ['ONE small, focused task per iteration', /only ONE small, focused task in this iteration/],
    ['checkboxes of PROMPT.md are ticked', /tick their checkboxes in `PROMPT\.md`/],
    ['a commit after each iteration', /Commit your changes before the iteration ends/],
    ['temporary files go to .agent/workspace/', /temporary files into `\.agent\/workspace\/`/],
    ['explore, plan, implement, commit, in this order', /- Explore:.*\n- Plan:.*\n- Implement:.*\n- Commit:/],
    ['tests first, then code', /write the tests first.* then the code/],
    ['the scratchpad is read at the start', /Before you start, read `\.agent\/scratchpad\.md`/],
    [
      'the scratchpad is updated at the end: done, remaining, blockers, decisions',
      /Before you stop, update it: what you did, what remains, blockers, decisions/,
    ],
    ['the completion promise, when ALL is done', /Only when the whole objective is met.*`LOOP_COMPLETE` on a line of its own/],
  ])('%s', (_duty, words) => {
    expect(ask()).toMatch(words);
  });

  it('agent is instructed to read scratchpad and continue from previous progress', () => {
    const words = (path: string): string =>
      `## SCRATCHPAD\n\nBefore you start, read \`${path}\`, if it exists. Where it shows progress, continue from there; never restart from scratch.`;
    expect(ask()).toContain(words('.agent/scratchpad.md'));
    expect(ask(classic, { ...FROM_FILE, scratchpad: 'notes/pad.md' })).toContain(words('notes/pad.md'));
    // Before the task, so that it is read first.
    expect(ask().indexOf('## SCRATCHPAD')).toBeLessThan(ask().indexOf('## ORIGINAL PROMPT'));
  });

  it('the original prompt comes last', () => {
    expect(ask().endsWith(`\n\n${OBJECTIVE}\n`)).toBe(true);
    expect(ask()).toContain('## ORIGINAL PROMPT\n');
    expect(ask().split(OBJECTIVE)).toHaveLength(2);
  });

  it('has neither SOLO MODE nor MY TEAM and asks for no events', () => {
    expect(ask()).not.toMatch(/SOLO MODE|MY TEAM|ralph emit|<event/);
  });

  it('uses the configured promise and paths', () => {
    const prompt = ask(sampleTopology({ mode: 'single', promise: 'FERTIG' }), {
      ...FROM_FILE,
      scratchpad: 'pad.md',
      workspaceDir: 'w/',
      promptFile: 'TASKS.md',
    });
    for (const text of ['`FERTIG`', '`pad.md`', '`w/`', 'checkboxes in `TASKS.md`']) expect(prompt).toContain(text);
    expect(prompt).not.toMatch(/LOOP_COMPLETE|\.agent\/|PROMPT\.md/);
  });

  it('marks subtasks in the scratchpad where the prompt came from no file', () => {
    expect(ask(classic, SETTINGS)).toContain('Mark subtasks as complete when you finish them: in the scratchpad.');
    expect(ask(classic, SETTINGS)).not.toContain('PROMPT.md');
  });

  it('adds the user’s instructions and what became of the last turn before the prompt', () => {
    const topology = sampleTopology({ mode: 'single', ralph: { ...sampleSpec().ralph, instructions: 'Use tabs.' } });
    const prompt = ask(topology, FROM_FILE, {
      feedback: [{ kind: 'promise-refused', why: 'the tests fail' }],
      events: [sampleEvent('task.continue')],
    });
    expect(prompt).toContain('## INSTRUCTIONS\n\nUse tabs.\n');
    expect(prompt).toContain('- You did not end the run: the tests fail.');
    expect(prompt.indexOf('the tests fail')).toBeLessThan(prompt.indexOf('ORIGINAL PROMPT'));
  });

  it('shows how to publish where the run requires events or the promise cannot be given as text', () => {
    expect(ask(sampleTopology({ mode: 'single', requiredEvents: ['docs.written'] }))).toContain('ralph emit');
    const byEvent = ask(sampleTopology({ mode: 'single', eventSources: ['jsonl'] }));
    expect(byEvent).toContain('publish `task.complete`');
    expect(byEvent.match(/ralph emit/g)).toHaveLength(1);
  });

  it('fences a prompt in which the promise stands on a line, so that an echo of it completes nothing', () => {
    const objective = 'Do it. Then print\nLOOP_COMPLETE';
    expect(ask(sampleTopology({ mode: 'single', objective }))).toMatch(/```\nDo it\. Then print\nLOOP_COMPLETE\n```\n$/);
  });
});
