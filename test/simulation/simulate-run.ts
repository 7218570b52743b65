import { SAMPLE_PANEL } from '../../src/core/run/panel-fixtures.ts';
import type { PanelSpec } from '../../src/core/run/panel-spec.ts';
import type { HatSpec, RunSpec } from '../../src/core/run/run-spec.ts';
import { makeGate, makeHat, makeSpec } from '../../src/core/spec-fixtures.ts';
import { createJournalFold } from '../../src/loop/decide/index.ts';
import { type RunOutcome, recoverRun, runLoop } from '../../src/loop/shell/index.ts';
import { createRandom, type Random } from './random.ts';
import { createPorts, createWorld, readEntries, speak, steer } from './world.ts';
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
/** A run that needs more steps than this would not end. */
const MAX_STEPS = 20_000;

/** A finished simulation. */
export interface SeededRun {
  readonly world: World;
  readonly outcome: RunOutcome;
  /** How often the orchestrator was killed. */
  readonly deaths: number;
}

/**
 * Plays one run with the real `decide` and the real shell under a virtual clock, killing and resuming the orchestrator at random moments.
 * Throws when the run does not end.
 */
export async function simulateRun(seed: number): Promise<SeededRun> {
  const random = createRandom(seed);
  const world = createWorld(random);
  const spec = toSpec(random);
  let deaths = 0;
  for (;;) {
    const outcome = await play(world, spec, random.chance(0.4) ? 1 + random.below(60) : MAX_STEPS);
    if (outcome !== null) return { world, outcome, deaths };
    deaths += 1;
    // The process is gone: its timers with it; its agents live on until they are reaped.
    world.clock.forget();
  }
}

/** One life of the orchestrator: until the run ends, or until it is killed after so many steps (`null`). */
async function play(world: World, spec: RunSpec, lifetime: number): Promise<RunOutcome | null> {
  const ports = guard(createPorts(world));
  const start = await toStart(world, spec);
  const loop = runLoop(ports.ports, SETTINGS, start);
  let outcome: RunOutcome | null = null;
  void loop.outcome.then((ended) => {
    outcome = ended;
  });
  for (let step = 0; step < MAX_STEPS; step += 1) {
    await settle();
    if (outcome !== null) return outcome;
    if (step >= lifetime) {
      ports.die();
      return null;
    }
    if (world.random.chance(0.03)) speak(world);
    if (world.random.chance(0.06)) steer(world);
    if (world.random.chance(0.002))
      loop.post({
        type: 'stop-requested',
        at: world.clock.now(),
        how: world.random.pick(['interrupt', 'after-iteration', 'kill', 'terminate']),
        by: 'test',
      });
    else if (!world.clock.advance()) throw new Error('nothing is left to happen, and the run has not ended');
  }
  throw new Error(`the run did not end within ${MAX_STEPS} steps`);
}

async function toStart(world: World, spec: RunSpec): Promise<Parameters<typeof runLoop>[2]> {
  if (world.journalLines.length === 0) {
    const at = world.clock.now();
    return { folded: null, inputs: [{ type: 'run-started', at, runId: 'sim', spec, flags: [], inboxOffset: 0 }] };
  }
  const fold = createJournalFold();
  for (const entry of readEntries(world)) fold.take(entry);
  const folded = fold.run();
  return { folded, inputs: await recoverRun(createPorts(world), folded, {}) };
}

/** Ports that do nothing more once their process is dead. */
function guard(ports: ReturnType<typeof createPorts>): { readonly ports: typeof ports; readonly die: () => void } {
  let isDead = false;
  const journal = {
    ...ports.journal,
    append: (input: Parameters<typeof ports.journal.append>[0]) => {
      if (isDead) throw new Error('a dead process wrote');
      return ports.journal.append(input);
    },
  };
  const observe: typeof ports.observe = (record) => {
    if (!isDead) ports.observe(record);
  };
  const keepEnd: typeof ports.turns.keepEnd = (turn, end) => {
    if (!isDead) ports.turns.keepEnd(turn, end);
  };
  const keepBefore: typeof ports.workspace.keepBefore = async (turn) => {
    const kept = await ports.workspace.keepBefore(turn);
    // A dead process starts no agent.
    return isDead ? new Promise<never>(() => undefined) : kept;
  };
  return {
    ports: { ...ports, journal, observe, turns: { ...ports.turns, keepEnd }, workspace: { ...ports.workspace, keepBefore } },
    die: () => {
      isDead = true;
    },
  };
}

/** Lets every promise that can go on go on. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function toHat(id: string, triggers: readonly string[], publishes: readonly string[], random: Random): HatSpec {
  const panel = random.chance(0.25) ? toPanel(random) : null;
  return makeHat(id, triggers, publishes, {
    ...(random.chance(0.1) && { alone: true as const }),
    ...(random.chance(0.35) && panel === null && { takes: 'one' as const, parallel: 1 + random.below(4) }),
    defaultPublishes: random.chance(0.3) && publishes[0] !== undefined ? [publishes[0]] : [],
    maxActivations: random.chance(0.2) ? 1 + random.below(4) : null,
    timeoutMs: 600_000,
    ...(panel === null
      ? { backends: random.chance(0.3) ? ['a', 'b'] : ['a'] }
      : { panel, backends: panel.agents.map(({ id: name }) => name) }),
  });
}

/** Two to four agents that wear a hat together. */
function toPanel(random: Random): PanelSpec {
  const tie = random.pick(['first', 'first', 'ralph', 'synthesizer'] as const);
  const roles = tie === 'first' ? [] : [{ id: 'zoe', instructions: '', role: tie }];
  const agents = [...['anna', 'ben', 'carl', 'dora'].slice(0, 2 + random.below(3)).map((id) => ({ id, instructions: '' })), ...roles];
  return {
    ...SAMPLE_PANEL,
    agents,
    strategy: random.pick(['vote', 'vote', 'best_of', 'synthesize']),
    tie,
    maxAnswersPerAgent: 1 + random.below(2),
    maxAnswersTotal: random.chance(0.2) ? 1 + random.below(4) : null,
    novelty: random.pick(['off', 'balanced', 'strict']),
    injection: random.pick(['mid_stream', 'restart', 'off']),
    firstInjection: random.pick(['restart', 'protect_first_answer', 'mid_stream']),
    maxParallel: 1 + random.below(agents.length),
    quorum: 1 + random.below(2),
    minAgents: 1 + random.below(2),
    budgetUsd: random.chance(0.2) ? 0.01 : null,
  };
}

/** A declaration by chance: solo, classic, or a team of three under either coordination. */
function toSpec(random: Random): RunSpec {
  const entry = random.chance(0.5) ? ['task.start', 'task.resume'] : [];
  const maxParallel = random.chance(0.35) ? 1 + random.below(3) : null;
  // Several take the same topics, so that several wait at the same time.
  const shared = maxParallel === null ? [] : ['build.done', 'review.passed', 'build.task'];
  const hats = [
    toHat('planner', [...entry, 'build.done', 'build.blocked', ...shared], ['build.task'], random),
    toHat('builder', ['build.task', 'review.*', ...shared], ['build.done', 'build.blocked', 'nobody.takes'], random),
    toHat('reviewer', ['nobody.*', 'error.cli', ...shared], random.chance(0.5) ? ['review.*', 'LOOP_COMPLETE'] : ['review.*'], random),
  ];
  const kind = random.below(6);
  return makeSpec({
    mode: kind === 0 ? 'single' : null,
    routing: maxParallel !== null || random.chance(0.2) ? 'fanout' : 'exclusive',
    ...(maxParallel !== null && { maxParallel }),
    eventSources: random.chance(0.8) ? ['jsonl', 'text'] : ['jsonl'],
    requiredEvents: random.chance(0.2) ? ['build.done'] : [],
    hats: kind <= 1 ? null : hats,
    ralph: { instructions: '', backends: ['a'], timeoutMs: 600_000, idleTimeoutMs: 300_000 },
    limits: {
      maxIterations: 1 + random.below(40),
      maxRuntimeMs: random.chance(0.2) ? 600_000 : 360_000_000,
      maxCostUsd: random.chance(0.3) ? 0.1 : null,
      maxConsecutiveFailures: 3,
      checkpointInterval: random.below(4),
      cooldownMs: random.chance(0.2) ? 1000 : 0,
    },
    onLimit: random.pick(['wait', 'switch', 'stop']),
    gates: toGates(random.below(100)),
    ...(random.chance(0.3) && {
      hooked: { publish: ['ralph', 'default', 'planner', 'builder'], complete: ['ralph', 'default', 'reviewer'] },
    }),
  });
}

/** Gates by chance: for half of the numbers from 0 to 99 there is one, for some there are several. */
function toGates(luck: number): RunSpec['gates'] {
  return [
    ...(luck < 40 ? [makeGate(['task.complete', 'build.done'], 'make test')] : []),
    ...(luck % 6 === 0 ? [makeGate(['build.done'], 'make lint', { required: luck % 12 === 0 })] : []),
    ...(luck % 10 === 3 ? [makeGate(['*'], 'make docs', { hats: ['builder'] })] : []),
  ];
}
