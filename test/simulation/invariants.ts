import type { SignalProblem } from '../../src/core/events/event.ts';
import type { Effect, IterationStart } from '../../src/core/run/effects.ts';
import type { Input } from '../../src/core/run/inputs.ts';
import type { RunState } from '../../src/core/run/state.ts';
import { toTurnName } from '../../src/core/run/turn.ts';
import { createJournalFold } from '../../src/loop/decide/index.ts';
import { countMost } from './several-turns.ts';
import type { SeededRun } from './simulate-run.ts';
import { readEntries } from './world.ts';
import type { World } from './world-type.ts';

/** Everything that must hold of every run, whatever its agents did. Throws with the first thing that does not. */
export function assertInvariants(run: SeededRun): void {
  const { world, outcome } = run;
  const replayed = replay(world);
  const most = countMost(world);
  demand(world.agents.most <= most.all, `${world.agents.most} agents worked at once`);
  for (const [hat, count] of world.agents.mostOf) demand(count <= most.of(hat), `${count} agents wore ${hat} at once`);
  demand(world.faults.length === 0, world.faults[0] ?? '');
  assertOwnLines(world);
  demand(world.agents.alive === 0, `${world.agents.alive} agents are still alive`);
  demand(JSON.stringify(replayed.state) === JSON.stringify(outcome.state), 'the journal folds to another state than the live run had');
  demand(
    JSON.stringify(replayed.effects) === JSON.stringify(liveEffects(world)),
    'the journal folds to other effects than the live run had',
  );
  assertTurnsEndOnce(world);
  assertLinesReadOnce(world);
  assertPeopleHeard(world, replayed.effects, replayed.state);
  assertDeliveredOnce(
    replayed.effects,
    readEntries(world).map((entry) => entry.input),
    replayed.state,
  );
  assertTold(
    world,
    replayed.effects,
    readEntries(world).map((entry) => entry.input),
    replayed.state,
  );
  assertAnswered(replayed.effects, replayed.state);
  demand(replayed.state.counters.counted <= replayed.state.limits.maxIterations, 'more iterations than the limit');
  demand(replayed.effects.filter((effect) => effect.type === 'run-end').length === 1, 'the run ended more than once');
}

function demand(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}

function replay(world: World): { readonly state: RunState; readonly effects: readonly Effect[] } {
  const fold = createJournalFold();
  const effects = readEntries(world).flatMap((entry) => fold.take(entry));
  return { state: fold.run().state, effects };
}

function liveEffects(world: World): readonly Effect[] {
  return world.records.flatMap((record) => (record.kind === 'effect' ? [record.effect] : []));
}

function assertTurnsEndOnce(world: World): void {
  const starts = liveEffects(world).flatMap((effect) =>
    effect.type === 'iteration-start' && effect.isAgain !== true ? [`${effect.iteration}.${effect.attempt}`] : [],
  );
  const ends = readEntries(world).flatMap(({ input }) => (input.type === 'iteration-ended' ? [`${input.iteration}.${input.attempt}`] : []));
  demand(new Set(starts).size === starts.length, 'a turn was started twice under one id');
  demand(
    JSON.stringify([...starts].sort()) === JSON.stringify([...ends].sort()),
    `turns started ${starts.join(' ')}, ended ${ends.join(' ')}`,
  );
}

/** What was written in a copy is read once, as its own hat's. */
function assertOwnLines(world: World): void {
  const hats = new Map(
    liveEffects(world).flatMap((effect) => (effect.type === 'iteration-start' ? [[toTurnName(effect), effect.hat] as const] : [])),
  );
  const read = new Set<string>();
  for (const { input } of readEntries(world)) {
    if (input.type !== 'iteration-ended') continue;
    for (const signal of input.signals) {
      const [, hat] = signal.kind === 'event' ? (/^copy (\w+) \d+$/.exec(String(signal.payload)) ?? []) : [];
      if (hat === undefined || signal.kind !== 'event') continue;
      demand(hat === hats.get(toTurnName(input)), `what ${hat} wrote was taken for ${hats.get(toTurnName(input))}'s`);
      demand(!read.has(String(signal.payload)), 'a line of a copy was read twice');
      read.add(String(signal.payload));
    }
  }
}

/** Every line that an agent wrote before the last read was read exactly once, in whatever turn, or told as nobody's. */
function assertLinesReadOnce(world: World): void {
  const inputs = readEntries(world).map((entry) => entry.input);
  const read = inputs
    .flatMap((input) => ('signals' in input ? input.signals : []))
    .flatMap((signal) => (signal.kind === 'event' && signal.channel === 'jsonl' ? [String(signal.payload)] : []))
    .filter((payload) => payload.startsWith('line '));
  demand(new Set(read).size === read.length, 'a line was read twice');
  const last = inputs.reduce((offset, input) => ('inboxOffset' in input ? input.inboxOffset : offset), 0);
  const started = inputs.find((input) => input.type === 'run-started');
  const isOn = started?.type === 'run-started' && started.spec.eventSources.includes('jsonl');
  const written = world.inboxLines
    .slice(0, last)
    .flatMap((line) => /"payload":"(line \d+)"/.exec(line)?.[1] ?? [])
    .filter((_, index, all) => all.length > index);
  const valid = written.filter((payload) => !world.inboxLines.some((line) => line.includes(`"${payload}"`) && line.includes('no topic!')));
  const stray = inputs.reduce((count, input) => count + ('problems' in input ? countStray(input.problems) : 0), 0);
  const isKept = read.every((payload) => valid.includes(payload)) && valid.length === read.length + stray;
  demand(!isOn || isKept, 'a line that an agent wrote was lost');
}

/** Events in the agents' file that came while none was at work: told, and given to nobody. */
function countStray(problems: readonly SignalProblem[]): number {
  return problems.reduce((count, { message }) => {
    const told = /^(an event|(\d+) events) came while no agent was at work/.exec(message);
    return told === null ? count : count + Number(told[2] ?? 1);
  }, 0);
}

/** What people published is read once, in order, and a run does not complete over it. */
function assertPeopleHeard(world: World, effects: readonly Effect[], state: RunState): void {
  const said = world.outsideLines.slice(0, state.outsideOffset).map((_, index) => `said ${index + 1}`);
  const heard = readEntries(world)
    .flatMap(({ input }) =>
      input.type === 'run-resumed' ? (input.external?.signals ?? []) : input.type === 'events-received' ? input.signals : [],
    )
    .map((signal) => (signal.kind === 'event' ? String(signal.payload) : ''));
  demand(JSON.stringify(heard) === JSON.stringify(said), `people said ${said.join(', ')}; heard was ${heard.join(', ')}`);
  if (state.end?.reason !== 'completed') return;
  demand(state.outsideOffset === world.outsideLines.length, 'the run completed and left something that a person said unread');
  demand(!state.pending.some(({ event }) => event.source === 'external'), 'the run completed while a person waited to be heard');
  const late = effects.findIndex((effect) => effect.type === 'run-end');
  const undelivered = effects.findIndex(
    (effect) => effect.type === 'event-publish' && effect.how === 'undelivered' && effect.event.source === 'external',
  );
  demand(undelivered === -1 || undelivered > late, 'the end passed by what a person had said before');
}

/** Each event reaches each of its receivers in one turn of the work, or still waits for it. */
function assertDeliveredOnce(effects: readonly Effect[], inputs: readonly Input[], state: RunState): void {
  const again = toOrders(effects);
  const lost = new Set(
    inputs.filter((input) => isNoTurnOfTheWork(input, state, again)).flatMap((input) => ('attempt' in input ? [toTurnName(input)] : [])),
  );
  const delivered = new Map<string, number>();
  for (const effect of effects.filter(isLastOrder)) {
    if (effect.type !== 'iteration-start' || lost.has(`${effect.iteration}.${effect.attempt}`)) continue;
    for (const event of effect.events) delivered.set(event.id, (delivered.get(event.id) ?? 0) + 1);
  }
  const waiting = new Map<string, number>();
  const add = (id: string): void => void waiting.set(id, (waiting.get(id) ?? 0) + 1);
  for (const entry of state.pending) add(entry.event.id);
  for (const plan of state.plans) for (const event of plan.events) add(event.id);
  const secondChances = countSecondChances(effects);
  for (const effect of effects) {
    if (effect.type !== 'event-publish' || effect.to.length === 0) continue;
    const { id } = effect.event;
    const seen = (delivered.get(id) ?? 0) + (waiting.get(id) ?? 0);
    demand(seen >= 1, `event ${id} (${effect.event.topic}) for ${effect.to.join(', ')} was lost`);
    demand(seen <= effect.to.length + (secondChances.get(id) ?? 0), `event ${id} (${effect.event.topic}) was delivered ${seen} times`);
  }
}

/** A turn that was ordered again counts with its last order. */
function isLastOrder(effect: Effect, index: number, all: readonly Effect[]): boolean {
  if (effect.type !== 'iteration-start') return true;
  const isSame = (other: Effect): boolean =>
    other.type === 'iteration-start' && other.iteration === effect.iteration && other.attempt === effect.attempt;
  return !all.slice(index + 1).some(isSame);
}

function toOrders(effects: readonly Effect[]): ReadonlyMap<string, IterationStart> {
  return new Map(effects.flatMap((effect) => (effect.type === 'iteration-start' ? [[toTurnName(effect), effect] as const] : [])));
}

/** Interrupted turns, and attempts that are made again or still to be: their events come back in another turn. */
function isNoTurnOfTheWork(input: Input, state: RunState, ordered: ReadonlyMap<string, IterationStart>): boolean {
  if (input.type !== 'iteration-ended') return false;
  if (input.outcome.status === 'interrupted') return true;
  const { iteration, attempt } = input;
  const had = ordered.get(toTurnName(input))?.feedback ?? [];
  if (input.conflict !== undefined && !had.some(({ kind }) => kind === 'conflict')) return true;
  const isPlanned = state.plans.some(({ retryOf }) => retryOf?.iteration === iteration && retryOf.attempt === attempt);
  return isPlanned || ordered.has(toTurnName({ iteration, attempt: attempt + 1 }));
}

/** A hat whose every event was refused sees its events again, and so does the one who takes over: as often as that happened. */
function countSecondChances(effects: readonly Effect[]): Map<string, number> {
  const refusedIn = new Set(
    effects.flatMap((effect) => (effect.type === 'event-reject' && effect.why === 'scope' ? [effect.iteration] : [])),
  );
  const again = new Map<string, number>();
  for (const effect of effects.filter(isLastOrder)) {
    if (effect.type !== 'iteration-start' || !refusedIn.has(effect.iteration)) continue;
    for (const event of effect.events) again.set(event.id, (again.get(event.id) ?? 0) + 1);
  }
  return again;
}

/** What people told is in the journal once, and is given to one turn that does something with it, or still waits; a run does not complete over it. */
function assertTold(world: World, effects: readonly Effect[], inputs: readonly Input[], state: RunState): void {
  const ids = new Set(world.steering.slice(0, state.steeringOffset).flatMap((word) => (word.kind === 'tell' ? [word.id] : [])));
  const heard = new Set(inputs.flatMap((input) => (input.type === 'told' ? [input.id] : [])));
  demand(JSON.stringify([...ids].sort()) === JSON.stringify([...heard].sort()), `told was ${[...ids].join()}, heard ${[...heard].join()}`);
  if (state.end?.reason === 'completed') {
    const unread = world.steering.slice(state.steeringOffset).filter(({ id }) => !state.heardIds.includes(id));
    demand(unread.length === 0, 'the run completed and left something that a person told unread');
    demand(state.tells.length === 0, 'the run completed while something that a person told waited');
  }
  const undelivered = new Set(
    effects.flatMap((effect) => (effect.type === 'event-publish' && effect.how === 'undelivered' ? [effect.event.told ?? ''] : [])),
  );
  for (const id of ids) {
    const { given, places } = countGiven(id, effects, inputs, state);
    demand(undelivered.has(id) || given + places >= 1, `${id}, which a person told, was lost`);
    demand(
      given + places <= 1 + countRepeats(id, effects),
      `${id}, which a person told, was given ${given} times, and waits ${places} times`,
    );
  }
}

function countGiven(
  id: string,
  effects: readonly Effect[],
  inputs: readonly Input[],
  state: RunState,
): { readonly given: number; readonly places: number } {
  const again = toOrders(effects);
  const ends = new Map(inputs.flatMap((input) => (input.type === 'iteration-ended' ? [[toTurnName(input), input] as const] : [])));
  const isOfTheWork = (turn: string): boolean => {
    const end = ends.get(turn);
    return end !== undefined && !isNoTurnOfTheWork(end, state, again);
  };
  const orders = effects.filter(isLastOrder).flatMap((effect) => (effect.type === 'iteration-start' ? [effect] : []));
  /** Whether what a turn was told stays with its agent: it ended well, or its conversation went on until a turn did, or still waits to. */
  const hasKept = (turn: string, isKept: boolean): boolean => {
    const end = ends.get(turn);
    if (end === undefined || end.outcome.status === 'succeeded') return end !== undefined;
    const isContinued = end.outcome.status === 'interrupted' || ['transient', 'limit'].includes(end.outcome.failure.class);
    if (!isKept || !isContinued || !isNoTurnOfTheWork(end, state, again)) return false;
    const place = orders.findIndex((order) => toTurnName(order) === turn);
    const own = orders[place];
    // Several turns of a hat may be at work at once: which one it is goes by what it was given.
    const isSame = ({ events }: IterationStart): boolean => events.some((event) => own?.events.some(({ id: known }) => known === event.id));
    const next = orders.slice(place + 1).find((order) => own?.copy === undefined || (order.hat === own.hat && isSame(order)));
    if (next === undefined) return state.plans.some(({ kept }) => kept?.tells.some(({ tell }) => tell.id === id));
    return next.hat === own?.hat && next.backend === own.backend && hasKept(toTurnName(next), true);
  };
  const prompts = effects.filter(
    (effect) => effect.type === 'iteration-start' && effect.events.some(({ told }) => told === id) && isOfTheWork(toTurnName(effect)),
  );
  const seen = new Set(prompts.map((effect) => (effect.type === 'iteration-start' ? toTurnName(effect) : '')));
  const midway = inputs.filter((input) => {
    if (input.type !== 'tell-given' || !input.ids.includes(id)) return false;
    return hasKept(toTurnName(input), input.isKept);
  });
  const waiting = [...state.pending.map(({ event }) => event), ...state.plans.flatMap(({ events }) => events)].filter(
    ({ told }) => told === id,
  );
  return { given: seen.size + midway.length, places: waiting.length + state.tells.filter((tell) => tell.id === id).length };
}

/** As often as its hat saw its events again, for all that it had published was refused. */
function countRepeats(id: string, effects: readonly Effect[]): number {
  const events = effects.flatMap((effect) => (effect.type === 'event-publish' && effect.event.told === id ? [effect.event.id] : []));
  const chances = countSecondChances(effects);
  return events.reduce((count, event) => count + (chances.get(event) ?? 0), 0);
}

/** Every question has one answer, which is one of its choices, or is still open in a run that was stopped. */
function assertAnswered(effects: readonly Effect[], state: RunState): void {
  const answers = new Map<string, string>();
  for (const effect of effects) {
    if (effect.type !== 'question-close') continue;
    demand((answers.get(effect.id) ?? effect.choice) === effect.choice, `${effect.id} was answered in two ways`);
    answers.set(effect.id, effect.choice);
  }
  for (const effect of effects) {
    if (effect.type !== 'question-open') continue;
    const { id, choices } = effect.question;
    const isOpen = state.questions.some((question) => question.id === id && question.answer === undefined);
    demand(isOpen || choices.includes(answers.get(id) ?? ''), `${id} was asked, and never settled`);
  }
}
