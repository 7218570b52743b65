import { UNKNOWN_USAGE } from '../core/backends/usage.ts';
import type { RunRecord } from '../core/run/run-record.ts';
import { makeHat, makeSpec } from '../core/spec-fixtures.ts';
import { RalphError } from '../core/values/errors.ts';
import { createRunHistory } from '../views/frame/run-history.ts';
import type { WatchedRun } from '../views/frame/watched-run.ts';
import type { SteeringReceipt } from '../wire/steering.ts';

export const START = Date.UTC(2026, 10, 21, 22, 33, 31);
export const RUN_ID = '20261121-223331-k7f2a';

/** A run in memory, to which records can be added, and what was ordered. */
export interface FakeRun {
  readonly run: WatchedRun;
  /** Records that the next look finds; whoever watches is called. */
  readonly add: (...records: readonly RunRecord[]) => void;
  /** One more turn from its start to its end: two inputs. */
  readonly addTurn: () => void;
  readonly ask: (question: string) => void;
  /** Its folder is removed. */
  readonly remove: () => void;
  /** Orders that were carried out. */
  readonly orders: readonly string[];
  readonly watchers: () => number;
}

/**
 * @param objective its task; what an agent wrote there is kept as it is
 * @param idleHats so many hats that nobody wakes: each makes a frame half a kilobyte larger
 */
export function createFakeRun(objective = 'Build it.', idleHats = 0): FakeRun {
  const fresh: RunRecord[] = [];
  const watchers = new Set<() => void>();
  const script = createScript();
  const { orders, steer } = createFakeSteering();
  const state = { isGone: false };
  const history = createRunHistory();
  const add = (...records: readonly RunRecord[]): void => {
    fresh.push(...records);
    for (const call of watchers) call();
  };
  add(...script.start(objective, idleHats));
  return {
    run: {
      runId: RUN_ID,
      root: '/work/site',
      history,
      refresh: () => {
        for (const record of fresh.splice(0)) history.take(record);
        return false;
      },
      facts: () => {
        if (state.isGone) throw new RalphError({ code: 'run-unknown', what: 'There is no such run.' });
        return { isAlive: true, now: history.view().at + 500, live: null, isNewest: false };
      },
      onChange: (call) => {
        watchers.add(call);
        call();
        return () => void watchers.delete(call);
      },
      ...FILES,
      steer,
    },
    add,
    addTurn: () => add(...script.turn()),
    ask: (id) => add(...script.ask(id)),
    remove: () => {
      state.isGone = true;
    },
    orders,
    watchers: () => watchers.size,
  };
}

/** They tell what they were asked for. */
const FILES: Pick<WatchedRun, 'text' | 'diff' | 'index' | 'search' | 'evidence' | 'picture'> = {
  text: (turn, part, { from, count }) => ({ text: `${turn} ${part} ${from} ${count}`, from, next: from + 10, totalBytes: 99 }),
  diff: async (turn) => (turn === null ? 'the whole' : null),
  index: () => ({ calls: [], growth: [], isCut: false }),
  search: async (words, limit) => [{ turn: '1.1', part: 'output', fromByte: 0, line: `${words} ${limit}` }],
  evidence: () => null,
  picture: async () => null,
};

function createFakeSteering(): Pick<FakeRun, 'orders'> & Pick<WatchedRun, 'steer'> {
  const orders: string[] = [];
  const order = async (name: string, words: unknown): Promise<SteeringReceipt> => {
    orders.push(`${name} ${JSON.stringify(words)}`);
    return { text: `Done: ${name}.`, seq: 1 };
  };
  return {
    orders,
    steer: {
      tell: (words) => order('tell', words),
      answer: (words) => order('answer', words),
      stop: (how) => order('stop', how),
      resume: () => order('resume', ''),
    },
  };
}

/** The records of a run by hand, an input each second. */
function createScript() {
  const place = { seq: 0, iteration: 0 };
  const next = () => ({ seq: ++place.seq, at: START + place.seq * 1000 });
  type Moment = ReturnType<typeof next>;
  const input = ({ seq, at }: Moment, given: object) => ({ kind: 'input', seq, input: { ...given, at } }) as RunRecord;
  const effect = ({ seq, at }: Moment, given: object) => ({ kind: 'effect', seq, at, effect: given }) as RunRecord;
  return {
    start: (objective: string, idleHats: number): readonly RunRecord[] => {
      const idle = Array.from({ length: idleHats }, (_, index) => makeHat(`idle-${index}`, ['never'], ['build.done']));
      const spec = makeSpec({ objective, hats: [makeHat('builder', ['task.start'], ['build.done']), ...idle] });
      return [input(next(), { type: 'run-started', runId: RUN_ID, spec, flags: [], inboxOffset: 0 })];
    },
    turn: (): readonly RunRecord[] => {
      const start = next();
      const turn = { iteration: ++place.iteration, attempt: 1 };
      const begins = { ...turn, hat: 'builder', backend: 0, events: [], feedback: [], fallback: null, timeoutMs: 1000, idleTimeoutMs: 0 };
      const ends = { ...turn, outcome: { status: 'succeeded' }, exitCode: 0, durationMs: 1, usage: UNKNOWN_USAGE, sessionId: null };
      const said = { finalText: '', treeChanged: true, leftovers: 0, signals: [], problems: [], inboxOffset: 0 };
      return [
        input(start, { type: 'events-received', events: [], inboxOffset: 0 }),
        effect(start, { type: 'iteration-start', ...begins }),
        input(next(), { type: 'iteration-ended', ...ends, ...said }),
      ];
    },
    ask: (id: string): readonly RunRecord[] => {
      const at = next();
      const asked = { id, hat: 'builder', iteration: 1, attempt: 1, askedAt: at.at, key: id, purpose: 'question', text: 'Deploy?' };
      const question = { ...asked, choices: ['yes', 'no'], default: 'no', dueAt: at.at + 60_000 };
      return [input(at, { type: 'asked', iteration: 1, attempt: 1 }), effect(at, { type: 'question-open', question })];
    },
  };
}
