import type { Signal } from '../core/events/event.ts';
import type { Effect, GatesRun, IterationStart, IterationStop } from '../core/run/effects.ts';
import type { Input, TurnReport } from '../core/run/inputs.ts';
import { type Handlers, handle, ignore } from '../core/values/handlers.ts';
import { toTextHash } from '../core/values/hash.ts';
import { decide, INITIAL_STATE } from '../loop/decide/decide.ts';
import { createSeededRandom, type RunUnderWay, type Scheduled, type TurnNotes, toPayload, toReport } from './run-under-way.ts';
import { beginPanel, obeyPanel, stopPanel, toPanelInput } from './simulate-panel.ts';
import type { SimulatedChoice, SimulatedRun, SimulatedTurn, SimulationSetup } from './simulation-types.ts';

/**
 * Simulates one run to its end: a shell in memory, which answers every effect of the real `decide`, under a clock that jumps from one answer to the next.
 * The number of the run and the seed determine all that happens in it.
 */
export function simulateRun(setup: SimulationSetup, number: number): SimulatedRun {
  const run: RunUnderWay = {
    setup,
    random: createSeededRandom(toRunSeed(setup.settings.seed, number)),
    state: INITIAL_STATE,
    schedule: [],
    turns: [],
    faults: 0,
    payloads: 0,
    steps: new Map(),
    panels: new Map(),
  };
  decideNext(run, { type: 'run-started', at: 0, runId: 'simulated', spec: setup.spec, flags: [], inboxOffset: 0 });
  while (run.state.end === null) {
    const { at, input } = takeNext(run.schedule);
    const next = input.type === 'panel-act' ? toPanelInput(run, input, at) : input;
    if (next !== null) decideNext(run, next);
  }
  const { end, counters } = run.state;
  return { run: number, reason: end.reason, detail: end.detail, faults: run.faults, iterations: counters.counted, turns: run.turns };
}

/** A seed of its own for each run, so that neighbours have nothing in common. */
function toRunSeed(seed: number, run: number): number {
  return Number.parseInt(toTextHash(`${seed}/${run}`).slice(-8), 16);
}

function decideNext(run: RunUnderWay, input: Input): void {
  const { topology } = run.setup;
  const { state, effects } = decide(topology, run.state, input);
  run.state = state;
  for (const effect of effects) handle(HANDLERS, effect, run, input.at);
}

/** Removes and returns the earliest of the schedule; of several the one that was scheduled first. */
function takeNext(schedule: Scheduled[]): Scheduled {
  let first = 0;
  for (let index = 1; index < schedule.length; index += 1) {
    if ((schedule[index] as Scheduled).at < (schedule[first] as Scheduled).at) first = index;
  }
  const [next] = schedule.splice(first, 1);
  if (next === undefined) throw new Error('the run waits for nothing and has not ended');
  return next;
}

const HANDLERS: Handlers<Effect, [run: RunUnderWay, at: number]> = {
  'iteration-start': startTurn,
  'iteration-stop': stopTurn,
  'gates-run': (run, at, effect) => {
    run.schedule.push({ at, input: judge(run, effect, at) });
  },
  'timer-set': (run, _at, { dueAt, timer }) => {
    run.schedule.push({ at: dueAt, input: { type: 'timer-fired', at: dueAt, timer } });
  },
  'checkpoint-make': (run, at, { iteration }) => {
    run.schedule.push({ at, input: { type: 'checkpoint-finished', at, iteration, commit: null, leftOut: [], note: '' } });
  },
  'inbox-append': ignore,
  'hooks-ask': (run, at, { request }) => {
    run.schedule.push({ at, input: { type: 'hooks-answered', at, request, answers: [] } });
  },
  'tell-offer': ignore,
  'question-open': ignore,
  'question-close': ignore,
  'panel-ordered': obeyPanel,
  'run-end': ignore,
  'event-publish': (run, _at, { event: { topic, source, iteration }, to, how }) => {
    findNotes(run, iteration)?.published.push({ topic, source, to, how });
  },
  'event-reject': (run, _at, { topic, why, iteration }) => {
    findNotes(run, iteration)?.refused.push({ topic, why });
  },
  notice: ignore,
};

function findNotes({ turns }: RunUnderWay, iteration: number): TurnNotes | undefined {
  return turns.findLast((turn) => turn.iteration === iteration);
}

/** What the agent does is drawn at once; the loop is told when the time of the turn has passed. */
function startTurn(run: RunUnderWay, at: number, order: IterationStart): void {
  const { iteration, attempt, hat, events, timeoutMs, panel } = order;
  const given = events.map(({ topic, source }) => ({ topic, source }));
  const told = { iteration, hat, given, published: [], refused: [] };
  if (panel !== undefined) {
    const notes: TurnNotes = { ...told, outcome: 'silent', said: '', isDumb: false };
    run.turns.push(notes);
    return beginPanel(run, { order, panel, notes, scripted: chooseScripted(run, hat) }, at);
  }
  const { report, ...taken } = chooseTurn(run, order);
  run.turns.push({ ...told, ...taken });
  const until = at + Math.min(run.setup.settings.turnMs, timeoutMs);
  run.schedule.push({ at: until, input: { type: 'iteration-ended', at: until, iteration, attempt, ...report, inboxOffset: 0 } });
}

function stopTurn(run: RunUnderWay, at: number, { iteration, attempt }: IterationStop): void {
  if (stopPanel(run, at, { iteration, attempt })) return;
  const index = run.schedule.findIndex(
    ({ input }) => input.type === 'iteration-ended' && input.iteration === iteration && input.attempt === attempt,
  );
  const turn = run.schedule[index]?.input;
  if (turn?.type !== 'iteration-ended') return;
  const notes = findNotes(run, iteration);
  if (notes !== undefined) {
    notes.outcome = 'interrupted';
    notes.said = '';
  }
  run.schedule[index] = { at, input: { ...turn, at, outcome: { status: 'interrupted' }, signals: [], exitCode: null } };
}

function judge(run: RunUnderWay, { request, gates }: GatesRun, at: number): Input {
  const results = gates.map((gate) => {
    const passed = run.random.next() >= run.setup.settings.gateFailure;
    if (!passed) run.faults += 1;
    const command = run.setup.topology.spec.gates[gate]?.run ?? '';
    const outputTail = passed ? '' : toPayload(run);
    return { gate, command, passed, exitCode: passed ? 0 : 1, timedOut: false, durationMs: 0, outputTail };
  });
  return { type: 'gates-finished', at, request, results };
}

/** What an agent did: as the loop is told and as it is recorded. */
interface ChosenTurn extends Pick<SimulatedTurn, 'said' | 'isDumb'> {
  readonly outcome: 'succeeded' | 'silent' | 'failed';
  readonly report: TurnReport;
}

/** Chooses what an agent does that obeys its contract: by its script, else by chance. */
function chooseTurn(run: RunUnderWay, order: IterationStart): ChosenTurn {
  const choice = chooseScripted(run, order.hat);
  return choice === null ? chooseByChance(run, order.hat) : reportChoice(run, choice);
}

/** The next step of a hat's script; `null` where it has none. */
function chooseScripted(run: RunUnderWay, hat: string): SimulatedChoice | null {
  const scripted = run.setup.script.get(hat);
  if (scripted === undefined) return null;
  const step = run.steps.get(hat) ?? 0;
  run.steps.set(hat, step + 1);
  const { choices, weights } = scripted;
  return weights === null ? (choices[step % choices.length] as SimulatedChoice) : pickWeighted(run, choices, weights);
}

function chooseByChance(run: RunUnderWay, hat: string): ChosenTurn {
  const { settings, choicesOf } = run.setup;
  const luck = run.random.next();
  const isFault = luck < settings.failure + settings.silent;
  if (isFault) run.faults += 1;
  if (luck < settings.failure) return reportChoice(run, { kind: 'failure' });
  const choices = choicesOf(hat);
  const isDumb = choices.length === 0;
  return isDumb || isFault ? { ...reportChoice(run, { kind: 'silent' }), isDumb } : reportChoice(run, run.random.pick(choices));
}

function pickWeighted(run: RunUnderWay, choices: readonly SimulatedChoice[], weights: readonly number[]): SimulatedChoice {
  let left = run.random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, choice] of choices.entries()) {
    left -= weights[index] ?? 0;
    if (left < 0) return choice;
  }
  return choices[weights.findLastIndex((weight) => weight > 0)] as SimulatedChoice;
}

function reportChoice(run: RunUnderWay, choice: SimulatedChoice): ChosenTurn {
  switch (choice.kind) {
    case 'silent':
      return { outcome: 'silent', said: '', isDumb: false, report: { ...toReport(run), treeChanged: false } };
    case 'failure':
      return { outcome: 'failed', said: '', isDumb: false, report: toFailedReport(run) };
    case 'promise':
      return succeed(run, run.setup.topology.spec.promise, { kind: 'promise', channel: 'text' });
    case 'transition':
      return succeed(run, `HAT_TRANSITION:${choice.hat}`, { kind: 'transition', hat: choice.hat });
    case 'event': {
      const topic = choice.topics.length === 1 ? (choice.topics[0] as string) : run.random.pick(choice.topics);
      const { target } = choice;
      const event = { kind: 'event', channel: 'jsonl', topic, payload: toPayload(run) } as const;
      return target === undefined ? succeed(run, topic, event) : succeed(run, `${topic}@${target}`, { ...event, target });
    }
  }
}

function succeed(run: RunUnderWay, said: string, signal: Signal): ChosenTurn {
  const finalText = signal.kind === 'transition' ? toPayload(run) : '';
  return { outcome: 'succeeded', said, isDumb: false, report: { ...toReport(run), signals: [signal], finalText, treeChanged: true } };
}

/** Half of the failures are time limits, as these go to another topic. */
function toFailedReport(run: RunUnderWay): TurnReport {
  const failure =
    run.random.next() < 0.5
      ? ({ class: 'agent', message: 'a simulated failure' } as const)
      : ({ class: 'timeout', message: 'a simulated time limit' } as const);
  return { ...toReport(run), outcome: { status: 'failed', failure }, exitCode: 1 };
}
