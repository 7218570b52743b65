import { describe, expect, test } from 'vitest';
import { makeGate, makeHat, makeSpec } from '../core/spec-fixtures.ts';
import { compileTopology } from '../topology/routing/compile-topology.ts';
import { playedRuns } from './played-runs-fixtures.ts';
import { createSimulation, simulateTeam, traceRun } from './simulate.ts';

type SpecParts = NonNullable<Parameters<typeof makeSpec>[0]>;

const SURE = { silent: 0, failure: 0, gateFailure: 0 };

/** a → b → c, which ends the run. */
function makeChain(parts: SpecParts = {}) {
  return makeSpec({
    coordinator: 'hats',
    recoveryHat: 'c',
    hats: [makeHat('a', ['task.start'], ['a.done']), makeHat('b', ['a.done'], ['b.done']), makeHat('c', ['b.done', 'task.resume'], [])],
    ...parts,
  });
}

/** Two hats that hand on to each other for ever, and a third that could end the run. */
function makeCircle(parts: SpecParts = {}) {
  return makeSpec({
    coordinator: 'hats',
    recoveryHat: 'c',
    hats: [
      makeHat('a', ['task.start', 'b.done'], ['a.done']),
      makeHat('b', ['a.done'], ['b.done']),
      makeHat('c', ['task.resume'], ['a.done']),
    ],
    ...parts,
    limits: { maxIterations: 20, ...parts.limits },
  });
}

function endsOf(...args: Parameters<typeof simulateTeam>): Readonly<Record<string, number>> {
  return Object.fromEntries(simulateTeam(...args).ends.map(({ reason, runs }) => [reason, runs]));
}

describe('what a simulation says', () => {
  test('a chain without faults always completes, after as many iterations as it has hats', () => {
    const report = simulateTeam(makeChain(), { ...SURE, runs: 100 });
    expect(report).toMatchObject({ runs: 100, canComplete: true, completed: { runs: 100, share: 1 }, hints: [], failed: [] });
    expect(report.iterations).toEqual({ median: 3, p95: 3, max: 3 });
    expect(report.hats.map(({ hat, turns, share }) => [hat, turns, share])).toEqual([
      ['a', 1, 1],
      ['b', 1, 1],
      ['c', 1, 1],
    ]);
  });

  test('a circle without a way out is named, and nothing completes', () => {
    const report = simulateTeam(makeCircle(), { ...SURE, runs: 30 });
    expect(report).toMatchObject({ canComplete: false, completed: { runs: 0 }, iterations: null, neverUsed: ['c'] });
    expect(report.ends).toEqual([{ reason: 'max_iterations', runs: 30, share: 1 }]);
    expect(report.loops[0]?.steps).toEqual([
      { hat: 'a', topic: 'a.done' },
      { hat: 'b', topic: 'b.done' },
    ]);
    expect(report.hints).toEqual([
      'Only c may end the run, and never had a turn.',
      '100 % end at max_iterations (20); most often they go round a ─a.done→ b ─b.done→ a.',
      'c never had a turn: nobody publishes what it takes (task.resume) in these runs.',
    ]);
  });

  test('runs that complete only because an agent made a fault do not count as a way to the end', () => {
    const report = simulateTeam(makeCircle(), { runs: playedRuns(200) });
    expect(report.completed.share).toBeGreaterThan(0.1);
    expect(report).toMatchObject({ canComplete: false, withoutFaults: { canComplete: false } });
    expect(report.hints[0]).toContain(
      'Where every agent does as it should no run completes; most often they go round a ─a.done→ b ─b.done→ a',
    );
  });

  test('an event that no hat takes is told with who published it', () => {
    const hats = [
      makeHat('a', ['task.start', 'task.resume'], ['a.done', 'nobody.takes', 'LOOP_COMPLETE']),
      makeHat('b', ['a.done'], ['a.done']),
    ];
    const report = simulateTeam(makeSpec({ hats }), { ...SURE, runs: 100 });
    expect(report.untaken.map(({ topic, source }) => ({ topic, source }))).toEqual([{ topic: 'nobody.takes', source: 'a' }]);
    expect(report.hints.join('\n')).toContain('nobody.takes of a reached no hat');
  });

  test('a hat without anything to say is told, and where the runs stall', () => {
    const hats = [
      makeHat('a', ['task.start'], ['a.done']),
      makeHat('b', ['a.done'], []),
      makeHat('c', ['task.resume'], ['c.done', 'LOOP_COMPLETE']),
    ];
    const { dumb, hints } = simulateTeam(makeSpec({ hats, recoveryHat: 'c' }), { ...SURE, runs: 20 });
    expect(dumb).toEqual([{ hat: 'b', runs: 20, share: 1 }]);
    expect(hints.join('\n')).toContain('b has turns and nothing to say');
    const silent = simulateTeam(makeChain(), { runs: 20, silent: 1, failure: 0 });
    expect(silent.ends).toEqual([{ reason: 'stalled', runs: 20, share: 1 }]);
    expect(silent.stalls).toEqual([{ reason: 'stalled', topic: 'task.start', source: 'system', to: ['a'], runs: 20, share: 1 }]);
  });

  test('a claim of the end before its required events is told', () => {
    const report = simulateTeam(makeChain({ requiredEvents: ['d.done'], limits: { maxIterations: 20 } }), { ...SURE, runs: 20 });
    expect(report).toMatchObject({ canComplete: false, refused: [{ hat: 'c', why: 'required-events' }] });
    expect(report.hints[0]).toContain('c claimed the end and was refused');
  });

  test('nothing but shares between 0 and 1 and whole counts is in it', () => {
    const report = simulateTeam(makeCircle(), { runs: 50 });
    for (const [, share] of JSON.stringify(report).matchAll(/"share":([^,}]+)/g)) expect(Number(share)).toBeLessThanOrEqual(1);
    expect(report.ends.reduce((sum, { runs }) => sum + runs, 0)).toBe(50);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });
});

describe('how it is simulated', () => {
  test('the same seed gives the same report, another seed another one', () => {
    const play = (seed: number) => simulateTeam(makeChain(), { runs: 50, seed });
    expect(play(7)).toEqual(play(7));
    expect(play(7).iterations).not.toEqual(undefined);
    expect(JSON.stringify({ ...play(7), settings: null })).not.toBe(JSON.stringify({ ...play(8), settings: null }));
  });

  test('a run that is traced alone goes as it went among the others', () => {
    const report = simulateTeam(makeCircle(), { runs: 60 });
    expect(report.failed.length).toBeGreaterThan(0);
    for (const run of report.failed) expect(traceRun(makeCircle(), run).reason).not.toBe('completed');
    const iterations = Array.from({ length: 60 }, (_, index) => traceRun(makeCircle(), index + 1)).filter(
      (played) => played.reason === 'completed',
    );
    expect(Math.max(...iterations.map((played) => played.iterations))).toBe(report.iterations?.max);
  });

  test('a topology may be given in the place of a specification', () => {
    expect(simulateTeam(compileTopology(makeChain()), { runs: 10 })).toEqual(simulateTeam(makeChain(), { runs: 10 }));
  });

  test('run by run it comes to the same, and can be looked at in between', () => {
    const simulation = createSimulation(makeChain(), { runs: 3 });
    expect(simulation.report()).toMatchObject({ runs: 0, completed: { share: 0 }, hints: [] });
    expect([simulation.runNext(), simulation.done()]).toEqual([true, 1]);
    expect(simulation.report().runs).toBe(1);
    expect([simulation.runNext(), simulation.runNext(), simulation.runNext(), simulation.done()]).toEqual([true, true, false, 3]);
    expect(simulation.report()).toEqual(simulateTeam(makeChain(), { runs: 3 }));
  });

  test('the choices of a hat are equally likely, the end being one of them', () => {
    const hats = [makeHat('a', ['task.start', 'task.resume', 'x', 'y'], ['x', 'y']), makeHat('b', ['z'], ['x'])];
    const { iterations, hats: played } = simulateTeam(makeSpec({ hats }), { ...SURE, runs: 3000 });
    // One in three ends the run: three turns on average, two or fewer in more than half of the runs.
    expect(played[0]?.turns).toBeGreaterThan(2.8);
    expect(played[0]?.turns).toBeLessThan(3.2);
    expect(iterations?.median).toBe(2);
  });

  test('so many turns are silent or fail as was asked for', () => {
    const all = Array.from({ length: 400 }, (_, index) => traceRun(makeChain(), index + 1, { silent: 0.2, failure: 0.1 }).turns).flat();
    const shareOf = (outcome: string): number => all.filter((turn) => turn.outcome === outcome).length / all.length;
    expect(shareOf('silent')).toBeGreaterThan(0.15);
    expect(shareOf('silent')).toBeLessThan(0.25);
    expect(shareOf('failed')).toBeGreaterThan(0.07);
    expect(shareOf('failed')).toBeLessThan(0.13);
  });

  test.each([
    { runs: 0 },
    { runs: 1.5 },
    { runs: 2_000_000 },
    { seed: Number.NaN },
    { silent: -0.1 },
    { silent: 0.6, failure: 0.6 },
    { gateFailure: Number.NaN },
    { turnMs: -1 },
    { turnCostUsd: Number.POSITIVE_INFINITY },
  ])('an option that cannot be is refused: %o', (options) => {
    expect(() => simulateTeam(makeChain(), options)).toThrow(expect.objectContaining({ code: 'simulation-option', exitCode: 2 }));
  });
});

describe("the configuration's own rules", () => {
  test('max_iterations ends a run', () => {
    expect(endsOf(makeChain({ limits: { maxIterations: 2 } }), { ...SURE, runs: 10 })).toEqual({ max_iterations: 10 });
  });

  test('a limit that no run would reach is cut, and that is said', () => {
    const report = simulateTeam(makeCircle({ limits: { maxIterations: 1_000_000, maxRuntimeMs: 1e15 } }), { ...SURE, runs: 1 });
    expect(report.maxIterations).toEqual({ configured: 1_000_000, played: 2000 });
    expect(report.hints.join('\n')).toContain('max_iterations is 1000000; runs were played up to 2000 iterations.');
  });

  test('max_runtime_seconds ends a run in the middle of a turn', () => {
    const spec = makeCircle({ limits: { maxRuntimeMs: 250_000 } });
    const { reason, turns } = traceRun(spec, 1, { ...SURE, turnMs: 60_000 });
    expect([reason, turns.length, turns[turns.length - 1]?.outcome]).toEqual(['max_runtime', 5, 'interrupted']);
  });

  test('max_cost_usd ends a run where a turn has a price', () => {
    const spec = makeCircle({ limits: { maxCostUsd: 1 } });
    expect(endsOf(spec, { ...SURE, runs: 5 })).toEqual({ max_iterations: 5 });
    expect(endsOf(spec, { ...SURE, runs: 5, turnCostUsd: 0.3 })).toEqual({ max_cost: 5 });
  });

  test('failures in a row end a run', () => {
    expect(endsOf(makeChain(), { runs: 5, failure: 1, silent: 0 })).toEqual({ consecutive_failures: 5 });
  });

  test('loop detection strikes only where payloads repeat', () => {
    expect(endsOf(makeCircle(), { ...SURE, runs: 5 })).toEqual({ max_iterations: 5 });
    const report = simulateTeam(makeCircle(), { ...SURE, runs: 5, constantPayloads: true });
    expect(report.ends).toEqual([{ reason: 'loop_detected', runs: 5, share: 1 }]);
    expect(report.hints.join('\n')).toContain('100 % are stopped as a loop; most often they go round a');
  });

  test('a gate that always refuses the end ends the run as refused; one that never does lets it through', () => {
    const spec = makeChain({ gates: [makeGate(['task.complete'])] });
    expect(endsOf(spec, { ...SURE, runs: 5, gateFailure: 1 })).toEqual({ gate_refused: 5 });
    expect(endsOf(spec, { ...SURE, runs: 5 })).toEqual({ completed: 5 });
  });

  test('a hat with its activations used up hands over to Ralph', () => {
    const spec = makeCircle({
      hats: [
        makeHat('a', ['task.start', 'b.done'], ['a.done'], { maxActivations: 2 }),
        makeHat('b', ['a.done'], ['b.done']),
        makeHat('c', ['task.resume'], ['a.done']),
      ],
    });
    const { turns } = traceRun(spec, 1, { ...SURE, script: { hats: { ralph: ['task.resume'], c: ['LOOP_COMPLETE'] } } });
    expect(turns.map(({ hat }) => hat)).toEqual(['a', 'b', 'a', 'b', 'ralph', 'c']);
  });

  test('default_publishes speaks for a hat that wrote nothing', () => {
    const hats = [
      makeHat('a', ['task.start', 'task.resume'], ['a.done'], { defaultPublishes: ['a.done'] }),
      makeHat('b', ['a.done'], ['LOOP_COMPLETE']),
    ];
    const { turns } = traceRun(makeSpec({ hats }), 1, { ...SURE, script: { hats: { a: ['(silent)'] } } });
    expect(turns.map(({ hat }) => hat)).toEqual(['a', 'b']);
  });

  test('transitions and targets are choices of their own', () => {
    const hats = [
      makeHat('a', ['task.start', 'task.resume'], [{ topic: 'x', target: 'b' }], { transitions: ['c'] }),
      makeHat('b', ['b.only'], ['LOOP_COMPLETE']),
      makeHat('c', ['c.only'], ['LOOP_COMPLETE']),
    ];
    const report = simulateTeam(makeSpec({ hats, recoveryHat: 'b', startingHat: 'a' }), { ...SURE, runs: 1000 });
    const shares = report.hats.map(({ hat, share }) => [hat, Math.round(share * 10)]);
    expect(shares).toEqual([
      ['a', 10],
      ['b', 5],
      ['c', 5],
    ]);
  });

  test('under fan-out every taker has its turn', () => {
    const hats = [
      makeHat('a', ['task.start', 'task.resume'], ['x']),
      makeHat('b', ['x'], ['LOOP_COMPLETE']),
      makeHat('c', ['x'], ['LOOP_COMPLETE']),
    ];
    const { turns } = traceRun(makeSpec({ hats, routing: 'fanout', recoveryHat: 'b' }), 1, {
      ...SURE,
      script: { hats: { b: ['(silent)', 'LOOP_COMPLETE'], c: ['(silent)'] } },
    });
    expect(turns.map(({ hat }) => hat)).toEqual(['a', 'b', 'c', 'b']);
  });

  test('without hats Ralph goes on or ends the run', () => {
    const report = simulateTeam(makeSpec(), { ...SURE, runs: playedRuns(500) });
    expect(report).toMatchObject({ coordination: 'solo', completed: { share: 1 }, hints: [] });
    expect(report.iterations?.median).toBe(1);
    expect(simulateTeam(makeSpec({ mode: 'single' }), { runs: 100 })).toMatchObject({ canComplete: true, neverUsed: [] });
  });

  test('under Ralph he hands out what hats take, and ends the run', () => {
    const spec = makeSpec({
      hats: [makeHat('builder', ['build.task'], ['build.done']), makeHat('critic', ['build.done'], ['review.done'])],
    });
    const report = simulateTeam(spec, { runs: playedRuns(300) });
    expect(report).toMatchObject({ coordination: 'ralph', canComplete: true, neverUsed: [], hints: [] });
    expect(report.hats.map(({ hat, mayEnd }) => [hat, mayEnd])).toEqual([
      ['builder', false],
      ['critic', false],
      ['ralph', true],
    ]);
  });
});
