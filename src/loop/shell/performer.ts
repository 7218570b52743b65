import {
  type CheckpointMake,
  type Effect,
  type GatesRun,
  type Handlers,
  handle,
  ignore,
  type TimerSet,
  TOPIC_COMPLETE,
} from '../../core/index.ts';
import type { LoopPorts, LoopSettings } from './loop-ports.ts';
import type { LoopView } from './loop-view.ts';
import { createTurnRunner, type TurnRunner } from './turn-runner.ts';

/** Carries out effects; their results come back as inputs. */
export interface Performer {
  /** Resolves when the effect is under way (a turn, gates, a timer) or done (a checkpoint). Throws only when the storage fails. */
  readonly perform: (effect: Effect) => Promise<void>;
  /** Takes back timers, ends gates and turns; resolves when nothing is alive. */
  readonly close: () => Promise<void>;
}

/** Creates the performer of one loop. */
export function createPerformer(ports: LoopPorts, settings: LoopSettings, loop: LoopView): Performer {
  const turns = createTurnRunner(ports, settings, loop);
  const timers = new Map<number, () => void>();
  const gates = createGatePerformer(ports, loop);
  return {
    perform: async (effect) => handle(PERFORMERS, effect, { ports, loop, turns, timers, gates }),
    close: async () => {
      for (const cancel of timers.values()) cancel();
      timers.clear();
      await Promise.all([gates.close(), turns.close()]);
    },
  };
}

interface Tools {
  readonly ports: LoopPorts;
  readonly loop: LoopView;
  readonly turns: TurnRunner;
  readonly timers: Map<number, () => void>;
  readonly gates: GatePerformer;
}

const PERFORMERS: Handlers<Effect, [tools: Tools], void | Promise<void>> = {
  'iteration-start': ({ turns }, effect) => turns.start(effect),
  'iteration-stop': ({ turns }, effect) => turns.stop(effect, effect.force),
  'gates-run': ({ gates }, effect) => gates.run(effect),
  'timer-set': setTimer,
  'checkpoint-make': makeCheckpoint,
  'inbox-append': ({ ports }, effect) => ports.inbox.append(effect.event),
  // The loop itself ends.
  'run-end': ignore,
  // For observers.
  'event-publish': ignore,
  'event-reject': ignore,
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
