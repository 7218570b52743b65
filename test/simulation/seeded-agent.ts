import type { BackendEvent } from '../../src/core/backends/backend-event.ts';
import { UNKNOWN_USAGE } from '../../src/core/backends/usage.ts';
import type { IterationStart } from '../../src/core/run/effects.ts';
import type { TurnFailure } from '../../src/core/run/turn.ts';
import type { Backend, TurnResult } from '../../src/ports/backend.ts';
import type { People, SpokenWords } from '../../src/ports/people.ts';
import { playPanel } from './seeded-panel.ts';
import type { World } from './world-type.ts';

/** Topics that some hats may publish and others may not, one that nobody takes, one that is none. */
const TOPICS = ['build.task', 'build.done', 'build.blocked', 'review.passed', 'review.rejected', 'nobody.takes', 'no topic!'];
const FAILURES: readonly TurnFailure['class'][] = ['agent', 'transient', 'limit', 'auth', 'spawn'];

/**
 * An agent that does its work by chance: it finishes, lies, says nothing, emits twice, hangs, crashes, or writes after its death.
 * It keeps the Backend contract, its time-outs too.
 */
export function createSeededBackend(world: World, order: IterationStart): Backend {
  return {
    label: 'seeded',
    start: (request, observe) => {
      const { promise, settle } = createResult();
      let isOver = false;
      let calls = 0;
      const { random } = world;
      const isKept = random.chance(0.5);
      enter(world, order);
      const hear = (id: string): void => {
        world.clock.setTimer(world.clock.now() + 1 + random.below(30_000), () => {
          calls += 1;
          if (!isOver) observe({ type: 'injected', ids: [id], call: calls, isKept });
        });
      };
      const end = (result: Partial<TurnResult>): void => {
        if (isOver) return;
        isOver = true;
        cancelTimeout();
        world.orphans.delete(die);
        world.agents.alive -= 1;
        leave(world, order);
        settle({ ...SUCCESS, ...result });
      };
      const die = (): void => end({ status: 'stopped' });
      const cancelTimeout = world.clock.setTimer(world.clock.now() + request.timeoutMs, () =>
        end({ status: 'failed', failure: { class: 'timeout', message: 'too slow' } }),
      );
      world.orphans.add(die);
      observe({ type: 'started', pid: 1000 + order.iteration, processStart: 'x', argv: ['seeded'] });
      if (request.panel !== undefined) {
        const turn = { request, desk: request.panel, end, isOver: () => isOver, publish: () => write(world, order) };
        return { result: promise, stop: die, kill: die, obey: playPanel(world, turn) };
      }
      const people = random.chance(0.4) ? request.people : undefined;
      work({ world, observe, end, people, order });
      const mayBeTold = random.chance(0.6);
      return { result: promise, stop: die, kill: die, ...(mayBeTold && { tell: ({ id }: SpokenWords) => hear(id) }) };
    },
  };
}

const SUCCESS: TurnResult = {
  status: 'succeeded',
  failure: null,
  exitCode: 0,
  durationMs: 10,
  usage: { ...UNKNOWN_USAGE, costUsd: 0.01 },
  sessionId: null,
  toolCalls: 1,
  producedOutput: true,
  leftovers: 0,
  logError: null,
};

function createResult(): { promise: Promise<TurnResult>; settle: (result: TurnResult) => void } {
  let settle: (result: TurnResult) => void = () => undefined;
  const promise = new Promise<TurnResult>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}

function enter(world: World, { copy = FOLDER, hat }: IterationStart): void {
  world.agents.alive += 1;
  world.agents.most = Math.max(world.agents.most, world.agents.alive);
  for (const place of [copy, hat]) world.crowd.set(place, (world.crowd.get(place) ?? 0) + 1);
  if ((world.crowd.get(copy) ?? 0) > 1) world.faults.push(`two agents worked in ${copy}`);
  world.agents.mostOf.set(hat, Math.max(world.agents.mostOf.get(hat) ?? 0, world.crowd.get(hat) ?? 0));
  if ((world.crowd.get(FOLDER) ?? 0) > 0 && world.agents.alive > 1) world.faults.push('an agent worked in the folder beside others');
}

const FOLDER = 'the folder';

function leave({ crowd }: World, { copy = FOLDER, hat }: IterationStart): void {
  for (const place of [copy, hat]) crowd.set(place, (crowd.get(place) ?? 1) - 1);
}

interface Work {
  readonly world: World;
  readonly observe: (event: BackendEvent) => void;
  readonly end: (result: Partial<TurnResult>) => void;
  readonly people: People | undefined;
  readonly order: IterationStart;
}

function work({ world, observe, end, people, order }: Work): void {
  const { random, clock } = world;
  if (random.chance(0.04)) return; // hangs: only a time-out or a stop ends it
  const act = (): void => {
    if (random.chance(0.6)) write(world, order);
    if (random.chance(0.15)) write(world, order);
    if (random.chance(0.1)) for (let more = random.below(4); more >= 0; more -= 1) write(world, order, 'build.task');
    if (random.chance(0.1)) world.inboxLines.push('{"topic": "torn');
    if (random.chance(0.25)) observe({ type: 'text', text: sayEvent(world) });
    if (random.chance(0.12))
      observe({ type: 'text', text: random.chance(0.5) ? '\nLOOP_COMPLETE\n' : '\nI will say LOOP_COMPLETE soon.\n' });
    if (random.chance(0.05)) clock.setTimer(clock.now() + 1 + random.below(5000), () => write(world, order));
    if (random.chance(0.15)) end({ status: 'failed', exitCode: 1, failure: toFailure(world) });
    else end({ producedOutput: random.chance(0.9) });
  };
  const ask = (): void => {
    if (people === undefined) return act();
    const question = { key: `k${random.below(2)}`, kind: 'question' as const, text: 'Drop it?', choices: ['yes', 'no'], default: 'no' };
    void people.ask(question).then(({ choice, by }) => {
      if (!question.choices.includes(choice)) throw new Error(`${choice} is no choice`);
      if (by !== 'withdrawn') act();
    });
  };
  clock.setTimer(clock.now() + 1 + random.below(60_000), ask);
}

function toFailure({ random, clock }: World): TurnFailure {
  const kind = random.pick(FAILURES);
  const failure: TurnFailure = { class: kind, message: `fault ${random.below(10)}` };
  return kind === 'limit' && random.chance(0.5) ? { ...failure, resetAt: clock.now() + random.below(3_600_000) } : failure;
}

/** One line in the agents' file, with a number that no other line has. */
function write(world: World, { copy, hat }: IterationStart, topic = world.random.pick(TOPICS)): void {
  world.written.count += 1;
  const target = world.random.chance(0.1) ? { target: world.random.pick(['builder', 'nobody', 'ralph']) } : {};
  if (copy === undefined) world.inboxLines.push(JSON.stringify({ topic, payload: `line ${world.written.count}`, ...target }));
  // Of a copy that is gone nobody reads.
  else world.copies.get(copy)?.push(JSON.stringify({ topic, payload: `copy ${hat} ${world.written.count}`, ...target }));
}

function sayEvent(world: World): string {
  const topic = world.random.pick(TOPICS);
  return `\n<event topic="${topic}">said ${world.random.below(100)}</event>\n`;
}
