/** Laws 3 and 7, held against the real shell under a virtual clock. */
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../src/core/property-fixtures.ts';
import type { Input } from '../../src/core/run/inputs.ts';
import type { RunRecord } from '../../src/core/run/run-record.ts';
import type { RunSpec } from '../../src/core/run/run-spec.ts';
import { toTurnName } from '../../src/core/run/turn.ts';
import { makeHat, makeSpec } from '../../src/core/spec-fixtures.ts';
import { createJournalFold } from '../../src/loop/decide/index.ts';
import { type LoopPorts, type RunOutcome, runLoop } from '../../src/loop/shell/index.ts';
import { createCopies } from './copies.ts';
import { createRandom } from './random.ts';
import { createPorts, createWorld, readEntries } from './world.ts';
import type { World } from './world-type.ts';

const SETTINGS = {
  prompt: {
    scratchpad: '.agent/scratchpad.md',
    eventsFile: '.agent/events.jsonl',
    specsDir: './specs/',
    promptFile: null,
    guardrails: null,
    workspaceDir: '.agent/workspace/',
  },
  turnLogCapBytes: 1,
  stopGraceMs: 10_000,
  asking: { isOn: true, deadlineMs: 60_000 },
};

const SPEC: RunSpec = makeSpec({
  hats: [
    makeHat('builder', ['build.task'], ['build.done', 'build.blocked'], { defaultPublishes: ['build.done'] }),
    makeHat('reviewer', ['build.*'], ['review.passed', 'review.rejected']),
  ],
  gates: [{ on: ['task.complete'], run: 'make test', timeoutMs: 1000 }],
  limits: { maxIterations: 25, checkpointInterval: 2 },
});

/** Plays one run to its end; `change` may put something between the loop and its world. */
async function playRun(
  seed: number,
  change: (ports: LoopPorts, world: World, post: (input: Input) => void) => LoopPorts,
  spec = SPEC,
): Promise<{ world: World; outcome: RunOutcome }> {
  const world = createWorld(createRandom(seed));
  const at = world.clock.now();
  const ports = change(createPorts(world), world, (input) => loop.post(input));
  const loop = runLoop(ports, SETTINGS, {
    folded: null,
    inputs: [{ type: 'run-started', at, runId: 'sim', spec, flags: [], inboxOffset: 0 }],
  });
  let outcome: RunOutcome | null = null;
  void loop.outcome.then((ended) => {
    outcome = ended;
  });
  for (let step = 0; step < 5000; step += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (outcome !== null) return { world, outcome };
    world.clock.advance();
  }
  throw new Error('the run did not end');
}

const SEEDS = Array.from({ length: propertyRuns(20) }, (_, index) => index + 1);

describe('law 3: the input is on disk before it is decided', () => {
  test('every input that is decided is in the journal by then, and every effect that is performed was decided on such an input', async () => {
    let decided = 0;
    let started = 0;
    for (const seed of SEEDS) {
      const ordered = new Set<string>();
      await playRun(seed, (ports, world) => ({
        ...ports,
        observe: (record) => {
          if (record.kind === 'input') {
            decided += 1;
            expect(readEntries(world).at(-1)).toEqual({ seq: record.seq, input: record.input });
          }
          if (record.kind === 'effect' && record.effect.type === 'iteration-start') ordered.add(JSON.stringify(record.effect));
        },
        agents: {
          ...ports.agents,
          backendFor: (order) => {
            started += 1;
            expect(ordered).toContain(JSON.stringify(order));
            return ports.agents.backendFor(order);
          },
        },
      }));
    }
    expect(decided).toBeGreaterThan(500);
    expect(started).toBeGreaterThan(100);
  });

  test('an input that cannot be written is not decided: whichever it is, the run ends as the journal has it', async () => {
    for (const failing of [1, 2, 3, 5, 8, 13, 21]) {
      const { world, outcome } = await playRun(7, (ports, { journalLines }) => ({
        ...ports,
        journal: {
          ...ports.journal,
          append: (input) => {
            if (journalLines.length >= failing) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
            return ports.journal.append(input);
          },
        },
      }));
      expect(outcome).toMatchObject({ reason: 'storage_failed', detail: 'the journal cannot be written (ENOSPC)' });
      const fold = createJournalFold();
      for (const entry of readEntries(world)) fold.take(entry);
      expect(readEntries(world)).toHaveLength(failing);
      expect(outcome.state).toEqual(fold.run().state);
      expect(world.agents.alive).toBe(0);
    }
  });
});

describe('a run that others may go on with', () => {
  test('does nothing that follows from an entry which they do not know yet', async () => {
    let started = 0;
    for (const seed of SEEDS) {
      let known = 0;
      const orderedBy = new Map<string, number>();
      await playRun(seed, (ports, world) => ({
        ...ports,
        journal: {
          ...ports.journal,
          settled: async () => {
            const appended = readEntries(world).length;
            await new Promise((resolve) => setImmediate(resolve));
            known = Math.max(known, appended);
          },
        },
        observe: (record) => {
          if (record.kind === 'effect' && record.effect.type === 'iteration-start') orderedBy.set(toTurnName(record.effect), record.seq);
        },
        agents: {
          ...ports.agents,
          backendFor: (order) => {
            started += 1;
            expect(known).toBeGreaterThanOrEqual(orderedBy.get(toTurnName(order)) ?? Number.POSITIVE_INFINITY);
            return ports.agents.backendFor(order);
          },
        },
      }));
    }
    expect(started).toBeGreaterThan(100);
  });

  test('ends without another turn where it is not its own any more', async () => {
    let isTaken = false;
    const { world, outcome } = await playRun(7, (ports) => ({
      ...ports,
      journal: {
        ...ports.journal,
        settled: async () => {
          if (isTaken) throw new Error('another process goes on with this run');
        },
      },
      agents: {
        ...ports.agents,
        backendFor: (order) => {
          expect(isTaken).toBe(false);
          isTaken = true;
          return ports.agents.backendFor(order);
        },
      },
    }));
    expect(outcome).toMatchObject({ reason: 'storage_failed', detail: 'another process goes on with this run' });
    expect(world.agents.alive).toBe(0);
  });
});

describe('law 7: who watches cannot steer', () => {
  const undisturbed = async (seed: number): Promise<readonly string[]> => (await playRun(seed, (ports) => ports)).world.journalLines;

  test('an observer that throws changes nothing of the run', async () => {
    for (const seed of SEEDS) {
      const { world } = await playRun(seed, (ports) => ({
        ...ports,
        observe: () => {
          throw new Error('the screen is broken');
        },
      }));
      expect(world.journalLines).toEqual(await undisturbed(seed));
    }
  });

  test('an observer that writes into what it is shown changes nothing of the run', async () => {
    for (const seed of SEEDS) {
      const { world } = await playRun(seed, (ports) => ({ ...ports, observe: vandalise }));
      expect(world.journalLines).toEqual(await undisturbed(seed));
    }
  });
});

/** Tries to turn every hat into Ralph and every topic into another one. */
function vandalise(record: RunRecord): void {
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const fields = value as Record<string, unknown>;
    for (const key of Object.keys(fields)) {
      visit(fields[key]);
      if (key === 'hat' || key === 'topic') Reflect.set(fields, key, 'ralph');
      if (key === 'to') Reflect.set(fields, key, []);
    }
  };
  visit(record);
}

test('a wish to stop that is left while a turn runs is followed before another begins, whether or not anybody watches for it', async () => {
  const ends = new Set<string>();
  for (const seed of SEEDS) {
    const started: string[] = [];
    let isLeft = false;
    const { outcome } = await playRun(seed, (ports, world) => ({
      ...ports,
      agents: {
        ...ports.agents,
        backendFor: (order) => {
          started.push(`${order.iteration}.${order.attempt}`);
          isLeft ||= order.iteration === 2;
          return ports.agents.backendFor(order);
        },
      },
      takeStop: () => {
        if (!isLeft) return null;
        isLeft = false;
        return { type: 'stop-requested', at: world.clock.now(), how: 'after-iteration', by: 'ralph stop' };
      },
    }));
    expect(started.filter((turn) => !/^[12]\./.test(turn))).toEqual([]);
    ends.add(outcome.reason);
  }
  expect(ends).toContain('interrupted');
});

test.each(['interrupt', 'after-iteration'] as const)(
  'a stop (%s) while turns of a batch begin starts none of those behind',
  async (how) => {
    const hats = ['linter', 'tester', 'auditor'].map((id) => makeHat(id, ['task.start'], [`${id}.done`]));
    const spec = makeSpec({ hats, routing: 'fanout', maxParallel: 3, coordinator: 'hats' });
    const reasons = new Set<string>();
    for (const seed of SEEDS) {
      const copies: string[] = [];
      const { outcome } = await playRun(
        seed,
        (ports, world, post) => ({
          ...ports,
          copies: {
            ...createCopies(world),
            open: (name) => {
              copies.push(name);
              if (copies.length === 1) post({ type: 'stop-requested', at: world.clock.now(), how, by: 'Ctrl+C' });
              return createCopies(world).open(name);
            },
          },
        }),
        spec,
      );
      expect(copies).toEqual(['1.1']);
      reasons.add(outcome.reason);
      // The one that had begun may declare the work complete; else those behind it wait for the resume.
      if (outcome.reason !== 'completed')
        expect(outcome.state.plans.map(({ hat }) => hat)).toEqual(expect.arrayContaining(['tester', 'auditor']));
    }
    expect([...reasons].filter((reason) => reason !== 'completed')).toEqual(['interrupted']);
  },
);

describe('what people said is read once', () => {
  test('also where it counts for nothing, and by whoever reads it first', async () => {
    for (const seed of SEEDS) {
      const reads: (readonly [number, number])[] = [];
      await playRun(seed, (ports) => ({
        ...ports,
        steering: {
          // Each read finds one more line of somebody who is not let in.
          read: (offset) => {
            reads.push([offset, offset + 1]);
            return { words: [], offset: offset + 1 };
          },
          watch: (look) => {
            look();
            return () => undefined;
          },
        },
      }));
      expect(reads.length).toBeGreaterThan(2);
      expect(reads).toEqual(reads.map((_, index) => [index, index + 1]));
    }
  });
});
