import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { EFFECT_TYPES } from '../../core/run/kinds-fixtures.ts';
import type { Activation, RunState } from '../../core/run/state.ts';
import { compileTopology } from '../../topology/routing/compile-topology.ts';
import { decide, INITIAL_STATE } from './decide.ts';
import { type Decided, play } from './decide-fixtures.ts';
import { anyMoves, anySpec, type Move, type SpecParts } from './random-runs-fixtures.ts';

/** Plays random runs of random teams; gives each of them, decision by decision, to a judge. */
function everyRun(judge: () => (decided: Decided) => void, parameters: fc.Parameters<[SpecParts, readonly Move[]]> = {}): void {
  fc.assert(
    fc.property(anySpec, anyMoves, (spec, moves) => {
      const run = play(spec, judge());
      for (const move of moves) move(run);
    }),
    { numRuns: propertyRuns(60), ...parameters },
  );
}

/** Where each undelivered copy of an event is: on its way, planned, or in a running turn. */
function copies(state: RunState): ReadonlyMap<string, number> {
  const held = [
    ...state.pending.map((entry) => entry.event),
    ...state.plans.flatMap((plan) => plan.events),
    ...state.activations.flatMap((entry) => entry.events),
  ];
  const counts = new Map<string, number>();
  for (const { id } of held) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

describe('the laws of decide, over random teams and random courses of events', () => {
  it('it never throws, never changes its arguments, and the same arguments give the same bytes', () => {
    let decisions = 0;
    everyRun(
      () => () => {
        decisions += 1;
      },
      { numRuns: propertyRuns(150) },
    );
    expect(decisions).toBeGreaterThan(propertyRuns(1500));
  });

  it('the fold of the same inputs gives the same state and effects', () => {
    fc.assert(
      fc.property(anySpec, anyMoves, (spec, moves) => {
        const journal: Decided[] = [];
        const run = play(spec, (decided) => journal.push(decided));
        for (const move of moves) move(run);
        let state = INITIAL_STATE;
        let topology = run.topology();
        for (const { input, after, effects } of journal) {
          if ('spec' in input && input.spec !== undefined) topology = compileTopology(input.spec);
          const decision = decide(topology, state, JSON.parse(JSON.stringify(input)));
          state = decision.state;
          expect(JSON.stringify([state, decision.effects])).toBe(JSON.stringify([after, effects]));
        }
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('the state is plain JSON', () => {
    everyRun(() => ({ after, effects }) => {
      expect(isDeepStrictEqual(JSON.parse(JSON.stringify(after)), after)).toBe(true);
      expect(isDeepStrictEqual(JSON.parse(JSON.stringify(effects)), effects)).toBe(true);
    });
  });

  it('no effect follows after run-end until run-resumed', () => {
    everyRun(() => ({ before, input, after, effects }) => {
      const told = effects.filter((effect) => effect.type !== 'notice' && effect.type !== 'event-reject');
      const isLate = ['events-received', 'told', 'answered'].includes(input.type) && before.end?.reason === 'completed';
      if (isLate) expect(told.filter((effect) => effect.type !== 'event-publish' || effect.how !== 'undelivered')).toEqual([]);
      else if (before.status === 'ended' && input.type !== 'run-resumed') expect(effects).toEqual([]);
      const end = effects.findIndex((effect) => effect.type === 'run-end');
      if (end >= 0) expect([end, after.status]).toEqual([effects.length - 1, 'ended']);
      else if (before.status !== 'ended') expect(after.status).not.toBe('ended');
    });
  });

  it('what a person told is never lost while the run goes on, and never in two places', () => {
    everyRun(() => {
      const told = new Set<string>();
      return ({ before, input, after, effects }) => {
        const places = placesOf(after);
        for (const [id, count] of places) expect([id, count]).toEqual([id, 1]);
        if (input.type === 'told' && before.end === null && !before.heardIds.includes(input.id)) told.add(input.id);
        // Who has it, has it: its turn ended well.
        if (input.type === 'iteration-ended') {
          for (const turn of before.activations) for (const id of idsOf(turn)) if (!places.has(id)) told.delete(id);
          // What was not given must still be somewhere.
          for (const { id } of before.tells) expect([id, places.has(id)]).toEqual([id, true]);
          if (input.outcome.status === 'interrupted')
            for (const { told: id } of before.activations.flatMap(({ events }) => events))
              if (id !== undefined && after.end?.reason !== 'completed') expect([id, places.has(id)]).toEqual([id, true]);
        }
        if (after.end?.reason === 'completed') told.clear();
        for (const id of told) expect([id, places.has(id), input.type]).toEqual([id, true, input.type]);
        expect(effects.filter((effect) => effect.type === 'tell-offer' && !places.has(effect.tell.id))).toEqual([]);
      };
    });
  });

  it('a question is open once, and is settled once', () => {
    everyRun(() => {
      const closed = new Set<string>();
      const open = new Set<string>();
      return ({ effects, after }) => {
        for (const effect of effects) {
          if (effect.type === 'question-open') {
            expect(open.has(effect.question.id)).toBe(false);
            open.add(effect.question.id);
          }
          if (effect.type === 'question-close') {
            expect(open.has(effect.id)).toBe(true);
            const known = after.questions.find(({ id }) => id === effect.id);
            // The same answer may be handed to the turn that asks again.
            if (closed.has(effect.id)) expect(known?.answer?.choice).toBe(effect.choice);
            closed.add(effect.id);
          }
        }
        const keys = after.questions.map(({ hat, place = 0, key }) => `${hat} ${place} ${key}`);
        expect(new Set(keys).size).toBe(keys.length);
      };
    });
  });

  it('each started turn ends once, a hat has no more turns at a time than it says, and no more turns run at a time than may', () => {
    everyRun(() => {
      const open = new Set<string>();
      let most = 1;
      let placesOf = (_hat: string): number => 1;
      return ({ before, input, after, effects }) => {
        if ('spec' in input && input.spec !== undefined) {
          const hats = input.spec.hats ?? [];
          const { maxParallel = 1 } = input.spec;
          const ofHat = maxParallel > 1 ? maxParallel : Math.max(1, ...hats.map(({ parallel = 1 }) => parallel));
          most = Math.max(after.activations.length, ofHat);
          const left = after.activations.map(({ hat }) => hat);
          placesOf = (id) => Math.max(hats.find((hat) => hat.id === id)?.parallel ?? 1, left.filter((hat) => hat === id).length);
        }
        const name = (turn: { readonly iteration: number; readonly attempt: number }): string => `${turn.iteration}.${turn.attempt}`;
        if (input.type === 'iteration-ended') open.delete(name(input));
        for (const effect of effects) {
          if (effect.type !== 'iteration-start') continue;
          if (effect.isAgain === true) continue;
          expect(before.activations.map(name)).not.toContain(name(effect));
          open.add(name(effect));
        }
        expect([...open]).toEqual(after.activations.map(name));
        expect(open.size).toBeLessThanOrEqual(most);
        for (const { hat } of after.activations)
          expect(after.activations.filter((turn) => turn.hat === hat).length).toBeLessThanOrEqual(placesOf(hat));
        if (most > 1 && (after.batchHat ?? null) !== null) expect(after.activations.every(({ hat }) => hat === after.batchHat)).toBe(true);
        if (after.activations.length > 1) for (const { copy } of after.activations) expect(copy).toBeDefined();
        const copies = after.activations.flatMap(({ copy }) => copy ?? []);
        expect(new Set(copies).size).toBe(copies.length);
      };
    });
  });

  it('a turn is never started twice under its id, and never without an event', () => {
    everyRun(() => {
      const started = new Set<string>();
      let last = 0;
      return ({ effects }) => {
        for (const effect of effects) {
          if (effect.type !== 'iteration-start') continue;
          const name = `${effect.iteration}.${effect.attempt}`;
          const isNext = effect.attempt === 1 ? effect.iteration === last + 1 : started.has(`${effect.iteration}.${effect.attempt - 1}`);
          expect([name, started.has(name)]).toEqual([name, effect.isAgain === true]);
          if (effect.isAgain !== true) expect([name, isNext]).toEqual([name, true]);
          started.add(name);
          expect(effect.events.length).toBeGreaterThan(0);
          expect(new Set(effect.events.map((event) => event.id)).size).toBe(effect.events.length);
          last = Math.max(last, effect.iteration);
        }
      };
    });
  });

  it('ids grow', () => {
    everyRun(() => {
      const last = { event: 0, request: 0, timer: 0 };
      return ({ input, effects }) => {
        for (const effect of effects) {
          const id = effect.type === 'event-publish' ? effect.event.id : effect.type === 'event-reject' ? effect.id : null;
          if (id !== null) {
            expect(id).toBe(`e${last.event + 1}`);
            last.event += 1;
          }
          if (effect.type === 'timer-set') {
            expect(effect.timer).toBe(last.timer + 1);
            last.timer += 1;
          }
          if (effect.type === 'gates-run' || effect.type === 'hooks-ask') {
            if (input.type !== 'run-resumed') expect(effect.request).toBe(last.request + 1);
            last.request = Math.max(last.request, effect.request);
          }
        }
      };
    });
  });

  it('every published event is delivered to each of its receivers once, is still on its way, or is carried by an error: none is lost, none comes twice', () => {
    everyRun(() => ({ before, input, after, effects }) => {
      const had = copies(before);
      const has = copies(after);
      const ended =
        input.type === 'iteration-ended'
          ? before.activations.find((entry) => entry.iteration === input.iteration && entry.attempt === input.attempt)
          : undefined;
      const published = new Map(
        effects.flatMap((effect) => (effect.type === 'event-publish' ? [[effect.event.id, effect.to.length] as const] : [])),
      );
      for (const id of new Set([...had.keys(), ...has.keys(), ...published.keys()])) {
        const owed = (had.get(id) ?? 0) + (published.get(id) ?? 0);
        const left = has.get(id) ?? 0;
        const wasHandled = ended?.events.some((event) => event.id === id) === true;
        const isMerged = after.activations.some((entry) => entry.events.some((event) => event.id === id)) && left >= 1;
        expect(left).toBeLessThanOrEqual(owed);
        if (!isMerged) expect(left).toBeGreaterThanOrEqual(owed - (wasHandled ? 1 : 0));
      }
    });
  });

  it('a failed turn that emitted nothing hands its events on in the error', () => {
    everyRun(() => ({ before, input, effects }) => {
      if (input.type !== 'iteration-ended' || input.outcome.status !== 'failed' || input.signals.length > 0) return;
      const ended = before.activations.find((entry) => entry.iteration === input.iteration && entry.attempt === input.attempt);
      const error = effects.find(
        (effect) => effect.type === 'event-publish' && effect.event.source === 'system' && effect.event.topic.startsWith('error.'),
      );
      if (ended === undefined || error === undefined) return;
      const carried = JSON.stringify(error);
      for (const event of ended.events) expect(carried.includes(`"id":"${event.id}"`) || event.topic.startsWith('error.')).toBe(true);
    });
  });

  it('everything that a turn said is published, refused, or waits for a gate', () => {
    everyRun(() => ({ before, input, after, effects }) => {
      if (input.type !== 'iteration-ended') return;
      const ended = before.activations.find((entry) => entry.iteration === input.iteration && entry.attempt === input.attempt);
      if (ended === undefined) return;
      const dealtWith = new Set(
        effects.flatMap((effect) =>
          effect.type === 'event-publish' ? [effect.event.topic] : effect.type === 'event-reject' ? [effect.topic] : [],
        ),
      );
      for (const wait of after.gateWaits)
        for (const draft of [...wait.drafts, ...(wait.completion === null ? [] : [wait.completion])]) dealtWith.add(draft.topic);
      const completing = ['task.complete', 'LOOP_COMPLETE'];
      for (const signal of input.signals) {
        const topic =
          signal.kind === 'event' ? signal.topic : signal.kind === 'promise' ? 'LOOP_COMPLETE' : `legacy.hat_transition.${signal.hat}`;
        const isCompletion = completing.includes(topic);
        expect(isCompletion ? completing.some((name) => dealtWith.has(name)) : dealtWith.has(topic)).toBe(true);
      }
    });
  });

  it('a run that goes on always waits for something that will come', () => {
    everyRun(() => ({ after }) => {
      if (after.status === 'parked') expect(after.timers.some((timer) => timer.purpose === 'limit')).toBe(true);
      if (after.status !== 'running') return;
      const isWaiting = after.timers.some((timer) => timer.purpose !== 'runtime');
      expect(after.activations.length + after.gateWaits.length > 0 || isWaiting).toBe(true);
      if (after.stopping === null) expect(after.timers.filter((timer) => timer.purpose === 'runtime')).toHaveLength(1);
    });
  });

  it('no turn starts above a limit, and no hat above its activations', () => {
    everyRun(() => {
      let limits = new Map<string, number>();
      return ({ input, after, effects }) => {
        if ('spec' in input && input.spec !== undefined)
          limits = new Map(compileTopology(input.spec).hats.map((hat) => [hat.id, hat.maxActivations ?? 1000]));
        for (const effect of effects) {
          if (effect.type !== 'iteration-start') continue;
          expect(after.counters.counted).toBeLessThan(after.limits.maxIterations);
          if (effect.isAgain !== true && after.activations.length > 1)
            expect(after.counters.counted + after.activations.length).toBeLessThanOrEqual(after.limits.maxIterations);
          if (effect.attempt === 1) expect(after.activationCounts[effect.hat] ?? 0).toBeLessThanOrEqual(limits.get(effect.hat) ?? 1000);
        }
      };
    });
  });

  it('the random runs reach every end that a run can have by itself', { timeout: 30_000 }, () => {
    const ends = new Set<string>();
    const kinds = new Set<string>();
    everyRun(
      () =>
        ({ effects }) => {
          for (const effect of effects) {
            kinds.add(effect.type);
            if (effect.type === 'run-end') ends.add(effect.reason);
          }
        },
      { numRuns: 300, seed: 1 },
    );
    const known = [
      'completed',
      'consecutive_failures',
      'gate_refused',
      'interrupted',
      'loop_detected',
      'max_cost',
      'max_iterations',
      'max_runtime',
      'parked',
      'stalled',
      'storage_failed',
      'terminated',
    ];
    expect([...ends].sort()).toEqual(known);
    expect([...kinds].sort()).toEqual(EFFECT_TYPES);
  });
});

/** Where what people told is, by its command. */
function placesOf(state: RunState): ReadonlyMap<string, number> {
  const events = [...state.pending.map(({ event }) => event), ...state.plans.flatMap(({ events }) => events)];
  const ids = [
    ...state.tells.map(({ id }) => id),
    ...events.flatMap(({ told }) => (told === undefined ? [] : [told])),
    ...state.activations.flatMap(idsOf),
    ...state.plans.flatMap(({ kept }) => kept?.tells.map(({ tell }) => tell.id) ?? []),
  ];
  const places = new Map<string, number>();
  for (const id of ids) places.set(id, (places.get(id) ?? 0) + 1);
  return places;
}

function idsOf({ events, told = [] }: Activation): readonly string[] {
  return [...events.flatMap(({ told: id }) => (id === undefined ? [] : [id])), ...told.map(({ tell }) => tell.id)];
}
