import { describe, expect, it } from 'vitest';
import { RalphError } from '../../core/values/errors.ts';
import type { AppApi } from '../cli-command.ts';
import { performCommandLine } from '../command-line.ts';
import { createFakeApp, createFakeContext, type FakeWorld, RUN_ID, sampleRecords } from '../fixtures.ts';

type ResumeRun = AppApi['resumeRunHere'];

async function resume(args: readonly string[], resumeRunHere?: ResumeRun, world: FakeWorld = {}) {
  const app = createFakeApp(sampleRecords(), resumeRunHere === undefined ? {} : { resumeRunHere });
  const fake = createFakeContext({ app, ...world });
  const exitCode = await performCommandLine(['resume', ...args], fake.context);
  const options = (app.calls as [string, Record<string, unknown>][]).find(([call]) => call === 'resumeRunHere')?.[1];
  const order = (app.calls as [string, unknown][]).filter(([call]) => call === 'bringRun' || call === 'resumeRunHere');
  return { exitCode, out: fake.out(), err: fake.err(), options, order };
}

describe('ralph resume', () => {
  it('goes on with the newest run, raises limits, and counts what the run did before', async () => {
    const { exitCode, out, options } = await resume(['--max-iterations', '+10', '--max-cost', '$20']);
    expect(exitCode).toBe(2);
    expect(options).toMatchObject({ run: RUN_ID, maxIterations: { add: 10 }, maxCostUsd: 20, acceptChanges: false });
    expect(out).toContain(`Ralph ${RUN_ID} goes on after 2 iterations`);
    expect(out).toContain('planner 1 turn, builder 2 turns');
  });

  it('has what a fleet keeps of the run brought here before anything of it is read', async () => {
    const { order } = await resume([RUN_ID, '--fleet', 'nats://10.0.0.5']);
    expect(order.map(([call]) => call)).toEqual(['bringRun', 'resumeRunHere']);
    expect(order[0]?.[1]).toMatchObject({ run: RUN_ID, fleet: 'nats://10.0.0.5' });
    expect(await resume(['--fleet', 'http://10.0.0.5'])).toMatchObject({ exitCode: 2, order: [] });
  });

  it.each([
    ['30', { set: 30 }],
    ['+3', { add: 3 }],
  ])('--max-iterations %s is %j', async (text, maxIterations) => {
    expect((await resume(['--max-iterations', text])).options).toMatchObject({ maxIterations });
  });

  it.each([
    [['--max-iterations', 'many']],
    [['--max-iterations', '+0']],
    [['--max-iterations', '-1']],
    [['--max-cost', 'free']],
    [['--max-cost', '0']],
  ])('refuses %j as a usage error', async (args) => {
    expect(await resume(args)).toMatchObject({ exitCode: 2, options: undefined });
  });

  it('says that a run has ended and gives its exit code', async () => {
    const ended: ResumeRun = async ({ onBrought }) => {
      onBrought?.(true, ['What was committed elsewhere is here as changed files only: somebody has committed meanwhile.']);
      return { kind: 'ended', runId: RUN_ID, reason: 'completed', exitCode: 0, text: 'This run has ended: it is complete.' };
    };
    expect(await resume([], ended)).toMatchObject({
      exitCode: 0,
      out: '',
      err: `The run went on elsewhere; its journal, outputs and files are here now.\nWhat was committed elsewhere is here as changed files only: somebody has committed meanwhile.\nRun ${RUN_ID}: This run has ended: it is complete.\nGo on with \`ralph resume --max-iterations +10\`.\n`,
    });
  });

  it('says how to start a run when there is none', async () => {
    const openRunReader = (): never => {
      throw new RalphError({
        code: 'no-runs',
        what: 'There is no run in this folder yet.',
        fix: 'Start one: ralph run -p "what is to be done"',
      });
    };
    const app = createFakeApp([], { openRunReader });
    const fake = createFakeContext({ app });
    expect(await performCommandLine(['resume'], fake.context)).toBe(1);
    expect(fake.err()).toContain('Start one: ralph run -p');
  });

  it.each([
    ['y', true],
    ['Yes', true],
    ['', false],
    ['no', false],
  ])('asks a person about changes; %j means %s', async (answer, isAccepted) => {
    const questions: string[] = [];
    const asked: boolean[] = [];
    const ask = async (question: string): Promise<string> => {
      questions.push(question);
      return answer;
    };
    const resumeRunHere: ResumeRun = async ({ confirm }) => {
      asked.push((await confirm?.(['hats.builder', 'prompt'])) ?? false);
      return { kind: 'ended', runId: RUN_ID, reason: 'completed', exitCode: 0, text: '' };
    };
    await resume([], resumeRunHere, { ask });
    expect(asked).toEqual([isAccepted]);
    expect(questions[0]).toContain('changed since the run was started: hats.builder, prompt.');
  });

  it('cannot ask where there is no person', async () => {
    expect((await resume([])).options).not.toHaveProperty('confirm');
  });
});
