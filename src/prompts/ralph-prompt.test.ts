import { describe, expect, it } from 'vitest';
import { makeHat } from '../core/spec-fixtures.ts';
import { buildPrompt } from './build-prompt.ts';
import { OBJECTIVE, SELF_COORDINATED, SETTINGS, sampleEvent, sampleSpec, sampleTopology, sampleTurn, TEAM } from './fixtures.ts';

const solo = sampleTopology();
const team = sampleTopology({ hats: TEAM });
const ask = (topology = solo, changes = {}, settings = SETTINGS): string => buildPrompt(topology, sampleTurn('ralph', changes), settings);
const headings = (prompt: string): readonly string[] => prompt.split('\n').filter((line) => /^##? /.test(line));

describe('seed 003, steps 3 and 5: the prompt of Ralph', () => {
  it('Solo mode prompt (no hats) includes SOLO MODE section', () => {
    expect(headings(ask(solo))).toContain('## SOLO MODE');
    expect(ask(solo)).not.toContain('MY TEAM');
  });

  it('Multi-hat prompt includes MY TEAM section with hat table', () => {
    const prompt = ask(team);
    expect(headings(prompt)).toContain('## MY TEAM');
    expect(prompt).toContain('| hat | triggers | publishes | description |\n|---|---|---|---|\n');
    expect(prompt).toContain('| builder | build.task, review.rejected | build.done, build.blocked | Writes code and its tests. |');
    expect(prompt).toContain('| reviewer | build.done | review.approved, review.rejected | Reads diffs; looks for bugs. |');
  });

  it('Prompt always includes core behaviors (scratchpad, backpressure)', () => {
    for (const topology of [solo, team, sampleTopology({ hats: SELF_COORDINATED })]) {
      const prompt = ask(topology);
      expect(headings(prompt)).toEqual(
        expect.arrayContaining(['# RALPH', '## ORIENTATION', '## SCRATCHPAD', '## BACKPRESSURE', '## EVENTS']),
      );
      expect(prompt).toContain('`.agent/scratchpad.md`');
      for (const mark of ['`[ ]`', '`[x]`', '`[~]`']) expect(prompt).toContain(mark);
      expect(prompt).toMatch(/fresh context/);
      expect(prompt).toMatch(/see tests, linter, type check and build green in this turn/);
    }
  });

  it('Core prompt includes scratchpad, backpressure, event writing instructions', () => {
    for (const topology of [solo, team]) {
      expect(ask(topology)).toContain('ralph emit TOPIC');
      expect(ask(topology)).toContain('`$RALPH_EVENTS_FILE` (`.agent/events.jsonl`)');
    }
  });

  it('Solo mode section only appears when no hats configured', () => {
    expect(headings(ask(team))).not.toContain('## SOLO MODE');
    expect(headings(ask(sampleTopology({ hats: [] })))).toContain('## SOLO MODE');
  });

  it('Multi-hat section includes correct topology table', () => {
    const hats = [
      makeHat('qa', ['test.*'], [], { name: 'Quality', description: 'Tests | measures.\nDaily.' }),
      makeHat('idle', ['x'], ['y']),
    ];
    const prompt = ask(sampleTopology({ hats }));
    expect(prompt).toContain('| qa | test.* | - | Quality: Tests \\| measures. Daily. |');
    expect(prompt).toContain('| idle | x | y | - |');
  });
});

describe('Ralph alone', () => {
  it('is told gap analysis, plan, one task, verification, commit and stop, in this order', () => {
    const prompt = ask(solo);
    const steps = ['1. Gap analysis', '2. Plan', '3. Do ONE task', '4. Verify', 'commit it', '5. Stop'].map((step) => prompt.indexOf(step));
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect(steps).not.toContain(-1);
  });

  it('is shown the promise inside a sentence, with when it may be used', () => {
    expect(ask(solo)).toMatch(/Only when the whole objective is met.* end your final message with `LOOP_COMPLETE` on a line of its own/);
    expect(ask(sampleTopology({ promise: 'ALL DONE' }))).toContain('`ALL DONE` on a line of its own');
  });
});

describe('Ralph with a team', () => {
  it('delegates by publishing what a hat takes and does not do its work', () => {
    const prompt = ask(team);
    expect(prompt).toMatch(/Delegate ONE task: publish a topic that the fitting hat triggers on/);
    expect(prompt).toMatch(/Never do the work of a hat/);
    expect(prompt).toContain('task.start -> ralph -> build.task -> builder -> build.done -> reviewer');
  });

  it('is shown the topics that he may publish as a list, all of them', () => {
    expect(ask(team)).toContain('publish ONE of these topics, once: `build.task`, `review.rejected`, `build.done`. Others are refused.');
    const many = Array.from({ length: 60 }, (_, index) => makeHat(`h${index}`, [`t${index}.go`], ['x']));
    const prompt = ask(sampleTopology({ hats: many }));
    for (const hat of many) expect(prompt).toContain(`\`${hat.triggers[0]}\``);
  });

  it('is told which topics without a taker he may publish too', () => {
    const topology = sampleTopology({ hats: TEAM, terminalEvents: ['deploy.done'], requiredEvents: ['build.done', 'docs.written'] });
    expect(ask(topology)).toContain('`deploy.done`, `docs.written`');
  });

  it('may end the run as coordinator but not as safety net of a team that coordinates itself', () => {
    expect(ask(team)).toContain('`LOOP_COMPLETE`');
    const net = ask(sampleTopology({ hats: SELF_COORDINATED }), {
      fallback: 'untaken',
      events: [sampleEvent('lost', 'x', { source: 'builder' })],
    });
    expect(net).not.toContain('LOOP_COMPLETE');
    expect(net).toContain('You cannot end the run');
    expect(net).toContain('safety net');
  });

  it('checks what others claim, and sees nothing green before an event of his own', () => {
    const part = ask(team).split('## BACKPRESSURE')[1]?.split('##')[0] ?? '';
    expect(part).not.toMatch(/an event\)|a commit|fix it/);
    expect(part).toMatch(/Red: delegate the repair/);
    expect(ask(solo).split('## BACKPRESSURE')[1]?.split('##')[0]).toMatch(/Red: fix it/);
  });

  it('as a safety net is told nothing that the hats do without him', () => {
    const net = ask(sampleTopology({ hats: SELF_COORDINATED }), { fallback: 'untaken', events: [sampleEvent('lost', 'x')] });
    expect(net).not.toMatch(/you hand it out|Red: fix it|delegate|only hand it back/i);
    expect(net).toMatch(/hand the work to each other/);
    expect(net).toMatch(/A task that fits no hat: do it[^\n]*then publish/);
  });

  it('never shows what the hats are told', () => {
    for (const hat of TEAM) expect(ask(team)).not.toContain(hat.instructions.split('\n')[0]);
  });
});

describe('what users change in Ralph’s prompt', () => {
  it('adds `ralph.instructions` to his own', () => {
    const ralph = { ...sampleSpec().ralph, instructions: 'Speak British English.\n' };
    const prompt = ask(sampleTopology({ ralph }));
    expect(prompt).toContain('## INSTRUCTIONS\n\nSpeak British English.\n');
    expect(headings(prompt)).toContain('## SOLO MODE');
  });

  it('follows the configured paths', () => {
    const settings = { ...SETTINGS, scratchpad: 'notes/pad.md', eventsFile: 'notes/ev.jsonl', specsDir: 'rfc/', workspaceDir: 'tmp/w/' };
    const prompt = ask(solo, {}, settings);
    for (const path of ['notes/pad.md', 'notes/ev.jsonl', 'rfc/', 'tmp/w/']) expect(prompt).toContain(`\`${path}\``);
    expect(prompt).not.toContain('.agent/');
  });

  it('keeps the objective whole between fences, and says which file it came from', () => {
    const prompt = ask(solo, {}, { ...SETTINGS, promptFile: 'PROMPT.md' });
    expect(prompt).toContain(`\`\`\`\n${OBJECTIVE}\n\`\`\``);
    expect(prompt).toContain('from `PROMPT.md` as it was when the run began');
    const long = 'Do it. '.repeat(40_000);
    expect(ask(sampleTopology({ objective: long }))).toContain(long);
  });

  it('leaves the objective out where there is none', () => {
    expect(headings(ask(sampleTopology({ objective: ' \n' })))).not.toContain('## OBJECTIVE');
  });
});

describe('a Ralph that cannot write the scratchpad', () => {
  const selfCoordinated = sampleTopology({ hats: SELF_COORDINATED });
  const classic = sampleTopology({ mode: 'single' });
  const NOTES =
    /update it|in the scratchpad as|(?:tasks|note it|fits none|why|complete when you finish them:) in the scratchpad|into the scratchpad|mark `\[x\]`|mark it `\[x\]`|Temporary files:|temporary files into/i;

  it.each([
    ['alone', solo, 'ralph'],
    ['as the coordinator', team, 'ralph'],
    ['as the safety net', selfCoordinated, 'ralph'],
    ['in the classic loop', classic, 'default'],
  ] as const)('is asked %s for no note in it, and told to read it', (_, topology, hat) => {
    const prompt = buildPrompt(topology, sampleTurn(hat, { mayWrite: false, mayNote: false }), SETTINGS);
    expect(prompt).not.toMatch(NOTES);
    expect(prompt).toContain('You cannot write');
    expect(prompt).toContain('`.agent/scratchpad.md`');
    // It keeps its notes where it has a tool for them.
    expect(buildPrompt(topology, sampleTurn(hat, { mayWrite: false }), SETTINGS)).toMatch(NOTES);
  });
});
