import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { addUsage, type Usage } from '../../core/backends/usage.ts';
import type { Signal } from '../../core/events/event.ts';
import type { IterationStart } from '../../core/run/effects.ts';
import type { UsageReported } from '../../core/run/inputs.ts';
import { toTurnName } from '../../core/run/turn.ts';
import { createTextSignalScanner } from '../../core/signals/text-signals.ts';
import type { RunningTurn } from '../../ports/backend.ts';
import type { ClockHold } from '../../ports/program.ts';
import { isCompletionTopic, mayEnd, mayPublish } from '../../topology/routing/queries.ts';
import type { LoopPorts, LoopView, TurnWatch } from './loop-ports.ts';
import { checkPayloads } from './read-inbox.ts';

/** How long an agent that has handed over may say nothing more before it is ended. */
const SILENCE_MS = 5000;
/** How often the agents' file is looked at. */
const LOOK_MS = 1000;
/** What is said this long after an event was seen still belongs to publishing it: "Published build.done". */
const CLOSING_WORDS_MS = 2000;
/** An agent whose processes use this share of a processor works, however silent it is. */
const BUSY_SHARE = 0.05;
/** How much of the last words is looked through for a signal. */
const KEPT_CHARACTERS = 16_384;

/**
 * Dismisses an agent that has no final event of its own, published what it may or declared the end, and then says nothing for 5 s: its turn is a success
 * now, not a time-out later. Anything it says more than 2 s after the event shows that it works on; then only a new event counts. Processes of it that use
 * a processor show the same, so that a build that prints nothing is not cut. An agent that silently waits for a server or a model looks like one that hangs.
 */
export function createLingeringWatch(ports: LoopPorts, loop: LoopView, order: IterationStart, hold?: ClockHold): TurnWatch {
  const { clock } = ports;
  const own = order.copy === undefined ? undefined : ports.copies?.inboxOf(order.copy);
  const inbox = own ?? ports.inbox;
  let seen = own === undefined ? loop.state().inboxOffset : 0;
  let signalAt: number | null = null;
  let saidAt = clock.now();
  let workedAt = 0;
  let cpu: { readonly at: number; readonly usedMs: number } | null = null;
  let heldAt = 0;
  let words = '';
  let cancel: (() => void) | null = null;

  const isAccepted = (signal: Signal): boolean => {
    const topology = loop.topology();
    if (signal.kind === 'promise') return mayEnd(topology, order.hat);
    if (signal.kind !== 'event' || signal.refused !== undefined || signal.payloadProblem !== undefined) return false;
    return isCompletionTopic(topology, signal.topic)
      ? mayEnd(topology, order.hat)
      : mayPublish(topology, order.hat, signal.topic, signal.target);
  };
  /** What it says is not read at the moment. */
  const isHeld = (): boolean => (ports.backpressure?.() ?? null) !== null || hold?.isHeld() === true;
  const lookAtFile = (): void => {
    if (!loop.topology().spec.eventSources.includes('jsonl') || !inbox.hasMore(seen)) return;
    const { signals, offset } = inbox.read(seen, { final: false });
    seen = offset;
    if (checkPayloads(signals, ports.checkPayload).some(isAccepted)) signalAt = clock.now();
  };
  const hasHandedOver = (): boolean => {
    if (signalAt !== null && saidAt <= signalAt + CLOSING_WORDS_MS) return true;
    return checkPayloads(lastSignals(words, loop.topology().spec.promise), ports.checkPayload).some(isAccepted);
  };
  const lookAtProcesses = (usedMs: number): void => {
    const at = clock.now();
    if (cpu !== null && usedMs - cpu.usedMs > (at - cpu.at) * BUSY_SHARE) workedAt = at;
    cpu = { at, usedMs };
  };
  const look = (running: RunningTurn): void => {
    lookAtFile();
    if (isHeld()) heldAt = clock.now();
    const isOver = hasHandedOver();
    if (isOver) lookAtProcesses(running.cpuMs?.() ?? 0);
    const isSilent = clock.now() - Math.max(saidAt, heldAt, workedAt, signalAt ?? 0) >= SILENCE_MS;
    if (isOver && isSilent) return running.dismiss?.();
    cancel = clock.setTimer(clock.now() + LOOK_MS, () => look(running));
  };

  return {
    take: (event) => {
      if (event.type === 'started' || event.type === 'warning') return;
      saidAt = clock.now();
      if (event.type === 'text') words = (words + event.text).slice(-KEPT_CHARACTERS);
    },
    begin: (running) => {
      if (running.dismiss !== undefined) cancel = clock.setTimer(clock.now() + LOOK_MS, () => look(running));
    },
    close: () => cancel?.(),
  };
}

/** The signals that the last line of a text makes, alone or as the end of a tag; of a text that goes on after them none. */
function lastSignals(text: string, promise: string): readonly Signal[] {
  const lines = text.trimEnd().split('\n');
  const scan = (count: number): readonly Signal[] => {
    const scanner = createTextSignalScanner(promise);
    for (const line of lines.slice(0, count)) scanner.line(line);
    const { signals, promised } = scanner.finish();
    return promised ? [...signals, { kind: 'promise', channel: 'text' }] : signals;
  };
  return scan(lines.length).slice(scan(lines.length - 1).length);
}

/** What turns that run have told of their usage so far, by their names. */
export type Spending = Map<string, Usage>;

function toOthers(spending: Spending, name: string): Pick<UsageReported, 'others'> {
  const others = [...spending].flatMap(([turn, usage]) => (turn === name ? [] : [usage]));
  return others.length === 0 ? {} : { others: others.reduce((sum, usage) => addUsage(sum, usage)) };
}

/** What shows that an agent works on after it has told its usage. */
const GOES_ON: ReadonlySet<BackendEvent['type']> = new Set(['text', 'thinking', 'tool-start', 'tool-end', 'retry']);

/**
 * Watches what a running turn costs, by the `usage` events of its backend (totals of the turn so far): any backend takes part by telling them as it
 * goes, the native agent after each of its steps. Where an agent tells tokens only, the price table makes money of them. Once nothing is left of the
 * run's limit and the agent goes on, the loop is told, once: a turn whose last word told the cost is over by itself.
 */
export function createCostGuard(ports: LoopPorts, loop: LoopView, order: IterationStart, spending: Spending = new Map()): TurnWatch {
  const { iteration, attempt } = order;
  const name = toTurnName(order);
  let model: string | null = null;
  let reached: Usage | null = null;
  let isTold = false;

  const take = (event: BackendEvent): void => {
    if (event.type === 'session') model = event.model ?? model;
    if (isTold) return;
    if (reached !== null && GOES_ON.has(event.type)) {
      isTold = true;
      loop.post({ type: 'usage-reported', at: ports.clock.now(), iteration, attempt, usage: reached, ...toOthers(spending, name) });
      return;
    }
    const { maxCostUsd } = loop.state().limits;
    if (event.type !== 'usage' || maxCostUsd === null) return;
    const costUsd = event.usage.costUsd ?? ports.agents.priceOf(order, event.usage, model);
    const usage = { ...event.usage, costUsd };
    spending.set(name, usage);
    const spent = addUsage(loop.state().usage, usage);
    const { others } = toOthers(spending, name);
    const total = (others === undefined ? spent : addUsage(spent, others)).costUsd;
    reached = costUsd !== null && total !== null && total >= maxCostUsd ? usage : null;
  };
  return { take };
}
