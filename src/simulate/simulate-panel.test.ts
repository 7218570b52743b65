import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../core/property-fixtures.ts';
import { SAMPLE_PANEL } from '../core/run/panel-fixtures.ts';
import type { PanelSpec } from '../core/run/panel-spec.ts';
import { makeGate, makeHat, makeSpec } from '../core/spec-fixtures.ts';
import { playedRuns } from './played-runs-fixtures.ts';
import { simulateTeam, traceRun } from './simulate.ts';

const SURE = { silent: 0, failure: 0, gateFailure: 0 };

/** A hat that a panel of three wears, and one that ends the run. */
function makeTeam(parts: Partial<PanelSpec> = {}, publishes: readonly string[] = ['answer.good', 'answer.bad'], limits = {}) {
  const panel = { ...SAMPLE_PANEL, ...parts };
  return makeSpec({
    coordinator: 'hats',
    recoveryHat: 'judge',
    limits: { maxIterations: 20, ...limits },
    hats: [
      makeHat('analyst', ['task.start', 'answer.bad'], publishes, { panel, backends: panel.agents.map(({ id }) => id) }),
      makeHat('judge', ['answer.good', 'task.resume'], ['LOOP_COMPLETE']),
    ],
  });
}

const panelsOf = (...args: Parameters<typeof simulateTeam>) => simulateTeam(...args).panels[0];

describe('a panel in a simulation', () => {
  test('answers and votes, and the hat publishes what the answer that won names', () => {
    const report = simulateTeam(makeTeam({ injection: 'off' }), { ...SURE, runs: playedRuns(200) });
    expect(report).toMatchObject({ canComplete: true, completed: { share: 1 }, hints: [] });
    const [panel] = report.panels;
    // Nobody hears of an answer before the vote: each answers once and votes once.
    expect(panel).toMatchObject({ hat: 'analyst', agents: 3, rounds: 6, answers: 3, votes: 3, timeUp: 0 });
    expect(panel?.outcomes.map(({ outcome }) => outcome)).toEqual(['votes', 'tie']);
    expect(panel?.outcomes.reduce((sum, { turns }) => sum + turns, 0)).toBe(panel?.turns);
    const trace = traceRun(makeTeam({ injection: 'off' }), 1, SURE);
    for (const turn of trace.turns.filter(({ hat }) => hat === 'analyst')) {
      expect(turn).toMatchObject({ outcome: 'succeeded', panel: { rounds: 6, answers: 3, votes: 3, isTimeUp: false } });
      expect(SAMPLE_PANEL.agents.map(({ id }) => id)).toContain(turn.panel?.winner);
      expect(['answer.good', 'answer.bad']).toContain(turn.said);
      expect(turn.published.some(({ topic, source }) => topic === turn.said && source === 'analyst')).toBe(true);
    }
  });

  test('is in no report of a team without one', () => {
    expect(simulateTeam(makeSpec(), { runs: 5 }).panels).toEqual([]);
    expect(traceRun(makeSpec(), 1).turns[0]).not.toHaveProperty('panel');
  });

  test('goes the same way with the same seed, alone and among others', () => {
    const options = { runs: 40, seed: 7, turnCostUsd: 0.1 };
    expect(simulateTeam(makeTeam(), options)).toEqual(simulateTeam(makeTeam(), options));
    expect(panelsOf(makeTeam(), options)).not.toEqual(panelsOf(makeTeam(), { ...options, seed: 8 }));
    const rounds = Array.from({ length: 40 }, (_, index) => traceRun(makeTeam(), index + 1, options))
      .flatMap(({ turns }) => turns)
      .flatMap(({ panel }) => (panel === undefined ? [] : [panel.rounds]));
    expect(panelsOf(makeTeam(), options)).toMatchObject({ turns: rounds.length });
    expect(panelsOf(makeTeam(), options)?.rounds).toBeCloseTo(rounds.reduce((sum, count) => sum + count, 0) / rounds.length);
  });

  test('hears of answers as it is declared: who begins again has more prompts', () => {
    const promptsOf = (parts: Partial<PanelSpec>) => panelsOf(makeTeam(parts), { ...SURE, runs: playedRuns(100) })?.rounds ?? 0;
    expect(promptsOf({ injection: 'restart', firstInjection: 'restart' })).toBeGreaterThan(promptsOf({ injection: 'off' }) + 0.5);
  });

  test('votes the sooner the more lenient it is', () => {
    const answersOf = (voting: PanelSpec['voting']) =>
      panelsOf(makeTeam({ voting, maxAnswersPerAgent: 3, novelty: 'off' }), { ...SURE, runs: playedRuns(200) })?.answers ?? 0;
    expect(answersOf('lenient')).toBeLessThan(answersOf('balanced'));
    expect(answersOf('balanced')).toBeLessThan(answersOf('strict'));
  });

  test('fails where nobody hands in anything, and the run goes on as after any failure', () => {
    const report = simulateTeam(makeTeam(), { runs: 20, silent: 1, failure: 0 });
    expect(report.panels[0]).toMatchObject({ answers: 0, votes: 0, rounds: 12, outcomes: [{ outcome: 'failed', share: 1 }] });
    expect(report.hints.join('\n')).toContain('The panel of analyst fails in 100 % of its turns: fewer agents answer than min_agents.');
    const failing = traceRun(makeTeam(), 1, { silent: 0, failure: 1 }).turns[0];
    expect(failing).toMatchObject({ outcome: 'failed', said: '', panel: { outcome: 'failed', winner: null } });
  });

  test('fails where fewer agents answer than have to', () => {
    const report = panelsOf(makeTeam({ minAgents: 3, maxAnswersTotal: 3 }), { runs: playedRuns(300), silent: 0.3, failure: 0.3 });
    const alone = panelsOf(makeTeam({ minAgents: 1 }), { runs: playedRuns(300), silent: 0.3, failure: 0.3 });
    const failedOf = (panel: typeof report) => panel?.outcomes.find(({ outcome }) => outcome === 'failed')?.share ?? 0;
    expect(failedOf(report)).toBeGreaterThan(failedOf(alone) + 0.2);
  });

  test('whose time is over takes what there is; in a turn with less time that counts', () => {
    const slow = { ...SURE, runs: 20, turnMs: 3_600_000 };
    const report = simulateTeam(makeTeam({ timeoutMs: 2_400_000 }), slow);
    // All but those that the time of the run ends.
    expect(report.panels[0]?.timeUp).toBeGreaterThan(0.9);
    expect(report.hints.join('\n')).toContain('The time of the panel of analyst is over before its agents are done in 9');
    const [turn] = traceRun(makeTeam({ timeoutMs: 86_400_000 }), 1, { ...SURE, turnMs: 86_400_000 }).turns;
    expect(turn?.panel).toMatchObject({ isTimeUp: true, outcome: 'failed' });
  });

  test('starts nobody any more once its budget is used up', () => {
    const report = panelsOf(makeTeam({ budgetUsd: 2, injection: 'off' }), { ...SURE, runs: 20, turnCostUsd: 1 });
    // Two of three prompts have cost it; the third was at work then.
    expect(report).toMatchObject({ rounds: 3, votes: 0, outcomes: [{ outcome: 'first', share: 1 }] });
    expect(panelsOf(makeTeam({ injection: 'off' }), { ...SURE, runs: 20, turnCostUsd: 1 })).toMatchObject({ rounds: 6, votes: 3 });
  });

  test('is interrupted by the limits of the run in the midst of it', () => {
    const endOf = (limits: object, options: object) => traceRun(makeTeam({}, undefined, limits), 1, { ...SURE, ...options });
    for (const run of [endOf({ maxCostUsd: 2.5 }, { turnCostUsd: 1 }), endOf({ maxRuntimeMs: 100_000 }, {})]) {
      expect(['max_cost', 'max_runtime']).toContain(run.reason);
      expect(run.turns.at(-1)).toMatchObject({ outcome: 'interrupted', panel: { outcome: 'interrupted', winner: null } });
    }
  });

  test('that writes one answer from all has one prompt more', () => {
    const [one, all] = (['vote', 'synthesize'] as const).map((strategy) =>
      panelsOf(makeTeam({ strategy, injection: 'off' }), { ...SURE, runs: 50 }),
    );
    expect([one?.rounds, all?.rounds, all?.answers]).toEqual([6, 7, 4]);
  });

  test('of whose answers the best is taken asks the gates first: what they refuse is handed in again, or is no choice', () => {
    const gates = [makeGate(['answer.*'])];
    const play = (strategy: PanelSpec['strategy'], gateFailure: number) =>
      panelsOf({ ...makeTeam({ strategy, injection: 'off' }), gates }, { ...SURE, gateFailure, runs: playedRuns(100) });
    expect(play('best_of', 0)?.outcomes.map(({ outcome }) => outcome)).toEqual(['votes', 'tie']);
    expect(play('best_of', 0.7)?.outcomes.map(({ outcome }) => outcome)).toContain('gates');
    expect(play('vote', 0.7)?.outcomes.map(({ outcome }) => outcome)).not.toContain('gates');
  });

  test('lets Ralph decide a tie where that is his role', () => {
    const agents = [...SAMPLE_PANEL.agents, { id: 'judge', instructions: '', role: 'ralph' as const }];
    const panel = panelsOf(makeTeam({ agents, tie: 'ralph', injection: 'off' }), { ...SURE, runs: playedRuns(100) });
    expect(panel).toMatchObject({ agents: 3, answers: 3, votes: 3 });
    expect(panel?.outcomes.map(({ outcome }) => outcome)).toEqual(['votes', 'ralph']);
  });

  test('waits for a late agent no longer than its round may take', () => {
    const late = { silent: 0, failure: 0.5, gateFailure: 0, runs: playedRuns(100) };
    const timeUpOf = (parts: Partial<PanelSpec>) => panelsOf(makeTeam(parts), late)?.timeUp ?? 0;
    expect(timeUpOf({})).toBeGreaterThan(0.5);
    expect(timeUpOf({ roundTimeoutMs: 120_000, graceMs: 30_000 })).toBeLessThan(0.1);
  });

  test('follows a script: its answers name the topic, or nobody hands in anything', () => {
    const play = (analyst: string[]) =>
      traceRun(makeTeam(), 1, { ...SURE, script: { hats: { analyst } } }).turns.map(({ hat, said }) => [hat, said]);
    expect(play(['answer.bad', 'answer.bad', 'answer.good']).slice(0, 4)).toEqual([
      ['analyst', 'answer.bad'],
      ['analyst', 'answer.bad'],
      ['analyst', 'answer.good'],
      ['judge', 'LOOP_COMPLETE'],
    ]);
    expect(play(['(silent)'])[0]).toEqual(['analyst', '']);
    expect(play(['(failure)'])[0]).toEqual(['analyst', '']);
  });

  test('may end the run by the promise if the hat lists it; it has no other words for it', () => {
    const lone = (publishes: readonly string[]) =>
      makeSpec({
        coordinator: 'hats',
        limits: { maxIterations: 6 },
        hats: [makeHat('analyst', ['task.start', 'task.resume'], publishes, { panel: SAMPLE_PANEL, backends: ['x', 'y', 'z'] })],
      });
    expect(simulateTeam(lone(['LOOP_COMPLETE']), { ...SURE, runs: 5 }).completed.share).toBe(1);
    const patterns = simulateTeam(lone(['answer.*']), { ...SURE, runs: 5 });
    expect(patterns).toMatchObject({ completed: { runs: 0 }, dumb: [{ hat: 'analyst' }] });
  });

  test('answers differ also where all payloads are the same', () => {
    expect(panelsOf(makeTeam({ injection: 'off' }), { ...SURE, runs: 5, constantPayloads: true })?.answers).toBe(3);
  });
});

test('whatever the panel, the run ends, and what is told of it can be', { timeout: 60_000 }, () => {
  const parts: fc.Arbitrary<Partial<PanelSpec>> = fc.record({
    agents: fc
      .integer({ min: 2, max: 6 })
      .map((size) => Array.from({ length: size }, (_, place) => ({ id: `a${place}`, instructions: '' }))),
    strategy: fc.constantFrom('vote', 'best_of', 'synthesize'),
    maxAnswersPerAgent: fc.integer({ min: 1, max: 3 }),
    maxAnswersTotal: fc.option(fc.integer({ min: 1, max: 5 }), { nil: null }),
    novelty: fc.constantFrom('off', 'balanced', 'strict'),
    injection: fc.constantFrom('mid_stream', 'restart', 'off'),
    firstInjection: fc.constantFrom('restart', 'protect_first_answer', 'mid_stream'),
    maxInjectionsPerRound: fc.integer({ min: 0, max: 2 }),
    maxParallel: fc.integer({ min: 1, max: 6 }),
    quorum: fc.integer({ min: 1, max: 4 }),
    minAgents: fc.integer({ min: 1, max: 3 }),
    budgetUsd: fc.option(fc.constantFrom(0.5, 2), { nil: null }),
    timeoutMs: fc.constantFrom(90_000, 1_800_000),
  });
  fc.assert(
    fc.property(parts, fc.integer(), fc.constantFrom(null, 0.1), (panel, seed, turnCostUsd) => {
      const { turns } = traceRun(makeTeam(panel), 1, { seed, silent: 0.2, failure: 0.2, turnCostUsd });
      for (const { panel: told } of turns) {
        if (told === undefined) continue;
        const { rounds, answers, votes, winner, outcome } = told;
        expect(votes).toBeLessThanOrEqual(panel.agents?.length ?? 0);
        expect(answers).toBeLessThanOrEqual(rounds);
        expect(answers).toBeLessThanOrEqual((panel.maxAnswersTotal ?? answers) + 1);
        expect(winner === null).toBe(outcome === 'failed' || outcome === 'interrupted');
      }
    }),
    { numRuns: propertyRuns(200) },
  );
});
