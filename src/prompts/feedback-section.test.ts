import { describe, expect, it } from 'vitest';
import type { Feedback } from '../core/index.ts';
import { buildPrompt } from './build-prompt.ts';
import { FAILED_GATE, SETTINGS, sampleTopology, sampleTurn, TEAM } from './fixtures.ts';

const team = sampleTopology({ hats: TEAM });
const ask = (...feedback: readonly Feedback[]): string => buildPrompt(team, sampleTurn('builder', { feedback }), SETTINGS);

describe('what a hat is told of its last turn', () => {
  it('is nothing where there is nothing to tell', () => {
    expect(ask()).not.toContain('FEEDBACK');
  });

  it('is called its own, but not where it is asked to resolve what another could not', () => {
    const stuck = { kind: 'gate-stuck', topic: 'a.b', gate: 'npm test', count: 3, failures: [] } as const;
    const refused = { kind: 'refused', topic: 'x', allowed: [] } as const;
    expect(ask({ ...stuck, hat: 'reviewer' })).toContain('You are asked to resolve this;');
    expect(ask({ ...stuck, hat: 'reviewer' }, { kind: 'withdrawn', topics: [] })).toContain('You are asked to resolve this;');
    expect(ask({ ...stuck, hat: 'builder' })).toContain('About your last turn;');
    expect(ask({ ...stuck, hat: 'reviewer' }, refused)).toContain('About your last turn;');
  });

  it('is which topics were refused and which are allowed, in one note', () => {
    const allowed = ['build.done', 'build.blocked'];
    const prompt = ask(
      { kind: 'refused', topic: 'ship.it', allowed },
      { kind: 'refused', topic: 'x.y', allowed },
      { kind: 'refused', topic: 'ship.it', allowed },
    );
    expect(prompt).toContain('- You may not publish `ship.it`, `x.y`. Allowed: `build.done`, `build.blocked`.\n');
    expect(ask({ kind: 'refused', topic: 'x', allowed: [] })).toContain('You may publish nothing.');
  });

  it('is what it changed although it may not, the newest time only', () => {
    const prompt = ask(
      { kind: 'tree-changed', paths: ['old.ts'], total: 1, reverted: null },
      { kind: 'tree-changed', paths: ['src/a.ts', 'x`y'], total: 5, reverted: 5 },
    );
    expect(prompt).toContain('- You may not change files, and you changed `src/a.ts`, ');
    expect(prompt).toContain(' and 3 more. It was taken back and is on record. Only `.agent/` is yours; hand the work on instead.');
    expect(prompt).not.toContain('old.ts');
  });

  it('is that nobody could tell what it changed', () => {
    expect(ask({ kind: 'tree-changed', paths: [], total: 0, reverted: null })).toContain(
      '- You may not change files. Whether you did could not be told: that is on record.',
    );
  });

  it('is why the promise did not count', () => {
    expect(ask({ kind: 'promise-refused', why: 'your turn failed.' })).toContain('- You did not end the run: your turn failed.\n');
  });

  it('is the command, the exit code and the end of the output of a failed gate, and nothing of those that passed', () => {
    const prompt = ask(FAILED_GATE);
    expect(prompt).toContain(
      '- `build.done` did not count, because a check failed.\nCommand `npm test` ended with exit code 1; its output ends:\n```\n1 test failed\nlist --json prints nothing\n```',
    );
    expect(prompt).not.toContain('npm run lint');
  });

  it('is how a gate failed that has no exit code', () => {
    const result = { gate: 0, command: 'make', passed: false, exitCode: null, timedOut: false, durationMs: 1, outputTail: ' ' };
    expect(ask({ kind: 'gate-failed', topic: 'a', results: [result] })).toContain('Command `make` could not be run, without output.');
    expect(ask({ kind: 'gate-failed', topic: 'a', results: [{ ...result, timedOut: true }] })).toContain(
      'Command `make` ran out of time, without output.',
    );
  });

  it('is what an interrupted attempt had written already', () => {
    expect(ask({ kind: 'withdrawn', topics: ['build.done'] })).toContain(
      '- Your interrupted attempt already wrote `build.done`; nobody got it.',
    );
    expect(ask({ kind: 'withdrawn', topics: [] })).not.toContain('FEEDBACK');
  });

  it('is what could not be read, the newest of it', () => {
    const notes = [1, 2, 3, 4].map(
      (line): Feedback => ({
        kind: 'malformed',
        where: `.agent/events.jsonl:${line}`,
        message: 'not valid JSON',
        excerpt: `{"a": ${line}`,
      }),
    );
    const prompt = ask(...notes);
    expect(prompt).toContain(
      '- Not taken as you wrote it: .agent/events.jsonl:2: not valid JSON. It begins: `{"a": 2` .agent/events.jsonl:3: not valid JSON. It begins: `{"a": 3` .agent/events.jsonl:4: not valid JSON. It begins: `{"a": 4` Write again what was lost.',
    );
    expect(prompt).not.toContain('jsonl:1:');
  });

  it('is that a completion was held for what a person said, whoever declared it', () => {
    const held = { kind: 'completion-held', topics: ['human.note'] } as const;
    const rest =
      'declared the work complete, but a person had published `human.note`, so the run goes on. Deal with that first; completion counts only when it is declared anew.';
    expect(ask({ ...held, by: 'reviewer' })).toContain(`- \`reviewer\` ${rest}`);
    expect(ask({ ...held, by: 'builder' })).toContain(`- You ${rest}`);
  });
});
