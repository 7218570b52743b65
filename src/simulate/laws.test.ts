import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SYSTEM } from '../core/events/reserved.ts';
import { propertyRuns } from '../core/property-fixtures.ts';
import type { HatSpec, PublishSpec, RunSpec } from '../core/run/run-spec.ts';
import { makeGate, makeHat, makeSpec } from '../core/spec-fixtures.ts';
import { compileTopology } from '../topology/routing/compile-topology.ts';
import { validateTopology } from '../topology/rules/validate-topology.ts';
import { simulateTeam, traceRun } from './simulate.ts';

const TEAMS = propertyRuns(400);

/** True where nothing but hints is said about the flow. */
function isAccepted(spec: RunSpec): boolean {
  return validateTopology(compileTopology(spec)).every(({ severity }) => severity === 'hint' || severity === 'note');
}

/** What must never happen in a simulated run of a team that was accepted, in words. */
function findBreaches(spec: RunSpec, seed: number): readonly string[] {
  return [1, 2, 3, 4].flatMap((run) =>
    traceRun(spec, run, { seed, silent: 0.05, failure: 0.05 }).turns.flatMap(({ hat, isDumb, published }) => [
      ...(isDumb ? [`${hat} has no way on`] : []),
      ...published
        .filter(({ how, source }) => how === 'safety-net' && source !== SYSTEM)
        .map(({ topic, source }) => `${topic} of ${source} has no taker`),
    ]),
  );
}

const IDS = ['planner', 'builder', 'critic', 'closer'];
const TRIGGERS = ['task.start', 'task.resume', 'a.x', 'a.y', 'b.x', 'c', 'a.*', '*.x', '*', 'error.cli'];
const PUBLISHES = ['a.x', 'a.y', 'b.x', 'c', 'd.e', 'a.*', 'LOOP_COMPLETE', 'task.complete', 'task.resume'];

const publish: fc.Arbitrary<string | PublishSpec> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PUBLISHES) },
  { weight: 1, arbitrary: fc.record({ topic: fc.constantFrom('a.x', 'd.e', 'a.*'), target: fc.constantFrom(...IDS) }) },
);
const anyHat = fc.record({
  triggers: fc.subarray(TRIGGERS, { minLength: 1, maxLength: 3 }),
  publishes: fc.uniqueArray(publish, { maxLength: 3, selector: (entry) => JSON.stringify(entry) }),
  maxActivations: fc.option(fc.integer({ min: 1, max: 5 }), { freq: 4, nil: null }),
});
/** Any team under hats; most of them are refused. */
const anyTeam: fc.Arbitrary<RunSpec> = fc
  .record({
    hats: fc.array(anyHat, { minLength: 1, maxLength: IDS.length }),
    isFirstWhole: fc.boolean(),
    terminalEvents: fc.subarray(['d.e', 'a.y']),
    routing: fc.constantFrom('exclusive' as const, 'fanout' as const),
  })
  .map(({ hats, isFirstWhole, terminalEvents, routing }) =>
    makeSpec({
      coordinator: 'hats',
      terminalEvents,
      routing,
      hats: hats.map(({ triggers, publishes, maxActivations }, index) => {
        // That a target is a hat is another check: of the file.
        const known = publishes.filter((entry) => typeof entry === 'string' || IDS.indexOf(entry.target ?? '') < hats.length);
        const whole = isFirstWhole && index === 0 ? ['task.start', 'task.resume'] : [];
        return makeHat(IDS[index] as string, [...new Set([...whole, ...triggers])], known, { maxActivations });
      }),
    }),
  );

/** A team that is sound by the way it is made: each topic has one taker, each hat hands on to the next, and the last may end the run. */
const soundTeam: fc.Arbitrary<RunSpec> = fc
  .record({
    ways: fc.array(fc.array(fc.nat({ max: 30 }), { maxLength: 3 }), { minLength: 2, maxLength: 10 }),
    byPattern: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
  })
  .map(({ ways, byPattern }) => {
    const topicOf = (index: number): string => `work${index}.done`;
    const hats = ways.map((back, index): HatSpec => {
      const own = byPattern[index] === true ? `work${index}.*` : topicOf(index);
      const next = index + 1 < ways.length ? topicOf(index + 1) : 'LOOP_COMPLETE';
      const publishes = [...new Set([next, ...back.map((place) => topicOf(1 + (place % (ways.length - 1))))])];
      return makeHat(`hat${index}`, index === 0 ? ['task.start', 'task.resume'] : [own], publishes);
    });
    return makeSpec({ coordinator: 'hats', hats, limits: { maxIterations: 300 } });
  });

describe('a team that the rules accept', () => {
  test('never publishes an event without a taker and never has a hat without a way on, and can complete: any team', {
    timeout: 3_600_000,
  }, () => {
    let accepted = 0;
    fc.assert(
      fc.property(anyTeam, fc.integer(), (spec, seed) => {
        if (!isAccepted(spec)) return;
        accepted += 1;
        expect(findBreaches(spec, seed)).toEqual([]);
        const isLimited = spec.hats?.some((hat) => hat.maxActivations !== null);
        if (isLimited !== true) expect(simulateTeam(spec, { runs: 1, seed }).withoutFaults.canComplete).toBe(true);
      }),
      { numRuns: TEAMS },
    );
    // Else the property would say nothing.
    expect(accepted).toBeGreaterThan(TEAMS / 20);
  });

  test('never publishes an event without a taker and never has a hat without a way on, and can complete: sound teams, which are accepted', {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(soundTeam, fc.integer(), (spec, seed) => {
        expect(validateTopology(compileTopology(spec))).toEqual([]);
        expect(findBreaches(spec, seed)).toEqual([]);
        expect(simulateTeam(spec, { runs: 1, seed }).withoutFaults.canComplete).toBe(true);
      }),
      { numRuns: propertyRuns(20) },
    );
  });
});

/** Settings that make no sense together, too. */
const anySettings: fc.Arbitrary<Partial<Omit<RunSpec, 'limits'>>> = fc.record({
  coordinator: fc.constantFrom('auto' as const, 'ralph' as const, 'hats' as const),
  mode: fc.constantFrom(null, null, 'single' as const, 'multi' as const),
  startingEvent: fc.constantFrom(null, 'a.x', 'nobody.takes'),
  startingHat: fc.constantFrom(null, 'builder', 'nobody'),
  recoveryHat: fc.constantFrom(null, 'critic', 'nobody'),
  requiredEvents: fc.subarray(['c', 'nobody.publishes'], { maxLength: 1 }),
  gates: fc.constantFrom([], [makeGate(['task.complete'])], [makeGate(['a.*']), makeGate(['*'])]),
});

test('whatever the team, every run comes to an end, and the same seed gives the same report', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(anyTeam, anySettings, fc.integer(), (team, settings, seed) => {
      const hats = team.hats?.map((hat) => ({ ...hat, transitions: ['critic'], defaultPublishes: seed % 2 === 0 ? ['c'] : [] })) ?? null;
      const spec = { ...team, ...settings, hats, limits: { ...team.limits, maxIterations: 20, cooldownMs: seed % 3 === 0 ? 1000 : 0 } };
      const options = { runs: 3, seed, silent: 0.2, failure: 0.2 };
      const report = simulateTeam(spec, options);
      expect(report.ends.reduce((sum, { runs }) => sum + runs, 0)).toBe(3);
      expect(simulateTeam(spec, options)).toEqual(report);
    }),
    { numRuns: propertyRuns(15) },
  );
});
