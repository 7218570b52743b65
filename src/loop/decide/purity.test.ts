import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { compileTopology } from '../../topology/routing/compile-topology.ts';
import { decide, INITIAL_STATE } from './decide.ts';
import { type Decided, play } from './decide-fixtures.ts';
import { anyMoves, anySpec } from './random-runs-fixtures.ts';

/** Everything by which code learns of the time, of chance, or of the machine. */
const OUTSIDE = [
  'Date',
  'performance',
  'crypto',
  'process',
  'fetch',
  'console',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'Intl',
] as const;

/** A thing that fails on whatever is done with it. */
function createTrap(name: string): unknown {
  const fail = (): never => {
    throw new Error(`${name} was used`);
  };
  return new Proxy(fail, { get: fail, apply: fail, construct: fail });
}

/** Random runs of random teams: what was decided on each input, with the world as it is. */
function recordRuns(): readonly (readonly Decided[])[] {
  return fc.sample(fc.tuple(anySpec, anyMoves), { numRuns: propertyRuns(60), seed: 5 }).map(([spec, moves]) => {
    const decided: Decided[] = [];
    const run = play(spec, (one) => decided.push(one));
    for (const move of moves) move(run);
    return decided;
  });
}

/** Decides the same inputs anew and returns the bytes of every decision. */
function decideAgain(decided: readonly Decided[]): readonly string[] {
  let state = INITIAL_STATE;
  let topology: ReturnType<typeof compileTopology> | null = null;
  return decided.map(({ input }) => {
    if ('spec' in input && input.spec !== undefined) topology = compileTopology(input.spec);
    if (topology === null) throw new Error('a run begins with its specification');
    const decision = decide(topology, state, input);
    state = decision.state;
    return JSON.stringify(decision);
  });
}

describe('law 1: decide looks at nothing but its arguments', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it('it reads no clock, no randomness and no process: without them it decides the same, byte for byte', () => {
    const runs = recordRuns();
    vi.spyOn(Math, 'random').mockImplementation(() => {
      throw new Error('Math.random was used');
    });
    for (const name of OUTSIDE) vi.stubGlobal(name, createTrap(name));
    let again: readonly (readonly string[])[] = [];
    try {
      again = runs.map(decideAgain);
    } finally {
      vi.unstubAllGlobals();
      vi.restoreAllMocks();
    }
    expect(again).toEqual(runs.map((decided) => decided.map(({ after, effects }) => JSON.stringify({ state: after, effects }))));
    expect(again.flat().length).toBeGreaterThan(propertyRuns(500));
  });
});
