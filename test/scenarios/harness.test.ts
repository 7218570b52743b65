import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assertScenario, runScenario, type Scenario, type ScenarioResult } from '../../src/testing/index.ts';

const TEAM: Scenario = {
  name: 'team',
  config: { hats: { builder: { triggers: ['build.task'], publishes: ['build.done'] } } },
  prompt: 'Build it.',
  iterations: [
    { hat: 'ralph', events: [{ topic: 'build.task', payload: 'one' }], output: 'Go.' },
    { hat: 'builder', events: [{ topic: 'build.done' }], output: 'Built.' },
    { hat: 'ralph', output: 'LOOP_COMPLETE' },
  ],
  expect: { reason: 'completed', hats: ['ralph', 'builder', 'ralph'] },
};

function messageOf(result: ScenarioResult): string {
  try {
    assertScenario(result);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a scenario', () => {
  it('is played as a value, and leaves no folder behind', async () => {
    const result = await runScenario(TEAM);
    expect(messageOf(result)).toBe('');
    expect(existsSync(result.folder)).toBe(false);
    expect(result.calls.map((call) => call.env['RALPH_HAT'])).toEqual(['ralph', 'builder', 'ralph']);
  });

  it('whose expectations are wrong says which, what was seen instead, and what happened', async () => {
    const expect_ = {
      reason: 'stalled',
      hats: ['ralph', 'reviewer', 'ralph'],
      turns: [{ turn: 2, prompt_has: ['two'] }],
      files: { 'built.txt': 'exists' },
    } as const;
    const message = messageOf(await runScenario({ ...TEAM, expect: expect_ }));
    expect(message).toContain('Scenario "team" did not go as expected: 4 expectations failed.');
    expect(message).toContain('  reason\n    expected: stalled\n    seen:     completed\n');
    expect(message).toContain('  hats\n    expected: ralph, reviewer, ralph\n    seen:     ralph, builder, ralph\n');
    expect(message).toContain('  turns (turn 2).prompt_has\n    expected: "two"\n    seen:     ');
    expect(message).toContain('  files.built.txt\n    expected: to be there\n    seen:     there is no such file\n');
    expect(message).toContain('What happened:');
    expect(message).toContain(
      '  2.1 builder (custom:agent) given build.task: succeeded\n    builder -> build.done -> ralph (safety-net)\n',
    );
    expect(message).toContain('ended: completed (exit code 0)');
  });

  it('fails when an agent is called that has nothing to play, and when something is left to play', async () => {
    const iterations = [...TEAM.iterations.slice(0, 1), { hat: 'reviewer', output: 'Never.' }];
    const result = await runScenario({
      ...TEAM,
      config: { ...(TEAM.config as object), event_loop: { max_iterations: 2 } },
      iterations,
      expect: {},
    });
    expect(result.faults).toEqual(['turn 2 (builder) had no scripted turn left', 'the scripted turn 2 was never played']);
  });

  it('that does not end is killed after its time, and fails', async () => {
    const result = await runScenario({ name: 'endless', prompt: 'Hang.', timeout_ms: 500, iterations: [{ hang: true }], expect: {} });
    expect(result.faults).toEqual(['the run did not end within 500 ms; it was killed']);
    expect(result.runs[0]?.ends).toMatchObject([{ reason: 'interrupted' }]);
  });

  it('fails when the moment of a step never comes', async () => {
    const result = await runScenario({ ...TEAM, steps: [{ interrupt: { turn: 9 } }] });
    expect(messageOf(result)).toContain('the moment of the interrupt never came: the run was over before');
  });

  it('keeps its folder where that is asked for, and hands its environment on', async () => {
    const iterations = [{ run: 'echo "$MARK" > mark.txt', output: 'LOOP_COMPLETE' }];
    const scenario: Scenario = {
      name: 'kept',
      prompt: 'x',
      iterations,
      env: { MARK: 'ours' },
      expect: { files: { 'mark.txt': { equals: 'ours\n' } } },
    };
    const result = await runScenario(scenario, { keep: true });
    expect(messageOf(result)).toBe('');
    expect(existsSync(result.folder)).toBe(true);
    rmSync(result.folder, { recursive: true });
  });

  it('that the documentation shows is one, and goes as it says', async () => {
    const text = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8');
    const example = /```yaml\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
    const folder = mkdtempSync(join(tmpdir(), 'ralph-docs-'));
    writeFileSync(join(folder, 'example.yml'), example);
    const result = await runScenario(join(folder, 'example.yml'));
    rmSync(folder, { recursive: true });
    expect(result.scenario.name).toBe('review_before_the_end');
    expect(messageOf(result)).toBe('');
  });
});
