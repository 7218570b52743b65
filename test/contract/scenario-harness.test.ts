/** The harness of `ralph-hats/testing` (seed 003, steps 10 and 11): what it plays, what it notices, and how it says so. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  assertScenario,
  defineScenarioSuite,
  loadScenario,
  runScenario,
  type Scenario,
  type ScenarioResult,
} from '../../src/testing/index.ts';
import vitestConfig from '../../vitest.config.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCENARIOS = join(ROOT, 'test/scenarios');
const listScenarios = (): readonly string[] => readdirSync(SCENARIOS).filter((name) => name.endsWith('.yml'));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** A scenario file with this text. */
function writeScenario(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-harness-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'sample.yml');
  writeFileSync(path, text);
  return path;
}

/** What an assertion complains of; empty where it is content. */
function complaint(result: ScenarioResult): string {
  try {
    assertScenario(result);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('loading', () => {
  it('scenarios load from YAML, with everything that they say', () => {
    const path = writeScenario(`
name: sample
config: { event_loop: { max_iterations: 3 } }
prompt: Do it.
iterations:
  - { hat: ralph, output: Done., events: [{ topic: a.b, payload: [1] }], files: { x.txt: "y" }, exit: 1, delay_ms: 5 }
expect: { reason: completed, hats: [ralph] }
`);
    expect(loadScenario(path)).toEqual({
      name: 'sample',
      config: { event_loop: { max_iterations: 3 } },
      prompt: 'Do it.',
      iterations: [
        { hat: 'ralph', output: 'Done.', events: [{ topic: 'a.b', payload: [1] }], files: { 'x.txt': 'y' }, exit: 1, delay_ms: 5 },
      ],
      expect: { reason: 'completed', hats: ['ralph'] },
    });
  });

  it('a scenario with a key that nobody knows, or that is no YAML, does not load, and the place is named', () => {
    const unknown = writeScenario('name: a\niterations:\n  - { outptu: x }\nexpect: { reasons: completed }\n');
    expect(() => loadScenario(unknown)).toThrow(
      /iterations\[0\]\.outptu: there is no such key[\s\S]*expect\.reasons: there is no such key/,
    );
    expect(() => loadScenario(writeScenario('name: [a\n'))).toThrow(
      expect.objectContaining({ code: 'yaml-invalid', fix: expect.stringContaining('sample.yml:1:7') }),
    );
    expect(() => loadScenario(writeScenario('name: a\n'))).toThrow(/iterations: .*\n.*expect: /);
  });
});

describe('the mock backend', () => {
  it('executes scripted iterations: a real process for each, in their order, with all that they do', async () => {
    const { runs, calls, files } = await runScenario({
      name: 'script',
      // In a namespace of its own each agent is called by the same number.
      config: {
        isolation: 'off',
        hats: { builder: { triggers: ['build'], publishes: ['built'] } },
        event_loop: { max_consecutive_failures: 9 },
      },
      prompt: 'Do it.',
      iterations: [
        { hat: 'builder', output: 'Built.', emit: ['built'] },
        { hat: 'ralph', events: [{ topic: 'build', payload: 'a wall' }], files: { 'plan.txt': 'wall\n' }, delay_ms: 300, output: 'Go.' },
        { hat: 'ralph', stderr: 'out of bricks', exit: 3 },
        { hat: 'ralph', signal: 'TERM' },
        { hat: 'ralph', output: 'LOOP_COMPLETE' },
      ],
      expect: { files: { 'plan.txt': 'exists' } },
    });
    const [run] = runs;
    expect(run?.turns.map(({ hat, status, exitCode }) => [hat, status, exitCode])).toEqual([
      ['ralph', 'succeeded', 0],
      ['builder', 'succeeded', 0],
      ['ralph', 'failed', 3],
      ['ralph', 'failed', null],
      ['ralph', 'succeeded', 0],
    ]);
    expect(run?.turns.map(({ failure }) => failure?.message ?? '')).toEqual([
      '',
      '',
      expect.stringContaining('out of bricks'),
      expect.stringContaining('SIGTERM'),
      '',
    ]);
    expect(run?.events.map(({ topic, to }) => `${topic} > ${to}`)).toEqual([
      'task.start > ralph',
      'build > builder',
      'built > ralph',
      'error.cli > ralph',
      'error.cli > ralph',
      'task.complete > ',
    ]);
    expect(run?.ends).toMatchObject([{ reason: 'completed', exitCode: 0 }]);
    expect(run?.durationMs).toBeGreaterThanOrEqual(300);
    expect(new Set(calls.map((call) => call.pid)).size).toBe(5);
    expect(files).toEqual({ 'plan.txt': 'wall\n' });
  });

  it('notices a turn that nobody scripted and a scripted turn that nobody played', async () => {
    const result = await runScenario({
      name: 'wrong script',
      config: { event_loop: { max_iterations: 2 } },
      prompt: 'Do it.',
      iterations: [{ output: 'one' }, { hat: 'builder', output: 'never' }],
      expect: {},
    });
    const wrong = complaint(result);
    expect(wrong).toContain('turn 2 (ralph) had no scripted turn left');
    expect(wrong).toContain('the scripted turn 2 was never played');
  });
});

/** A run of two turns that is as it should be. */
const GOOD: Scenario = {
  name: 'good',
  config: { hats: { builder: { triggers: ['build'], publishes: ['built'] } } },
  prompt: 'Do it.',
  iterations: [
    { hat: 'ralph', events: [{ topic: 'build', payload: 'a wall' }, { topic: 'gossip' }], output: 'Go.' },
    { hat: 'builder', files: { 'wall.txt': 'bricks\n' }, output: 'Built.', events: [{ topic: 'built' }] },
    { hat: 'ralph', output: 'LOOP_COMPLETE' },
  ],
  expect: {
    reason: 'completed',
    exit_code: 0,
    iterations: 3,
    hats: ['ralph', 'builder', 'ralph'],
    events: ['system -> task.start -> ralph', 'ralph -> build -> builder', 'builder -> built -> ralph', 'ralph -> task.complete -> nobody'],
    refused: ['ralph -> gossip -> scope'],
    turns: [{ turn: 2, backend: 'custom:agent', given: ['build'], argv: ['{prompt}'], prompt_has: ['a wall'], prompt_by: 'arg' }],
    files: { 'wall.txt': { equals: 'bricks\n' }, 'no.txt': 'absent' },
  },
};

/** One expectation that does not come true, and how it is told. */
const WRONG: readonly (readonly [string, Scenario['expect'], RegExp])[] = [
  ['reason', { reason: 'max_iterations' }, /reason\n +expected: max_iterations\n +seen: +completed/],
  ['exit_code', { exit_code: 2 }, /exit_code\n +expected: 2\n +seen: +0/],
  ['iterations', { iterations: 4 }, /iterations\n +expected: 4\n +seen: +3/],
  ['hats', { hats: ['builder'] }, /hats\n +expected: builder\n +seen: +ralph, builder, ralph/],
  ['events', { events: ['task.start', 'built'] }, /events\[1\]\n +expected: built\n +seen: +ralph -> build -> builder/],
  ['events_include', { events_include: [{ topic: 'build', payload: 'a roof' }] }, /events_include\[0\]\n +expected: build with "a roof"/],
  ['events_absent', { events_absent: ['bu*t', 'build'] }, /events_absent\n +expected: no build\n/],
  ['refused', { refused: [] }, /refused\[0\]\n +expected: nothing more\n +seen: +ralph -> gossip -> scope/],
  ['notices', { notices: ['untaken-event'] }, /notices\n +expected: untaken-event\n/],
  ['turns: given', { turns: [{ turn: 2, given: ['built'] }] }, /turn 2\)\.given\n +expected: built\n +seen: +build\n/],
  ['turns: argv', { turns: [{ turn: 1, argv: ['-x'] }] }, /turn 1\)\.argv\n +expected: -x\n +seen: +\{prompt\}/],
  ['turns: prompt', { turns: [{ turn: 2, prompt_has: ['a roof'] }] }, /turn 2\)\.prompt_has\n +expected: "a roof"\n/],
  ['turns: backend', { turns: [{ turn: 2, backend: 'claude' }] }, /turn 2\)\.backend\n +expected: claude\n +seen: +custom:agent/],
  ['files', { files: { 'wall.txt': { equals: 'stone\n' } } }, /wall\.txt[\s\S]*stone[\s\S]*bricks/],
  ['a file that should not be', { files: { 'wall.txt': 'absent' } }, /wall\.txt/],
];

describe('assertions', () => {
  let good: ScenarioResult;
  beforeAll(async () => {
    good = await runScenario(GOOD);
  });
  /** What is told of the same run where something else is expected. */
  const expecting = (expect: Scenario['expect']): string => complaint({ ...good, scenario: { ...GOOD, expect } });

  it('verify expected outcomes: a run that is as expected passes', () => {
    expect(complaint(good)).toBe('');
  });

  it.each(WRONG)('verify expected outcomes: with another %s the run does not pass', (_what, wrong, told) => {
    expect(expecting(wrong)).toMatch(told);
  });

  it('give clear failure messages: each expectation that failed, what was seen instead, and what happened', () => {
    const message = expecting({ reason: 'stalled', iterations: 9, hats: ['ralph', 'builder', 'ralph'] });
    expect(message.split('\n\n').slice(0, 4)).toEqual([
      'Scenario "good" did not go as expected: 2 expectations failed.',
      '  reason\n    expected: stalled\n    seen:     completed',
      '  iterations\n    expected: 9\n    seen:     3',
      'What happened:',
    ]);
    const story =
      message
        .split('What happened:\n\n')[1]
        ?.split('\n')
        .map((line) => line.trim()) ?? [];
    expect(story).toEqual(
      expect.arrayContaining([
        'ralph -> build -> builder (trigger) "a wall"',
        'refused: ralph -> gossip -> scope (allowed: build)',
        '2.1 builder (custom:agent) given build: succeeded',
        'ended: completed (exit code 0): ralph declared the work complete',
      ]),
    );
  });
});

describe('the scenarios of this repository', () => {
  it('all scenarios in the checklist are covered: the seven of seed 003, each under its file name', () => {
    const checklist = [
      'solo_mode_complete',
      'multi_hat_delegation',
      'orphaned_event_fallback',
      'default_publishes',
      'hat_to_hat_direct',
      'mixed_backends',
      'completion_only_from_ralph',
    ];
    expect(listScenarios()).toEqual(expect.arrayContaining(checklist.map((name) => `${name}.yml`)));
    const names = listScenarios().map((file) => [file, `${loadScenario(join(SCENARIOS, file)).name}.yml`]);
    expect(names.filter(([file, name]) => file !== name)).toEqual([]);
  });

  it('every scenario file is run by a test of its own, which expects something', () => {
    const tests: string[] = [];
    defineScenarioSuite(SCENARIOS, { describe: (_name, body) => body(), test: (name) => tests.push(name) });
    expect(tests.sort()).toEqual([...listScenarios()].sort());
    const idle = listScenarios().filter((file) => {
      const expected = [loadScenario(join(SCENARIOS, file)).expect].flat();
      return expected.some((expectation) => Object.keys(expectation).length === 0);
    });
    expect(idle).toEqual([]);
  });

  it('the tests of the scenarios run in CI', () => {
    const called = (failing: string) => {
      const folder = mkdtempSync(join(tmpdir(), 'ralph-ci-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho "npm $*" >> "$CALLS"\n[ "$*" != "$FAILING" ]\n', { mode: 0o755 });
      const env = { PATH: `${folder}:/usr/bin:/bin`, CALLS: join(folder, 'calls'), FAILING: failing };
      // A copy, elsewhere: whatever else it may do one day, it does not do it to this folder.
      mkdirSync(join(folder, '.ci'));
      writeFileSync(join(folder, '.ci/run'), read('.ci/run'));
      const { status } = spawnSync('bash', [join(folder, '.ci/run')], { env });
      return { isGreen: status === 0, calls: readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n') };
    };
    expect(called('')).toMatchObject({ isGreen: true, calls: expect.arrayContaining(['npm test']) });
    expect(called('test').isGreen).toBe(false);
    expect((JSON.parse(read('package.json')) as { scripts: { test: string } }).scripts.test).toBe('node scripts/check.mjs --all');
    const suites = /const SUITES = \[([^\]]*)\]/.exec(read('scripts/check.mjs'))?.[1];
    expect(suites?.split(',').map((name) => name.trim())).toContain("'scenario'");
    const projects = (vitestConfig.test?.projects ?? []) as readonly {
      readonly test: { readonly name: string; readonly include: string[] };
    }[];
    expect(projects.find(({ test }) => test.name === 'scenario')?.test.include).toEqual(['test/scenarios/**/*.test.ts']);
    expect(read('test/scenarios/scenarios.test.ts')).toContain('defineScenarioSuite(');
  });
});
