import { type IterationEnded, type IterationStart, type TurnId, toErrorCode, toTurnName } from '../../core/index.ts';
import type { RunningTurn } from '../../ports/index.ts';
import { hearPeople } from './hear-people.ts';
import type { LoopPorts, LoopSettings } from './loop-ports.ts';
import type { LoopView } from './loop-view.ts';
import { INTERRUPTED, isRunnable, type OpenedTurn, openTurn } from './open-turn.ts';
import { dropStrayLines } from './read-whole-inbox.ts';
import { reportTurn } from './report-turn.ts';

/** Starts and stops agents' turns. */
export interface TurnRunner {
  /** Resolves when the agent is started. Throws when its folder cannot be written. */
  readonly start: (order: IterationStart) => Promise<void>;
  readonly stop: (turn: TurnId, force: boolean) => void;
  readonly close: () => Promise<void>;
}

/** A turn in this process. */
interface LiveTurn {
  readonly running: RunningTurn;
  readonly done: Promise<void>;
}

/** Creates the runner of one loop's turns. */
export function createTurnRunner(ports: LoopPorts, settings: LoopSettings, loop: LoopView): TurnRunner {
  const live = new Map<string, LiveTurn>();
  const opening = new Set<Promise<void>>();
  let isClosed = false;

  const begin = async (order: IterationStart): Promise<void> => {
    if (isClosed || !isRunnable(ports, loop, order)) return;
    if (hearBefore(ports, loop, order)) return;
    const opened = await openOrFail(ports, settings, loop, order);
    if (opened === null) return;
    const name = toTurnName(order);
    const done = opened.running.result.then(async (result) => {
      if (result.logError !== null) failStorage(ports, loop, `the turn's output cannot be written (${result.logError})`);
      const report = await reportTurn(ports, loop, opened, result).catch((error: unknown) => {
        failStorage(ports, loop, `the end of turn ${name} could not be recorded (${toErrorCode(error)})`);
        return toInterrupted(ports, loop, order);
      });
      live.delete(name);
      loop.post(report);
    });
    live.set(name, { running: opened.running, done });
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
    close: async () => {
      isClosed = true;
      for (const entry of live.values()) entry.running.kill();
      await Promise.allSettled(opening);
      await Promise.all([...live.values()].map((entry) => entry.done));
    },
  };
}

/**
 * The last look before the prompt is written: what people published since the turn was ordered, and what stands in the agents' file although none
 * of them was at work.
 *
 * @returns true if the turn was ordered again, with more events, or is not to begin at all
 */
function hearBefore(ports: LoopPorts, loop: LoopView, order: IterationStart): boolean {
  const { inboxOffset, outsideOffset } = loop.state();
  const isOn = loop.topology().spec.eventSources.includes('jsonl');
  const stray = isOn ? dropStrayLines(ports.inbox, inboxOffset) : { problems: [], offset: inboxOffset };
  const heard = [...hearPeople(ports, outsideOffset)];
  if (heard.length === 0 && stray.problems.length === 0) return false;
  const { iteration, attempt } = order;
  const last = heard.pop() ?? { signals: [], problems: [], outsideOffset };
  const at = ports.clock.now();
  for (const batch of heard) loop.post({ type: 'events-received', at, inboxOffset, ...batch });
  const problems = [...stray.problems, ...last.problems];
  loop.post({ type: 'events-received', at, ...last, problems, inboxOffset: stray.offset, opening: { iteration, attempt } });
  const now = loop.state().activations.find((turn) => turn.iteration === iteration && turn.attempt === attempt);
  return now?.events.length !== order.events.length;
}

/** A turn whose folder cannot be written ends the run; the hat runs again when it is resumed. */
async function openOrFail(ports: LoopPorts, settings: LoopSettings, loop: LoopView, order: IterationStart): Promise<OpenedTurn | null> {
  try {
    return await openTurn(ports, settings, loop, order);
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

/** The end of a turn of which nothing can be told. */
function toInterrupted(ports: LoopPorts, loop: LoopView, { iteration, attempt }: IterationStart): IterationEnded {
  return { type: 'iteration-ended', at: ports.clock.now(), iteration, attempt, ...INTERRUPTED, inboxOffset: loop.state().inboxOffset };
}

function failStorage(ports: LoopPorts, loop: LoopView, message: string): void {
  loop.post({ type: 'environment-failed', at: ports.clock.now(), what: 'storage', message });
}
