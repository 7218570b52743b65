import { describe, expect, it } from 'vitest';
import { makeHat } from '../core/spec-fixtures.ts';
import { buildPrompt } from './build-prompt.ts';
import { OBJECTIVE, SELF_COORDINATED, SETTINGS, sampleEvent, sampleTopology, sampleTurn, TEAM } from './fixtures.ts';

const team = sampleTopology({ hats: TEAM });
const ask = (hat: string, topology = team, changes = {}): string => buildPrompt(topology, sampleTurn(hat, changes), SETTINGS);

describe('the prompt of a hat', () => {
  it('holds its own instructions and no other hat’s', () => {
    const prompt = ask('builder');
    expect(prompt).toContain('## INSTRUCTIONS\n\nImplement exactly what the task says.\nKeep functions short.\n');
    expect(prompt).toContain('You wear the hat Builder (`builder`) in a team of agents. Writes code and its tests.');
    expect(prompt).not.toContain('Read the diff');
    expect(prompt).not.toContain('MY TEAM');
  });

  it('derives instructions from name, triggers and topics where the user wrote none', () => {
    const prompt = ask('builder', sampleTopology({ hats: SELF_COORDINATED }));
    expect(prompt).toContain('Act as your name says: Builder. You are called for `build.task`');
    expect(prompt).toContain('- `build.done` -> planner\n');
  });

  it('pins the objective', () => {
    expect(ask('reviewer')).toContain(OBJECTIVE);
  });

  it('lists what it may publish and who receives each', () => {
    const prompt = ask('builder');
    expect(prompt).toContain('- `build.done` -> reviewer\n- `build.blocked` -> ralph\n');
    expect(prompt).toContain('publish ONE of these topics, once, and stop');
  });

  it('tells of patterns, of topics nobody takes, and of targets to choose from', () => {
    const publishes = [
      { topic: 'review.*' },
      { topic: 'deploy.done' },
      { topic: 'hand', target: 'builder' },
      { topic: 'hand', target: 'reviewer' },
      { topic: 'odd.*' },
    ];
    const hats = [makeHat('lead', ['go'], [], { publishes }), ...TEAM];
    const prompt = ask('lead', sampleTopology({ hats, terminalEvents: ['deploy.done'] }));
    expect(prompt).toContain('- `review.*` (any topic of this form) -> builder\n');
    expect(prompt).toContain('- `deploy.done` -> nobody, it is recorded\n');
    expect(prompt).toContain('- `hand` -> builder, reviewer\n');
    expect(prompt).toContain('- `odd.*` (any topic of this form) -> ralph\n');
    expect(prompt).toContain('`--target HAT`');
    expect(ask('builder')).not.toContain('--target');
  });

  it('says what is published in its name, and which gates it will have to pass', () => {
    const gates = [
      { on: ['build.done'], run: 'npm test', timeoutMs: 1 },
      { on: ['task.complete'], run: 'npm run e2e', timeoutMs: 1 },
    ];
    const prompt = ask('builder', sampleTopology({ hats: TEAM, gates }));
    expect(prompt).toContain('If you publish nothing, the loop publishes `build.done` in your name.');
    expect(prompt).toContain('Before `build.done` counts, the loop runs `npm test` itself: run it first.');
    expect(prompt).not.toContain('e2e');
    expect(ask('reviewer')).not.toContain('in your name');
  });
});

describe('a target', () => {
  const edge = [makeHat('lead', ['go'], [], { publishes: [{ topic: 'hand', target: 'builder' }] }), ...TEAM];

  it('is taught to a hat whose contract has an edge to a hat', () => {
    expect(ask('lead', sampleTopology({ hats: edge }))).toContain('`--target HAT`');
    expect(ask('builder', sampleTopology({ hats: edge }))).not.toMatch(/target/);
  });

  it('is taught to every hat and to Ralph, with the hats by name, where a target lifts contracts', () => {
    const topology = sampleTopology({ mode: 'multi', hats: SELF_COORDINATED });
    expect(ask('builder', topology)).toMatch(/any topic.*`planner`[\s\S]*`--target HAT`/);
    expect(ask('ralph', topology)).toMatch(/any topic.*`planner`, `builder`[\s\S]*`--target HAT`/);
  });

  it('is written in the ways that are on', () => {
    const only = (eventSources: readonly ('jsonl' | 'text')[], more = {}): string =>
      ask('lead', sampleTopology({ hats: edge, eventSources }), more);
    expect(only(['text'])).toMatch(/`target="…"`/);
    expect(only(['text'])).not.toContain('--target');
    expect(only(['jsonl'])).not.toContain('target="…"');
    expect(only(['jsonl'], { hasEmitTool: true })).toContain('`target`');
    expect(only(['jsonl'], { hasEmitTool: true })).not.toContain('--target');
  });
});

describe('a hat that is stuck', () => {
  it('is told which of its topics says so', () => {
    expect(ask('builder')).toContain('If you are stuck, publish `build.blocked`');
  });

  it('is not told to say so where no topic of it does', () => {
    expect(ask('reviewer')).not.toMatch(/stuck/);
    const hats = [makeHat('a', ['go'], ['review.*', 'tests.failed']), ...TEAM];
    expect(ask('a', sampleTopology({ hats }))).not.toMatch(/stuck/);
  });
});

describe('the proof of a hat', () => {
  it('is the real program, used once, and a commit, where the hat may write', () => {
    expect(ask('builder')).toMatch(/use the real program once/);
    expect(ask('builder')).toMatch(/Commit what is green/);
  });

  it('is neither a change nor a commit where the hat may not write', () => {
    const prompt = ask('reviewer', team, { mayWrite: false });
    expect(prompt).not.toMatch(/commit what|use the real program/i);
    expect(prompt).toMatch(/You may not change files/);
  });

  it('asks a hat that cannot write the scratchpad for no note in it, and for its findings in the event', () => {
    const prompt = ask('reviewer', team, { mayWrite: false, mayNote: false });
    expect(prompt).not.toMatch(/note (?:in it|why in the scratchpad|the result in the scratchpad)|the scratchpad and temporary ones aside/);
    expect(prompt).toContain('You cannot write the scratchpad: what the next agent must know belongs in the payload of your event.');
    expect(prompt).toContain('Nobody answers questions: decide, and say why in your event.');
    expect(ask('reviewer', team, { mayWrite: false })).toContain('note in it what the next agent must know');
  });

  it('is no commit where commits are not the agents’', () => {
    for (const [topology, hat] of [
      [team, 'builder'],
      [team, 'ralph'],
      [sampleTopology(), 'ralph'],
      [sampleTopology({ mode: 'single' }), 'default'],
      [sampleTopology({ hats: SELF_COORDINATED }), 'ralph'],
    ] as const) {
      const prompt = buildPrompt(topology, sampleTurn(hat), { ...SETTINGS, agentsCommit: false });
      expect(prompt).toMatch(/Make no commits/);
      expect(prompt).not.toMatch(/commit (it|what|your)|- Commit:/i);
    }
  });

  it('asks Ralph for no change that he may not make', () => {
    for (const topology of [team, sampleTopology(), sampleTopology({ hats: SELF_COORDINATED })])
      expect(ask('ralph', topology, { mayWrite: false })).not.toMatch(/commit it|do it, verify it/);
  });
});

describe('who may end the run', () => {
  it('keeps the promise from a hat that may not, and tells it to hand over', () => {
    const prompt = ask('builder');
    expect(prompt).not.toContain('LOOP_COMPLETE');
    expect(prompt).not.toContain('task.complete');
    expect(prompt).toContain('You cannot end the run, only hand over.');
  });

  it('tells the recovery hat how to end, and to hand over else', () => {
    const prompt = ask('planner', sampleTopology({ hats: SELF_COORDINATED }));
    expect(prompt).toContain('`LOOP_COMPLETE` on a line of its own');
    expect(prompt).toContain('Else hand over.');
    expect(prompt).not.toContain('cannot end');
  });

  it('tells a hat that lists the promise how to end and does not list the promise as an event', () => {
    const hats = [makeHat('closer', ['all.done'], ['LOOP_COMPLETE', 'more.work']), ...TEAM];
    const prompt = ask('closer', sampleTopology({ hats }));
    expect(prompt).toContain('`LOOP_COMPLETE` on a line of its own');
    expect(prompt).not.toContain('`LOOP_COMPLETE` ->');
  });

  it('names required events and the gates of completion to those who may end', () => {
    const topology = sampleTopology({
      hats: SELF_COORDINATED,
      requiredEvents: ['docs.written'],
      gates: [
        { on: ['task.complete'], run: 'npm test', timeoutMs: 1 },
        { on: ['LOOP_COMPLETE'], run: 'npm run lint', timeoutMs: 1 },
      ],
    });
    const prompt = ask('planner', topology);
    expect(prompt).toContain('Before that, `docs.written` must have been published in this run.');
    expect(prompt).toContain('The loop then runs `npm test`, `npm run lint` itself; a failure refuses the end.');
    expect(ask('builder', topology)).not.toContain('npm test');
  });

  it('names the event of completion to a hat whose contract lists it, and how to publish it', () => {
    const judge = makeHat('judge', ['built'], ['task.complete']);
    const topology = sampleTopology({ hats: [makeHat('maker', ['task.start', 'task.resume'], ['built']), judge] });
    const prompt = ask('judge', topology);
    expect(prompt).toContain('`LOOP_COMPLETE` on a line of its own, outside code fences, or publish `task.complete`.');
    expect(prompt).toContain('<event topic="…">');
    expect(ask('maker', topology)).not.toContain('task.complete');
  });

  it('leaves a lone hat that publishes nothing with the promise alone', () => {
    const lone = sampleTopology({ hats: [makeHat('worker', ['task.start', 'task.resume'], [], { instructions: 'Work.' })] });
    const prompt = ask('worker', lone);
    expect(prompt).toContain('in a loop that calls you until the work is done');
    expect(prompt).not.toContain('HAND OVER');
    expect(prompt).not.toContain('ralph emit');
    expect(prompt).toMatch(/`LOOP_COMPLETE` on a line of its own[\s\S]*Else just stop\.\n$/);
  });

  it('tells a hat that may neither publish nor end to note the result and stop', () => {
    const prompt = ask('mute', sampleTopology({ hats: [makeHat('mute', ['m'], []), ...TEAM] }));
    expect(prompt).toContain('You publish no events: note the result in the scratchpad, then stop. You cannot end the run.');
    expect(prompt).not.toContain('ralph emit');
  });
});

describe('the channels that are on', () => {
  const only = (eventSources: readonly ('jsonl' | 'text')[], hat = 'builder', hats = TEAM): string =>
    ask(hat, sampleTopology({ hats, eventSources }));

  it('shows the command, the file and the tag when all are on', () => {
    const prompt = ask('builder');
    expect(prompt).toContain('- shell: `ralph emit TOPIC \'payload\'` (or `"$RALPH_BIN" emit …`)');
    expect(prompt).toContain('append the line `{"topic":"TOPIC","payload":"…"}` to `$RALPH_EVENTS_FILE` (`.agent/events.jsonl`)');
    expect(prompt).toContain('```\n<event topic="…">payload</event>\n```');
  });

  it('mentions no tag when text is off', () => {
    expect(only(['jsonl'])).not.toContain('<event');
    expect(only(['jsonl'])).toContain('ralph emit');
  });

  it('mentions neither command nor file when only text is on', () => {
    expect(only(['text'])).toContain('<event topic="…">');
    expect(only(['text'])).not.toMatch(/ralph emit|RALPH_EVENTS_FILE|jsonl/);
  });

  it('ends the run by an event when text is off, and then shows how even a silent hat publishes it', () => {
    const prompt = only(['jsonl'], 'worker', [makeHat('worker', ['task.start', 'task.resume'], [])]);
    expect(prompt).toContain('publish `task.complete`, with the evidence as payload');
    expect(prompt).not.toContain('LOOP_COMPLETE');
    expect(prompt.match(/ralph emit/g)).toHaveLength(1);
    expect(only(['jsonl'], 'planner', SELF_COORDINATED).match(/ralph emit/g)).toHaveLength(1);
  });

  it('says so when no channel is on', () => {
    expect(only([])).toContain('No channel for events is on');
  });
});

describe('a hat that the topology does not know', () => {
  it('is left to Ralph', () => {
    expect(ask('ghost', team, { events: [sampleEvent('x')] })).toContain('# RALPH');
  });
});
