import { UNKNOWN_USAGE } from '../../src/core/backends/usage.ts';
import type { GateEvidence } from '../../src/core/gates/gate-result.ts';
import type { HookAnswer, Input, JournalEntry } from '../../src/core/run/inputs.ts';
import { toTurnName } from '../../src/core/run/turn.ts';
import type { LoopPorts } from '../../src/loop/shell/index.ts';
import type { Journal } from '../../src/ports/journal.ts';
import { createCopies } from './copies.ts';
import { createMemoryInbox } from './memory-inbox.ts';
import type { Random } from './random.ts';
import { createSeededBackend } from './seeded-agent.ts';
import { createVirtualClock } from './virtual-clock.ts';
import type { World } from './world-type.ts';

export function createWorld(random: Random): World {
  return {
    random,
    clock: createVirtualClock(1_800_000_000_000),
    journalLines: [],
    inboxLines: [],
    outsideLines: [],
    steering: [],
    agents: { alive: 0, most: 0, mostOf: new Map() },
    crowd: new Map(),
    faults: [],
    copies: new Map(),
    ends: new Map(),
    records: [],
    written: { count: 0 },
    orphans: new Set(),
    applied: [],
  };
}

/** The ports of one orchestrator process in that world. */
export function createPorts(world: World): LoopPorts {
  return {
    journal: createMemoryJournal(world),
    clock: world.clock,
    inbox: createMemoryInbox(world.inboxLines),
    outside: createMemoryInbox(world.outsideLines),
    steering: {
      read: (offset) => ({
        words: world.steering.slice(offset).map((word, index) => ({ word, offset: offset + index + 1 })),
        problems: [],
        offset: world.steering.length,
      }),
      watch: (look) => watchSteering(world, look),
    },
    turns: {
      open: (turn) => ({ promptFile: '', stdoutPath: '', stderrPath: '', textPath: '', promptHash: `${turn.iteration}.${turn.attempt}` }),
      appendText: () => undefined,
      close: () => undefined,
      keepEnd: (turn, end) => void world.ends.set(toTurnName(turn), end),
      readEnd: (turn) => world.ends.get(toTurnName(turn)) ?? null,
    },
    gates: {
      run: async (orders) =>
        orders.map(({ gate, spec }) => {
          const passed = world.random.chance(0.7);
          return {
            gate,
            command: spec.run,
            passed,
            exitCode: passed ? 0 : 1,
            timedOut: false,
            durationMs: 5,
            outputTail: passed ? '' : `red ${world.random.below(1000)}`,
            ...(world.journalLines.length % 2 === 0 && { evidence: makeEvidence(world.journalLines.length % 6 !== 0) }),
          };
        }),
    },
    hooks: {
      ask: async ({ drafts }) => drafts.map(() => answerByChance(world)),
      close: async () => undefined,
    },
    workspace: {
      exists: () => true,
      keepOpened: async () => undefined,
      keepBefore: async () => {
        if (world.random.chance(0.02)) speak(world);
        return String(world.random.below(2));
      },
      keepAfter: async () => String(world.random.below(2)),
      checkpoint: async () => ({ commit: null, leftOut: [], note: 'not a repository' }),
    },
    copies: createCopies(world),
    agents: {
      backendFor: (order) => createSeededBackend(world, order),
      surroundings: () => ({ cwd: '/', env: {}, marker: '' }),
      priceOf: () => UNKNOWN_USAGE.costUsd,
    },
    reap: async () => {
      for (const end of world.orphans) end();
      world.orphans.clear();
    },
    observe: (record) => world.records.push(record),
  };
}

/** A hook lets an event through as it is, tells something, holds it back, or changes its target. Payloads stay: by them lines are known. */
function answerByChance({ random }: World): HookAnswer {
  const isDropped = random.chance(0.2);
  const told = random.chance(0.2) ? ['say more'] : [];
  const changed = random.chance(0.1) ? { changed: { target: random.pick(['builder', 'nobody']) } } : {};
  return { isDropped, reason: isDropped ? 'guard: no' : '', told, runs: [], ...changed };
}

/** What a gate proves, about the files that are there or about others. */
function makeEvidence(isFresh: boolean): GateEvidence {
  return { number: 1, treeBefore: null, tree: 'x', isFresh, isCached: false, attempts: 1, outputHash: '', log: null, isCut: false };
}

/** A person publishes something: mostly to a hat, now and then what nobody takes. */
export function speak(world: World): void {
  const topic = world.random.pick(['build.task', 'build.done', 'review.asked', 'gossip']);
  world.outsideLines.push(JSON.stringify({ topic, payload: `said ${world.outsideLines.length + 1}` }));
}

const SENDER = { pid: 1, user: 'ann', how: 'terminal' } as const;

/** A person tells something, or answers a question that may be open, or was, or never is; now and then the same command comes twice. */
export function steer(world: World): void {
  const { random, steering } = world;
  const last = steering.at(-1);
  if (last !== undefined && random.chance(0.1)) return void steering.push(last);
  const id = `c${steering.length}`;
  if (random.chance(0.5)) {
    const to = random.pick([null, null, 'planner', 'builder', 'reviewer', 'ralph', 'nobody']);
    steering.push({
      kind: 'tell',
      id,
      text: `told ${id}`,
      to,
      when: random.pick(['now', 'now', 'now', 'next', 'interrupt']),
      sender: SENDER,
    });
  } else {
    const question = `q${1 + random.below(Math.max(1, countQuestions(world) + 1))}`;
    steering.push({ kind: 'answer', id, question, choice: random.pick(['yes', 'no', 'perhaps']), sender: SENDER });
  }
}

function countQuestions({ journalLines }: World): number {
  return journalLines.filter((line) => line.startsWith('{"type":"asked"')).length;
}

/** Looks from time to time, as long as the process lives. */
function watchSteering(world: World, look: () => void): () => void {
  let isOver = false;
  const again = (): void => {
    if (isOver) return;
    look();
    world.clock.setTimer(world.clock.now() + 5000, again);
  };
  world.clock.setTimer(world.clock.now() + 1, again);
  return () => {
    isOver = true;
  };
}

function createMemoryJournal(world: World): Journal {
  return {
    append: (input) => {
      // The worst moment: behind the last look, before the decision.
      if (world.random.chance(0.02)) speak(world);
      if (world.random.chance(0.02)) steer(world);
      world.journalLines.push(JSON.stringify(input));
      return { seq: world.journalLines.length, input };
    },
    read: (visit) => readEntries(world).forEach(visit),
    close: () => undefined,
  };
}

/** The journal's entries, parsed anew. */
export function readEntries(world: World): JournalEntry[] {
  return world.journalLines.map((line, index) => ({ seq: index + 1, input: JSON.parse(line) as Input }));
}
