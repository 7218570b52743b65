import type { RunRecord } from '../core/run/run-record.ts';
import { completedRun, createScript, failedWith, type RunScript, START, sampleSpec, sampleUsage } from '../views/fixtures.ts';
import type { LiveView } from '../views/fold/fold-live-view.ts';
import { createRunHistory } from '../views/frame/run-history.ts';
import type { FrameFacts, WatchedRun } from '../views/frame/watched-run.ts';
import type { Steering } from '../wire/steering.ts';
import type { ToolCallRow } from '../wire/turn-texts.ts';
import type { Size } from './cells/screen.ts';
import { createSceneReader, type SceneView } from './read-scene.ts';
import { FIRST_STATE, type ViewState } from './view-state.ts';

/** A run that nobody runs, at a moment. */
export interface SampleRun {
  readonly records: readonly RunRecord[];
  readonly now: number;
  readonly live?: LiveView;
  readonly texts?: Readonly<Record<string, string>>;
  readonly calls?: readonly ToolCallRow[];
}

/** Orders that a sample run was given. */
export type Orders = (readonly [kind: keyof Steering, words: unknown])[];

/** What a face is given of a sample run. */
export function toSampleRun({ records, now, live, texts = {}, calls = [] }: SampleRun, orders: Orders = []): WatchedRun {
  const history = createRunHistory();
  let read = 0;
  const facts: FrameFacts = { isAlive: true, now, live: live ?? null, isNewest: true };
  const receive = async (kind: keyof Steering, words: unknown) => {
    orders.push([kind, words]);
    return { text: 'In the journal as #9.', seq: 9 };
  };
  return {
    runId: '20261121-223331-k7f2a',
    root: '/work',
    history,
    refresh: () => {
      for (; read < records.length; read += 1) {
        const record = records[read];
        if (record !== undefined) history.take(record);
      }
      return false;
    },
    facts: () => facts,
    onChange: (call) => {
      call();
      return () => undefined;
    },
    text: (turn, part, { from, count }) => {
      const bytes = Buffer.from(texts[`${turn} ${part}`] ?? '');
      if (bytes.length === 0) return null;
      const start = from < 0 ? Math.max(0, bytes.length + from) : Math.min(from, bytes.length);
      const piece = bytes.subarray(start, start + count);
      return { text: piece.toString(), from: start, next: start + piece.length, totalBytes: bytes.length };
    },
    diff: async () => null,
    index: () => ({ calls, growth: [], isCut: false }),
    search: async () => [],
    evidence: () => null,
    picture: async () => null,
    steer: {
      tell: (words) => receive('tell', words),
      answer: (words) => receive('answer', words),
      stop: (words) => receive('stop', words),
      resume: () => receive('resume', null),
    },
  };
}

/** The scene of a sample run, and its layout. */
export function toSampleView(sample: SampleRun, size: Size, state: Partial<ViewState> = {}, isReadOnly = false): SceneView {
  const run = toSampleRun(sample);
  run.refresh();
  const clock = (at: number): string => new Date(at).toISOString().slice(11, 19);
  return createSceneReader(run, { clock, isReadOnly, onReady: () => undefined }).read({ ...FIRST_STATE, ...state }, size, sample.now);
}

function beginTeam(limits: { readonly maxCostUsd: number }): RunScript {
  const gates = [
    { on: ['build.done', 'task.complete'], run: 'npm test', name: 'tests', timeoutMs: 20_000 },
    { on: ['build.done'], run: 'npm run lint', name: 'lint', timeoutMs: 20_000 },
  ];
  const script = createScript(
    sampleSpec({ gates, limits: { ...sampleSpec().limits, maxIterations: 40, ...limits } } as Parameters<typeof sampleSpec>[0]),
  );
  script.publish('task.start', 'system', ['planner']);
  script.startTurn('planner', 1);
  script.endTurn(1);
  script.publish('build.task', 'planner', ['builder'], { payload: 'Refresh the token before it runs out.' });
  return script;
}

function runGates(script: RunScript, request: number, isRed: boolean): void {
  script.effect({ type: 'gates-run', request, gates: [0, 1], topics: ['build.done'] });
  const gate = { timedOut: false, durationMs: 3100 };
  const red = {
    exitCode: 1,
    passed: false,
    outputTail: 'FAIL src/login.test.ts > refreshes the token\nAssertionError: expected 401 to be 200',
  };
  const green = { exitCode: 0, passed: true, outputTail: '' };
  script.input({
    type: 'gates-finished',
    request,
    results: [
      { gate: 0, command: 'npm test', name: 'tests', ...gate, ...(isRed ? red : green) },
      { gate: 1, command: 'npm run lint', name: 'lint', ...gate, ...green },
    ],
  });
}

const OUTPUT = [
  'I read src/login.ts and its test.',
  'The refresh token is read before it is written, so that the first request after an hour fails.',
  '',
  'Now I move the write before the read, and run the tests.',
].join('\n');

/** A builder works on what a red gate said. */
export function redRun(): SampleRun {
  const script = beginTeam({ maxCostUsd: 5 });
  script.startTurn('builder', 2);
  script.endTurn(2, { usage: sampleUsage(0.41), treeChanged: true });
  runGates(script, 1, true);
  script.publish('build.blocked', 'quality_gate', ['builder'], { payload: 'tests failed' });
  script.startTurn('builder', 3);
  const now = START + 170_000;
  const startedAt = now - 62_000;
  const live: LiveView = {
    turn: {
      iteration: 3,
      attempt: 1,
      hat: 'builder',
      startedAt,
      begunAt: startedAt,
      lastOutputAt: now - 2000,
      idleTimeoutMs: 900_000,
      tools: [{ id: 't2', name: 'Bash', summary: 'npm test', since: now - 14_000 }],
      usage: sampleUsage(0.12),
    },
    gates: null,
    wait: null,
  };
  const calls = [
    { id: 't1', name: 'Edit', summary: 'src/login.ts', startedAt: now - 40_000, endedAt: now - 39_000, ok: true },
    { id: 't2', name: 'Bash', summary: 'npm test', startedAt: now - 14_000, endedAt: null, ok: null },
  ];
  return {
    records: script.records,
    now,
    live,
    texts: { '3.1 output': OUTPUT, '3.1 prompt': 'You are the builder.\n\nRefresh the token.' },
    calls,
  };
}

/** A reviewer asks, and waits for an answer. */
export function askingRun(): SampleRun {
  const script = beginTeam({ maxCostUsd: 5 });
  script.startTurn('builder', 2);
  script.endTurn(2, { usage: sampleUsage(1.88), treeChanged: true });
  runGates(script, 1, false);
  script.publish('build.done', 'builder', ['reviewer'], { payload: 'tests: 14 passed' });
  script.startTurn('reviewer', 3);
  const now = START + 200_000;
  script.effect({
    type: 'question-open',
    question: {
      id: 'q1',
      key: 'k1',
      purpose: 'question',
      iteration: 3,
      attempt: 1,
      hat: 'reviewer',
      askedAt: now - 45_000,
      text: 'Deploy to staging?',
      choices: ['yes', 'no'],
      default: 'no',
      dueAt: now + 555_000,
    },
  });
  return { records: script.records, now, texts: { '3.1 output': 'The change is small and proven.\nMay it go to staging?' } };
}

/** Nothing goes on until a usage limit is lifted. */
export function parkedRun(): SampleRun {
  const script = beginTeam({ maxCostUsd: 5 });
  script.startTurn('builder', 2);
  script.endTurn(2, { outcome: failedWith('usage limit reached', 'limit'), exitCode: 1, durationMs: 2000 });
  script.effect({ type: 'timer-set', timer: 2, dueAt: START + 3_600_000, purpose: 'limit' });
  return { records: script.records, now: START + 120_000 };
}

/** It has ended, and goes on once its person has signed in: a gate was red before, and the builder has something to do. */
export function signedOutRun(): SampleRun {
  const script = beginTeam({ maxCostUsd: 5 });
  script.startTurn('builder', 2);
  script.endTurn(2, { usage: sampleUsage(0.41), treeChanged: true });
  runGates(script, 1, true);
  script.publish('build.blocked', 'quality_gate', ['builder'], { payload: 'tests failed' });
  script.startTurn('builder', 3);
  script.endTurn(3, { outcome: failedWith('Invalid API key', 'auth'), exitCode: 1, durationMs: 900, usage: sampleUsage(null) });
  script.effect({
    type: 'run-end',
    reason: 'parked',
    detail: 'builder (claude) cannot work: Invalid API key',
    attention: 'sign in to claude: `claude /login`, or set ANTHROPIC_API_KEY',
  });
  return { records: script.records, now: START + 3_600_000, texts: { '3.1 output': 'Invalid API key. Please run /login.' } };
}

/** It has completed. */
export function endedRun(): SampleRun {
  return { records: completedRun().records, now: START + 3_600_000 };
}
