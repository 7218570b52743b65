import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { performCommandLine } from '../command-line.ts';
import { createFakeContext, type FakeWorld } from '../fixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'ralph-simulate-'));

const TEAM = `
hats:
  builder:
    triggers: [task.start, task.resume, review.rejected]
    publishes: [build.done]
  critic:
    triggers: [build.done]
    publishes: [review.rejected, LOOP_COMPLETE]
`;
/** Three agents wear the critic's hat. */
const PANEL = `${TEAM}    panel: {agents: [{id: careful}, {id: quick}, {id: doubting}], injection: off}\n`;
/** The rescuer could end it, and is never called. */
const CIRCLE = `
event_loop:
  recovery_hat: rescuer
  max_iterations: 10
hats:
  a:
    triggers: [task.start, b.done]
    publishes: [a.done]
  b:
    triggers: [a.done]
    publishes: [b.done]
  rescuer:
    triggers: [task.resume]
    publishes: [a.done]
`;

beforeAll(() => {
  writeFileSync(join(folder, 'ralph.yml'), TEAM);
  writeFileSync(join(folder, 'panel.yml'), PANEL);
  writeFileSync(join(folder, 'circle.yml'), CIRCLE);
  writeFileSync(join(folder, 'broken.yml'), 'hats:\n  a:\n    trigers: [task.start]\n');
  writeFileSync(join(folder, 'script.yml'), 'hats:\n  critic: [review.rejected, LOOP_COMPLETE]\n  builder: [build.done]\n');
  writeFileSync(join(folder, 'list.yml'), '- build.done\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function type(
  args: readonly string[],
  world: FakeWorld = {},
  change: (fake: ReturnType<typeof createFakeContext>) => object = () => ({}),
) {
  const fake = createFakeContext(world);
  const exitCode = await performCommandLine(['simulate', ...args], { ...fake.context, cwd: folder, ...change(fake) });
  return { exitCode, out: fake.out(), err: fake.err() };
}

describe('ralph simulate', () => {
  it('begins with the verdict in words, then shows ends and hats', async () => {
    const { exitCode, out } = await type(['--runs', '100', '--silent', '0', '--failure', '0']);
    expect(exitCode).toBe(0);
    expect(out.split('\n')[0]).toMatch(
      /^✓ All 100 simulated runs complete: half of them within \d iterations?, 95 % within \d+, the longest after \d+\.$/,
    );
    expect(out).toMatch(/\nend +runs +share\ncompleted +100 +100 %\n/);
    expect(out).toMatch(/\nhat +turns a run +in runs +may end\nbuilder .*yes\ncritic .*yes\n/);
    expect(out).toContain('Seed 1; 0 % of the turns write nothing, 0 % fail');
  });

  it('shows what becomes of panels, and in a trace who won', async () => {
    const sure = ['--silent', '0', '--failure', '0'];
    const { out } = await type(['panel.yml', '--runs', '50', ...sure]);
    expect(out).toMatch(
      /\npanel +agents +prompts a turn +answers +votes +how it ends\ncritic +3 +6\.0 +3\.0 +3\.0 +\d+ % by votes, \d+ % tie\n/,
    );
    expect(out).toContain('0 % of the turns, and of the prompts of panels, write nothing, 0 % fail');
    const trace = await type(['panel.yml', '--trace', '1', ...sure]);
    expect(trace.out).toMatch(/\n +panel: 6 prompts, 3 answers, 3 votes; (careful|quick|doubting) wins \((by votes|tie)\)\n/);
    const { panels } = JSON.parse((await type(['panel.yml', '--runs', '5', '--format', 'json', ...sure])).out) as { panels: object[] };
    expect(panels).toMatchObject([{ hat: 'critic', agents: 3, rounds: 6 }]);
  });

  it('ends with 1 where no run can complete, and says in which circle they go', async () => {
    const { exitCode, out } = await type(['circle.yml', '--runs', '20', '--silent', '0', '--failure', '0']);
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^✗ None of 20 simulated runs completes\.\n/);
    expect(out).toContain('→ 100 % end at max_iterations (10); most often they go round a ─a.done→ b ─b.done→ a.');
    expect(out).toContain('Runs that did not complete: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …. To see one: the same command with --trace 1.');
  });

  it('gives programs one object, the same for the same seed', async () => {
    const [first, again, other] = await Promise.all(
      ['7', '7', '8'].map((seed) => type(['--runs', '50', '--seed', seed, '--format', 'json'])),
    );
    expect(JSON.parse(first?.out ?? '')).toMatchObject({ v: 1, runs: 50, coordination: 'hats', canComplete: true, settings: { seed: 7 } });
    expect(first).toEqual(again);
    expect(first?.out).not.toBe(other?.out);
  });

  it('shows a single run turn by turn', async () => {
    const { exitCode, out } = await type(['--trace', '2', '--script', 'script.yml']);
    expect(exitCode).toBe(0);
    expect(out.split('\n').map((line) => line.trim())).toEqual([
      'Run 2',
      '1  builder  given task.start of system  says build.done',
      'build.done → critic',
      '2  critic  given build.done of builder  says review.rejected',
      'review.rejected → builder',
      '3  builder  given review.rejected of critic  says build.done',
      'build.done → critic',
      '4  critic  given build.done of builder  says LOOP_COMPLETE',
      'task.complete → ends the run',
      'completed after 4 iterations: critic declared the work complete',
      '',
    ]);
    const traced = await type(['--trace', '2', '--format', 'json']);
    expect(JSON.parse(traced.out)).toMatchObject({ v: 1, run: 2 });
  });

  it('shows the findings of a configuration that has errors, and plays nothing', async () => {
    const { exitCode, out, err } = await type(['broken.yml']);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' });
    expect(err).toContain('The configuration cannot be run.');
    expect(err).toContain('broken.yml:3:5');
  });

  it('breaks off at Ctrl+C and shows what it has', async () => {
    const { exitCode, out } = await type(['--runs', '1000000'], {}, ({ context, signal }) => {
      let looks = 0;
      return {
        now: () => context.now() + 1000 * looks++,
        signals: {
          ...context.signals,
          on: (...args: Parameters<typeof context.signals.on>) => {
            context.signals.on(...args);
            if (args[0] === 'SIGINT') setImmediate(() => signal('SIGINT'));
          },
        },
      };
    });
    expect(exitCode).toBe(130);
    expect(out).toMatch(
      /of \d+ simulated runs complete \(interrupted; 1,000,000 were asked for\)|All \d+ simulated runs complete \(interrupted/,
    );
  });

  it.each([
    [['--runs', '0'], '--runs "0" cannot be read'],
    [['--runs', '9999999'], 'runs must be a whole number from 1 to 1,000,000'],
    [['--seed', '\u001b[31m'], '--seed "\\u001b[31m" cannot be read'],
    [['--silent', 'often'], '--silent "often" cannot be read'],
    [['--silent', '1.5'], '--silent "1.5" cannot be read'],
    [['--silent', '60%', '--failure', '60%'], 'no more than 1 together'],
    [['--turn-cost', 'much'], '--turn-cost "much" cannot be read'],
    [['--trace', 'x'], '--trace "x" cannot be read'],
    [['--script', 'nowhere.yml'], '--script "nowhere.yml" cannot be used: it is not there'],
    [['--script', 'list.yml'], 'list.yml cannot be read as YAML'],
    [['--script', 'circle.yml'], 'The script cannot be followed'],
    [['nowhere.yml'], 'nowhere.yml'],
    [['--format', 'xml'], 'xml'],
  ])('refuses %j as wrong usage', async (args, message) => {
    const { exitCode, out, err } = await type(args);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toContain(message);
    expect(err).not.toMatch(/\n {4}at /);
  });
});
