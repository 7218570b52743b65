import { TOPIC_COMPLETE } from '../../core/events/reserved.ts';
import type {
  CheckpointMake,
  Effect,
  GatesRun,
  HooksAsk,
  IterationStart,
  PanelOrdered,
  QuestionClose,
  TellOffer,
  TimerSet,
} from '../../core/run/effects.ts';
import type { HookAnswer, IterationEnded } from '../../core/run/inputs.ts';
import { type TurnId, toTurnName } from '../../core/run/turn.ts';
import { toErrorCode } from '../../core/values/errors.ts';
import { type Handlers, handle, ignore } from '../../core/values/handlers.ts';
import type { RunningTurn, TurnResult } from '../../ports/backend.ts';
import type { Elsewhere } from '../../ports/elsewhere.ts';
import type { LoopPorts, LoopView, TurnContext } from './loop-ports.ts';
import { dropStrayLines, readOutside } from './read-inbox.ts';
import { createAwayTurns } from './remote-turn.ts';
import { bringReported, type OpenedTurn, openTurn, reportFromCopy, reportTurn } from './turn.ts';
import { failStorage, toInterrupted } from './turn-end.ts';
import { createTurnPeople, type TurnPeople } from './turn-people.ts';
import { createCostGuard, createLingeringWatch, type Spending } from './watch-turn.ts';

/** Carries out effects; their results come back as inputs. */
export interface Performer {
  /** Resolves when the effect is under way (a turn, gates, a timer) or done (a checkpoint). Throws only when the storage fails. */
  readonly perform: (effect: Effect) => Promise<void>;
  /** Takes up a turn that a process before this one gave to a worker, who may still be at it. Only where turns are taken elsewhere. */
  readonly attach: (order: IterationStart) => Promise<void>;
  /** Takes back timers, ends gates and turns; resolves when nothing is alive. */
  readonly close: () => Promise<void>;
}

export function createPerformer(context: TurnContext): Performer {
  const { ports, loop } = context;
  const turns = ports.elsewhere === undefined ? createTurnRunner(context) : createAwayRunner(context, ports.elsewhere);
  const timers = new Map<number, () => void>();
  const gates = createGatePerformer(ports, loop);
  const hooks = createHookPerformer(ports, loop);
  return {
    perform: async (effect) => handle(PERFORMERS, effect, { ports, loop, turns, timers, gates, hooks }),
    attach: async (order) => turns.attach?.(order),
    close: async () => {
      for (const cancel of timers.values()) cancel();
      timers.clear();
      await Promise.all([gates.close(), hooks.close(), turns.close()]);
    },
  };
}

interface Tools {
  readonly ports: LoopPorts;
  readonly loop: LoopView;
  readonly turns: TurnRunner;
  readonly timers: Map<number, () => void>;
  readonly gates: GatePerformer;
  readonly hooks: HookPerformer;
}

const PERFORMERS: Handlers<Effect, [tools: Tools], void | Promise<void>> = {
  'iteration-start': ({ turns }, effect) => turns.start(effect),
  'iteration-stop': ({ turns }, effect) => turns.stop(effect, effect.force),
  'gates-run': ({ gates }, effect) => gates.run(effect),
  'timer-set': setTimer,
  'checkpoint-make': makeCheckpoint,
  'hooks-ask': ({ hooks }, effect) => hooks.ask(effect),
  'tell-offer': ({ turns }, effect) => turns.tell(effect),
  'question-close': ({ turns }, effect) => turns.settle(effect),
  'panel-ordered': ({ turns }, effect) => turns.obey(effect),
  'inbox-append': ({ ports }, effect) => ports.inbox.append(effect.event),
  // The loop itself ends.
  'run-end': ignore,
  // For observers.
  'event-publish': ignore,
  'event-reject': ignore,
  'question-open': ignore,
  notice: ignore,
};

function setTimer({ ports, loop, timers }: Tools, effect: TimerSet): void {
  const cancel = ports.clock.setTimer(effect.dueAt, () => {
    timers.delete(effect.timer);
    loop.post({ type: 'timer-fired', at: ports.clock.now(), timer: effect.timer });
  });
  timers.set(effect.timer, cancel);
}

async function makeCheckpoint({ ports, loop }: Tools, effect: CheckpointMake): Promise<void> {
  const result = await ports.workspace.checkpoint(effect.iteration);
  loop.post({ type: 'checkpoint-finished', at: ports.clock.now(), iteration: effect.iteration, ...result });
}

interface GatePerformer {
  readonly run: (effect: GatesRun) => void;
  readonly close: () => Promise<void>;
}

/** Runs gates beside the loop; closing ends them, and then they are run anew by a resume. */
function createGatePerformer(ports: LoopPorts, loop: LoopView): GatePerformer {
  const controller = new AbortController();
  const running = new Set<Promise<void>>();
  return {
    run: ({ request, gates, topics }) => {
      const specs = loop.topology().spec.gates;
      const isEnd = topics.includes(TOPIC_COMPLETE) && { isEnd: true as const };
      const orders = gates.flatMap((gate) => (specs[gate] === undefined ? [] : [{ gate, spec: specs[gate], ...isEnd }]));
      const observe = (gate: number, line: string): void => ports.observe({ kind: 'gate-output', gate, line });
      const job = ports.gates.run(orders, controller.signal, observe).then((results) => {
        running.delete(job);
        if (!controller.signal.aborted) loop.post({ type: 'gates-finished', at: ports.clock.now(), request, results });
      });
      running.add(job);
    },
    close: async () => {
      controller.abort();
      await Promise.all(running);
    },
  };
}

interface HookPerformer {
  readonly ask: (effect: HooksAsk) => void;
  readonly close: () => Promise<void>;
}

/** Asks hooks beside the loop; closing ends them, and then they are asked anew by a resume. */
function createHookPerformer(ports: LoopPorts, loop: LoopView): HookPerformer {
  const controller = new AbortController();
  const running = new Set<Promise<void>>();
  return {
    ask: (effect) => {
      const asked = ports.hooks?.ask(effect, controller.signal) ?? Promise.resolve([]);
      const job = asked.then((answers) => {
        running.delete(job);
        if (controller.signal.aborted) return;
        const checked = answers.map((answer, index) => checkChanged(ports, effect.drafts[index]?.topic ?? '', answer));
        loop.post({ type: 'hooks-answered', at: ports.clock.now(), request: effect.request, answers: checked });
      });
      running.add(job);
    },
    close: async () => {
      controller.abort();
      await Promise.all(running);
      await ports.hooks?.close();
    },
  };
}

/** A payload that a hook made is held to the schema of its topic as an agent's is. */
function checkChanged({ checkPayload }: LoopPorts, was: string, answer: HookAnswer): HookAnswer {
  const { changed } = answer;
  if (checkPayload === undefined || changed?.payload === undefined) return answer;
  const topic = changed.topic ?? was;
  const verdict = checkPayload(topic, changed.payload);
  if ('payload' in verdict) return { ...answer, changed: { ...changed, payload: verdict.payload } };
  return { ...answer, isDropped: true, reason: `a hook made a payload of ${topic} that its schema refuses: ${verdict.problem}` };
}

interface TurnRunner {
  /** Resolves when the agent is started. Throws when its folder cannot be written. */
  readonly start: (order: IterationStart) => Promise<void>;
  /** Absent: a turn ends with the process that it began in. */
  readonly attach?: (order: IterationStart) => Promise<void>;
  readonly stop: (turn: TurnId, force: boolean) => void;
  readonly tell: (offer: TellOffer) => void;
  readonly settle: (close: QuestionClose) => void;
  readonly obey: (ordered: PanelOrdered) => void;
  readonly close: () => Promise<void>;
}

/** Turns that are taken by workers, but for panels of which they take the rounds; what comes before a turn is the same. */
function createAwayRunner(context: TurnContext, elsewhere: Elsewhere): TurnRunner {
  const { ports, loop } = context;
  const away = createAwayTurns(context, elsewhere);
  // Panels whose agents spread over workers.
  const here = createTurnRunner(context);
  return {
    start: async (order) => {
      if (order.panel !== undefined && (await elsewhere.spreads?.(order)) === true) return here.start(order);
      if (isRunnable(ports, loop, order) && !isOrderedAgain(ports, loop, order)) await away.start(order);
    },
    attach: away.start,
    // Of a turn that one of them does not have it does nothing.
    stop: (turn, force) => {
      here.stop(turn, force);
      away.stop(turn, force);
    },
    tell: (offer) => {
      here.tell(offer);
      away.hand(offer);
    },
    obey: (ordered) => {
      here.obey(ordered);
      away.hand(ordered);
    },
    settle: (close) => {
      here.settle(close);
      away.hand(close);
    },
    // At once: agents on workers are not to go on while panels here end.
    close: async () => void (await Promise.all([here.close(), away.close()])),
  };
}

interface TurnAtWork {
  readonly running: RunningTurn;
  readonly done: Promise<void>;
}

function createTurnRunner(context: TurnContext): TurnRunner {
  const { ports, settings, loop } = context;
  const live = new Map<string, TurnAtWork>();
  const peopleOf = new Map<string, TurnPeople>();
  const opening = new Set<Promise<void>>();
  const spending: Spending = new Map();
  let isClosed = false;

  const begin = async (order: IterationStart): Promise<void> => {
    if (isClosed || !isRunnable(ports, loop, order) || isOrderedAgain(ports, loop, order)) return;
    const name = toTurnName(order);
    const people = createTurnPeople(context, order);
    peopleOf.set(name, people);
    const endPeople = (): void => {
      people.end();
      peopleOf.delete(name);
    };
    const opened = await openOrFail(context, order, people, spending);
    if (opened === null) return endPeople();
    const done = opened.running.result.then(async (result) => {
      endPeople();
      if (result.logError !== null) failStorage(ports, loop, `the turn's output cannot be written (${result.logError})`);
      return endTurn(context, opened, result, (report) => {
        live.delete(name);
        spending.delete(name);
        loop.post(report);
      });
    });
    live.set(name, { running: opened.running, done });
    // What was told for it between its order and now was offered to nobody.
    if (order.copy !== undefined && isFirstOfHat(loop, order))
      for (const tell of loop.state().tells) if (tell.to === order.hat) people.tell(tell);
    // The run can end while an agent is being started, when the journal cannot be written any more.
    if (isClosed) opened.running.kill();
  };

  return {
    start: async (order) => {
      const begun = begin(order);
      opening.add(begun);
      await begun.finally(() => opening.delete(begun));
    },
    stop: (turn, force) => {
      const entry = live.get(toTurnName(turn));
      if (force) entry?.running.kill();
      else entry?.running.stop(settings.stopGraceMs);
    },
    tell: (offer) => peopleOf.get(toTurnName(offer))?.tell(offer.tell),
    obey: (ordered) => live.get(toTurnName(ordered))?.running.obey?.(ordered.order),
    settle: (close) => peopleOf.get(toTurnName(close))?.settle(close),
    close: async () => {
      isClosed = true;
      for (const entry of live.values()) entry.running.kill();
      await Promise.allSettled(opening);
      await Promise.all([...live.values()].map((entry) => entry.done));
    },
  };
}

/** Of several turns of a hat it is the oldest one that is told what people tell the hat. */
function isFirstOfHat(loop: LoopView, { hat, iteration, attempt }: IterationStart): boolean {
  const first = loop.state().activations.find((turn) => turn.hat === hat);
  return first === undefined || (first.iteration === iteration && first.attempt === attempt);
}

/** Tells how a turn ended, when what it made is in the folder. */
async function endTurn(
  context: TurnContext,
  opened: OpenedTurn,
  result: TurnResult,
  tell: (report: IterationEnded) => void,
): Promise<void> {
  const { order } = opened;
  if (order.copy === undefined) return tell(await orFail(context, order, () => reportTurn(context, opened, result)));
  const report = await orFail(context, order, () => reportFromCopy(context, opened, result));
  // What is brought into the folder is that of one turn after the other, each with its checkpoint.
  return context.loop.inOrder(order, async () => tell(await orFail(context, order, () => bringReported(context, opened, report))));
}

async function orFail({ ports, loop }: TurnContext, order: IterationStart, report: () => Promise<IterationEnded>): Promise<IterationEnded> {
  try {
    return await report();
  } catch (error) {
    failStorage(ports, loop, `the end of turn ${toTurnName(order)} could not be recorded (${toErrorCode(error)})`);
    return toInterrupted(ports, loop, order);
  }
}

/** Whether the workspace is there, and no stop came while turns that were ordered with this one began; if not, the loop is told and the turn ends. */
function isRunnable(ports: LoopPorts, loop: LoopView, order: IterationStart): boolean {
  if (order.copy !== undefined && loop.state().stopping !== null) {
    loop.post(toInterrupted(ports, loop, order));
    return false;
  }
  if (ports.workspace.exists()) return true;
  const message = 'the folder of the run does not exist any more';
  loop.post({ type: 'environment-failed', at: ports.clock.now(), what: 'workspace', message });
  loop.post(toInterrupted(ports, loop, order));
  return false;
}

/**
 * Reads, before the prompt is written, what people published since the turn was ordered, and what came into the agents' file while none of them was at work.
 *
 * @returns true if the loop then ordered the turn again, with more events, or stopped it
 */
function isOrderedAgain(ports: LoopPorts, loop: LoopView, order: IterationStart): boolean {
  const { inboxOffset, outsideOffset } = loop.state();
  const { iteration, attempt } = order;
  const opening = { iteration, attempt };
  loop.hear(opening);
  const isOn = loop.topology().spec.eventSources.includes('jsonl');
  const stray = isOn ? dropStrayLines(ports.inbox, inboxOffset) : { problems: [], offset: inboxOffset };
  const heard = [...readOutside(ports, outsideOffset)];
  const isSame = (): boolean => {
    const now = loop.state().activations.find((turn) => turn.iteration === iteration && turn.attempt === attempt);
    return now?.events.length === order.events.length;
  };
  if (heard.length === 0 && stray.problems.length === 0) return !isSame();
  const last = heard.pop() ?? { signals: [], problems: [], outsideOffset };
  const at = ports.clock.now();
  for (const batch of heard) loop.post({ type: 'events-received', at, inboxOffset, ...batch });
  const problems = [...stray.problems, ...last.problems];
  loop.post({ type: 'events-received', at, ...last, problems, inboxOffset: stray.offset, opening });
  return !isSame();
}

/** A turn whose folder cannot be written ends the run; the hat runs again when it is resumed. */
async function openOrFail(context: TurnContext, order: IterationStart, people: TurnPeople, spending: Spending): Promise<OpenedTurn | null> {
  const { ports, loop } = context;
  try {
    const watches = [people, createCostGuard(ports, loop, order, spending), createLingeringWatch(ports, loop, order, people.hold)];
    return await openTurn(context, order, watches, people);
  } catch (error) {
    const code = toErrorCode(error);
    const what =
      code === 'ENOENT'
        ? 'the folder of the run was removed, with its journal'
        : `the folder of turn ${toTurnName(order)} cannot be written`;
    failStorage(ports, loop, `${what} (${code})`);
    loop.post(toInterrupted(ports, loop, order));
    return null;
  }
}
