import type { BackendEvent } from '../core/backends/backend-event.ts';
import type { RalphEvent } from '../core/events/event.ts';
import type { Effect } from '../core/run/effects.ts';
import type { Input, IterationEnded } from '../core/run/inputs.ts';
import type { RunRecord } from '../core/run/run-record.ts';
import type { RunSpec } from '../core/run/run-spec.ts';
import type { TurnId } from '../core/run/turn.ts';
import { makeGate, makeHat, makeSpec } from '../core/spec-fixtures.ts';
import { compileTopology } from '../topology/routing/compile-topology.ts';
import { createRunViewFold } from '../views/fold/fold-run-view.ts';
import { toReview } from '../views/review/create-review.ts';
import type { Review } from '../views/review/review.ts';
import type { AppApi, AppContext } from './cli-command.ts';
import type { CliContext } from './cli-context.ts';
import { plainStyle } from './terminal/terminal.ts';
import { loadCommand } from './whole-command.ts';

type RunPlan = Awaited<ReturnType<AppApi['planStart']>>;
type RunHandle = Awaited<ReturnType<AppApi['startRunHere']>>;
type Signal = Parameters<CliContext['signals']['on']>[0];

const START = Date.UTC(2026, 10, 21, 22, 33, 31);
/** When the sample run tries again after its rate limit. */
const RETRY_AT = START + 10_000;
export const RUN_ID = '20261121-223331-k7f2a';

/** A context whose world is made up; what was written can be read back. */
export interface FakeContext {
  readonly context: AppContext;
  readonly out: () => string;
  readonly err: () => string;
  readonly signal: (name: Signal) => void;
  /** Lets time pass: what is to be called meanwhile is called, in order. */
  readonly pass: (durationMs: number) => void;
}

export interface FakeWorld {
  readonly app?: Partial<AppApi>;
  readonly worker?: Partial<Awaited<ReturnType<AppContext['loadWorker']>>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly isTty?: boolean;
  /** Default: as `isTty`. */
  readonly canMove?: boolean;
  readonly columns?: number;
  readonly stdin?: string;
  readonly ask?: CliContext['ask'];
  readonly openFullScreen?: CliContext['openFullScreen'];
  /** The reader of standard output goes away after so many writes. */
  readonly closedAfter?: number;
  readonly failure?: string;
}

export function createFakeContext(world: FakeWorld = {}): FakeContext {
  const written = { out: '', err: '', writes: 0 };
  const listeners = new Map<Signal, Set<() => void>>();
  const clock = createFakeClock();
  const isClosed = (): boolean => written.writes >= (world.closedAfter ?? Number.POSITIVE_INFINITY);
  const context: AppContext = {
    cwd: '/project',
    env: world.env ?? {},
    terminal: {
      out: (text) => {
        if (isClosed()) return;
        written.out += text;
        written.writes += 1;
      },
      err: (text) => {
        written.err += text;
      },
      isTty: world.isTty ?? false,
      canMove: world.canMove ?? world.isTty ?? false,
      columns: () => world.columns ?? 80,
      style: plainStyle,
      errStyle: plainStyle,
      isClosed,
      backpressure: () => null,
      failure: () => world.failure ?? null,
    },
    signals: {
      on: (signal, listener) => listeners.set(signal, new Set([...(listeners.get(signal) ?? []), listener])),
      off: (signal, listener) => listeners.get(signal)?.delete(listener),
    },
    readStdin: async () => world.stdin ?? '',
    tellBegun: null,
    isViewed: false,
    ask: world.ask ?? null,
    openFullScreen: world.openFullScreen ?? null,
    now: clock.now,
    every: clock.every,
    loadApp: async () => (world.app ?? {}) as AppApi,
    loadWorker: async () => (world.worker ?? {}) as Awaited<ReturnType<AppContext['loadWorker']>>,
    loadWatch: async () => (world.app ?? {}) as AppApi,
    loadCommand,
  };
  const signal = (name: Signal): void => {
    for (const listener of [...(listeners.get(name) ?? [])]) listener();
  };
  return { context, out: () => written.out, err: () => written.err, signal, pass: clock.pass };
}

/** A clock that stands still until it is told to go on. */
function createFakeClock(): Pick<CliContext, 'now' | 'every'> & Pick<FakeContext, 'pass'> {
  const calls = new Set<{ dueAt: number; readonly periodMs: number; readonly call: () => void }>();
  let now = START;
  const findNext = (until: number) => [...calls].filter(({ dueAt }) => dueAt <= until).sort((a, b) => a.dueAt - b.dueAt)[0];
  return {
    now: () => now,
    every: (periodMs, call) => {
      const entry = { dueAt: now + periodMs, periodMs, call };
      calls.add(entry);
      return () => void calls.delete(entry);
    },
    pass: (durationMs) => {
      const until = now + durationMs;
      for (let next = findNext(until); next !== undefined; next = findNext(until)) {
        now = next.dueAt;
        next.dueAt += next.periodMs;
        next.call();
      }
      now = until;
    },
  };
}

function sampleSpec(changes: Partial<RunSpec> = {}): RunSpec {
  return makeSpec({
    objective: 'Make the tests pass.\nAll of them.',
    hats: [
      makeHat('planner', ['task.start', 'task.resume', 'build.*'], ['build.task']),
      makeHat('builder', ['build.task'], ['build.done']),
    ],
    limits: { maxIterations: 30, maxRuntimeMs: 7_200_000, maxCostUsd: 5, checkpointInterval: 5 },
    gates: [makeGate(['build.done'])],
    ...changes,
  });
}

/** A plan as far as the commands look into it. */
export function samplePlan(changes: Partial<RunSpec> = {}): RunPlan {
  const spec = sampleSpec(changes);
  const claude = { type: 'claude', args: [], env: {}, promptMode: 'arg', outputFormat: 'text', permissions: 'bypass' };
  const settings = {
    spec,
    configFiles: ['ralph.yml'],
    backends: { ralph: [claude], planner: [claude], builder: [claude] },
    strictValidation: true,
    notify: null,
  };
  return {
    settings,
    topology: compileTopology(spec),
    diagnostics: [],
    warnings: [],
    ownWords: () => 'You wear the hat',
    firstPrompt: () => 'You wear the hat planner.',
  } as unknown as RunPlan;
}

/** Writes records by hand, an input a second. */
class RecordList {
  readonly records: RunRecord[] = [];
  at = START;

  input(given: object): void {
    this.at += 1000;
    this.records.push({ kind: 'input', seq: this.records.length, input: { at: this.at, ...given } as Input });
  }

  effect(effect: Effect): void {
    this.records.push({ kind: 'effect', seq: this.records.length, at: this.at, effect });
  }

  publish(event: Pick<RalphEvent, 'id' | 'topic' | 'source' | 'iteration'> & { readonly payload?: string }, to: readonly string[]): void {
    this.effect({
      type: 'event-publish',
      event: { payload: '', ts: this.at, ...event },
      to,
      how: to.length === 0 ? 'terminal' : 'trigger',
    });
  }

  start(turn: TurnId, hat: string, event: Pick<RalphEvent, 'id' | 'topic'>): void {
    const events = [{ ...event, payload: '', source: 'system', ts: this.at, iteration: 0 }];
    const limits = { timeoutMs: 1000, idleTimeoutMs: 1000 };
    this.effect({ type: 'iteration-start', ...turn, hat, backend: 0, events, feedback: [], fallback: null, ...limits });
    this.input({
      type: 'iteration-spawned',
      ...turn,
      pid: 1,
      processStart: '1',
      backend: 'claude',
      argv: ['claude', '-p'],
      promptHash: '',
      promptTokens: 600,
    });
  }

  live(iteration: number, hat: string, ...events: readonly BackendEvent[]): void {
    for (const event of events) this.records.push({ kind: 'live', iteration, attempt: 1, hat, event });
  }

  end(turn: TurnId, changes: Partial<IterationEnded> = {}): void {
    this.input({ type: 'iteration-ended', ...turn, ...ENDED, ...changes });
  }
}

/** The records of a run: a tool call, a rate limit, a refusal, a gate that fails, a checkpoint, the end. */
export function sampleRecords(): RunRecord[] {
  const list = new RecordList();
  list.input({ type: 'run-started', runId: RUN_ID, spec: sampleSpec(), flags: [], inboxOffset: 0 });
  addPlanning(list);
  addRateLimit(list);
  addBuilding(list);
  list.effect({ type: 'run-end', reason: 'max_iterations', detail: '2 of 2 iterations are used' });
  return list.records;
}

function addPlanning(list: RecordList): void {
  const turn = { iteration: 1, attempt: 1 };
  list.publish({ id: 'e1', topic: 'task.start', source: 'system', iteration: 0, payload: 'Make the tests pass.' }, ['planner']);
  list.start(turn, 'planner', { id: 'e1', topic: 'task.start' });
  list.live(
    1,
    'planner',
    { type: 'text', text: 'I read the \u001b[31mtask\u001b[0m' },
    { type: 'text', text: ' and cut it up.' },
    { type: 'message-end' },
    { type: 'tool-start', id: 't1', name: 'Read', summary: 'PROMPT.md' },
    { type: 'tool-end', id: 't1', name: 'Read', ok: true, summary: '' },
  );
  list.end(turn, { toolCalls: 1 });
  list.publish({ id: 'e2', topic: 'build.task', source: 'planner', iteration: 1, payload: 'Mend the parser.' }, ['builder']);
}

function addRateLimit(list: RecordList): void {
  const turn = { iteration: 2, attempt: 1 };
  list.start(turn, 'builder', { id: 'e2', topic: 'build.task' });
  list.end(turn, { outcome: { status: 'failed', failure: { class: 'transient', message: 'overloaded' } }, exitCode: 1 });
  list.effect({ type: 'timer-set', timer: 2, dueAt: RETRY_AT, purpose: 'retry' });
  list.effect({ type: 'notice', level: 'warning', code: 'transient-error', text: 'overloaded: attempt 2 of 6 in 5.0 s.' });
  list.input({ type: 'timer-fired', timer: 2 });
}

function addBuilding(list: RecordList): void {
  const turn = { iteration: 2, attempt: 2 };
  list.start(turn, 'builder', { id: 'e2', topic: 'build.task' });
  list.live(
    2,
    'builder',
    { type: 'tool-start', id: 't1', name: 'Bash', summary: 'npm test' },
    { type: 'text', text: 'It runs.\n' },
    { type: 'tool-end', id: 't1', name: 'Bash', ok: false, summary: 'exit 1' },
  );
  list.end(turn);
  list.effect({ type: 'event-reject', id: 'e3', iteration: 2, hat: 'builder', topic: 'ship.it', why: 'scope', allowed: ['build.done'] });
  list.effect({ type: 'notice', level: 'warning', code: 'scope-violation', text: 'builder may not publish ship.it; it was not routed.' });
  list.effect({ type: 'gates-run', request: 1, gates: [0], topics: ['build.done'] });
  const gate = { gate: 0, command: 'npm test', timedOut: false, durationMs: 1200 };
  list.input({
    type: 'gates-finished',
    request: 1,
    results: [{ ...gate, passed: false, exitCode: 1, outputTail: '\u001b[31m1 failed\u001b[0m\n' }],
  });
  list.publish({ id: 'e4', topic: 'build.blocked', source: 'builder', iteration: 2 }, ['planner']);
  list.effect({ type: 'checkpoint-make', iteration: 2 });
  list.input({ type: 'checkpoint-finished', iteration: 2, commit: '3f2a1bc09d8e7f6a', leftOut: [], note: '' });
}

const ENDED: Omit<IterationEnded, 'type' | 'at' | 'iteration' | 'attempt'> = {
  outcome: { status: 'succeeded' },
  exitCode: 0,
  durationMs: 12_300,
  producedOutput: true,
  usage: { inputTokens: 1000, outputTokens: 200, cacheReadTokens: null, cacheWriteTokens: null, costUsd: 0.02 },
  sessionId: 's-1',
  finalText: '',
  toolCalls: 0,
  treeChanged: null,
  leftovers: 0,
  signals: [],
  problems: [],
  inboxOffset: 0,
};

const FAKE_END: Awaited<Awaited<ReturnType<AppApi['startRunHere']>>['outcome']> = {
  reason: 'max_iterations',
  detail: '2 of 2 iterations are used',
  exitCode: 2,
  proof: null,
  state: {} as never,
  worktree: null,
  warnings: [],
};

const FAKE_RECEIPT = { runId: RUN_ID, id: 'c1', isRunAlive: true, tell: null, question: null };

/** A run that is over as soon as it starts, and the app around it. */
export function createFakeApp(
  records: readonly RunRecord[] = sampleRecords(),
  changes: Partial<AppApi> = {},
  notifyProblem: string | null = null,
): Partial<AppApi> & { readonly calls: unknown[] } {
  const calls: unknown[] = [];
  const handle: RunHandle = {
    runId: RUN_ID,
    reach: '',
    fleet: null,
    warnings: [],
    runFolder: `/project/.ralph/runs/${RUN_ID}`,
    workspace: '/project',
    stop: (how, by) => void calls.push(['stop', how, by]),
    records: () => ({ read: () => [], seq: () => 0 }),
    emit: () => ({ runId: RUN_ID, isRunAlive: true, delivery: '', cut: 0 }),
    tell: async () => FAKE_RECEIPT,
    answer: async () => FAKE_RECEIPT,
    outcome: Promise.resolve(FAKE_END),
    notify: async () => notifyProblem,
  };
  const reader = {
    runId: RUN_ID,
    runFolder: handle.runFolder,
    isAlive: false,
    isUnseen: false,
    isCopy: false,
    signalPid: null,
    ...{ left: () => [], damage: () => null, fleet: () => null, labelsOf: () => [] },
    live: () => null,
    workspace: () => '/project',
    records: handle.records,
    shownRecords: handle.records,
    replay: (visit: (record: RunRecord) => void) => {
      for (const record of records) visit(record);
      return {} as never;
    },
    follow: async (visit: (record: RunRecord) => void) => {
      for (const record of records) visit(record);
    },
    redact: (text: string) => text,
    turnFile: (name: string, file: string) => `/project/.ralph/runs/${RUN_ID}/turns/${name}/${file}`,
    turns: () => ['1.1', '2.1', '2.2'],
    facts: async () => ({ at: START, changed: null, place: null }),
    ...{ diff: async () => null, stat: async () => null },
  };
  return {
    calls,
    planStart: async (request) => {
      calls.push(['planStart', request]);
      return samplePlan();
    },
    startRunHere: async (_plan, options, watch) => {
      calls.push(['startRunHere', options]);
      for (const record of records) watch.observe(record);
      return handle;
    },
    bringRun: async (options) => void calls.push(['bringRun', options]),
    resumeRunHere: async (options, watch) => {
      calls.push(['resumeRunHere', options]);
      options.onBrought?.(false, []);
      watch.observe({ kind: 'input', seq: 99, input: { type: 'run-resumed', at: START + 60_000 } });
      return { kind: 'running', handle, warnings: [] };
    },
    findAllElsewhere: async () => new Map(),
    findAway: async () => null,
    findElsewhere: async () => null,
    openRunReader: () => reader,
    reviewRun: async (_cwd, run) => {
      calls.push(['reviewRun', run]);
      return toSampleReview(records);
    },
    ...changes,
  };
}

/** A review of these records, of which nothing is known beside them but what a reviewer said. */
function toSampleReview(records: readonly RunRecord[]): Review {
  const fold = createRunViewFold();
  for (const record of records) fold.take(record);
  const reviews = [{ by: 'reviewer', iteration: 2, topic: 'review.rejected', text: 'The parser is still wrong.' }];
  const facts = { at: START, changed: null, place: null };
  return toReview(fold.view(), { facts, said: { reviews, left: [], todos: [] }, damage: null, isAlive: false, now: START });
}
