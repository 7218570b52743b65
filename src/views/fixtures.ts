import { UNKNOWN_USAGE, type Usage } from '../core/backends/usage.ts';
import type { GateResult } from '../core/gates/gate-result.ts';
import type { DeliveryKind, Effect } from '../core/run/effects.ts';
import type { Input, IterationEnded } from '../core/run/inputs.ts';
import type { RunRecord } from '../core/run/run-record.ts';
import type { HatSpec, RunSpec } from '../core/run/run-spec.ts';
import type { TurnOutcome } from '../core/run/turn.ts';
import { makeHat, makeSpec } from '../core/spec-fixtures.ts';
import type { Json } from '../core/values/json.ts';
import type { WorkFacts } from './report/work-facts.ts';

export const START = Date.UTC(2026, 10, 21, 22, 33, 31);
const RUN_ID = '20261121-223331-k7f2a';
const OBJECTIVE = 'Make the failing test of the cart pass.\n\nTouch nothing but `src/cart.mjs`.';

const TEAM: readonly HatSpec[] = [
  makeHat('planner', ['task.start', 'task.resume', 'build.blocked', 'review.passed'], ['build.task']),
  makeHat('builder', ['build.task', 'review.rejected'], ['build.done']),
  makeHat('reviewer', ['build.done'], ['review.passed', 'review.rejected']),
];

export function sampleSpec(changes: Partial<RunSpec> = {}): RunSpec {
  const limits = { maxIterations: 12, checkpointInterval: 5 };
  const gates = [{ on: ['build.done', 'task.complete'], run: 'node --test', timeoutMs: 20_000 }];
  return makeSpec({ objective: OBJECTIVE, hats: TEAM, limits, gates, ...changes });
}

function sampleGate(passed: boolean, changes: Partial<GateResult> = {}): GateResult {
  return {
    gate: 0,
    command: 'node --test',
    passed,
    exitCode: passed ? 0 : 1,
    timedOut: false,
    durationMs: 1200,
    outputTail: passed ? '# pass 3' : '# fail 1',
    ...changes,
  };
}

export function sampleUsage(costUsd: number | null): Usage {
  return costUsd === null ? UNKNOWN_USAGE : { inputTokens: 1200, outputTokens: 340, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd };
}

/** Writes the records of a run by hand, each step a second after the other unless it says how long it took. */
export interface RunScript {
  readonly records: RunRecord[];
  readonly wait: (durationMs: number) => void;
  readonly input: (input: Input extends infer One ? (One extends Input ? Omit<One, 'at'> : never) : never) => void;
  readonly effect: (effect: Effect) => void;
  readonly publish: (
    topic: string,
    source: string,
    to: readonly string[],
    changes?: { readonly how?: DeliveryKind; readonly payload?: Json },
  ) => void;
  readonly startTurn: (
    hat: string,
    iteration: number,
    /** `worker`: it is on a fleet; `null`: no worker has begun it. */
    changes?: {
      readonly attempt?: number;
      readonly events?: readonly string[];
      readonly worker?: string | null;
      readonly isRepeated?: true;
      readonly place?: number;
    },
  ) => void;
  readonly endTurn: (iteration: number, changes?: Partial<IterationEnded>) => void;
}

export function createScript(spec: RunSpec = sampleSpec()): RunScript {
  const records: RunRecord[] = [];
  let at = START;
  let seq = 0;
  let events = 0;
  let iteration = 0;
  const script: RunScript = {
    records,
    wait: (durationMs) => {
      at += durationMs;
    },
    input: (input) => {
      at += 1000;
      seq += 1;
      records.push({ kind: 'input', seq, input: { ...input, at } as Input });
    },
    effect: (effect) => void records.push({ kind: 'effect', seq, at, effect }),
    publish: (topic, source, to, changes = {}) => {
      events += 1;
      const event = { id: `e${events}`, topic, payload: changes.payload ?? '', source, ts: at, iteration };
      script.effect({ type: 'event-publish', event, to, how: changes.how ?? 'trigger' });
    },
    startTurn: (hat, number, changes = {}) => {
      iteration = number;
      const given = (changes.events ?? [`e${events}`]).map((id) => ({
        id,
        topic: findTopic(records, id),
        payload: findPayload(records, id),
        source: 'system',
        ts: at,
        iteration,
      }));
      const turn = { iteration, attempt: changes.attempt ?? 1 };
      script.effect({
        type: 'iteration-start',
        ...turn,
        hat,
        backend: 0,
        events: given,
        feedback: changes.isRepeated === true ? [{ kind: 'conflict', ...CONFLICT }] : [],
        fallback: null,
        timeoutMs: 3_600_000,
        idleTimeoutMs: 900_000,
        ...(changes.place !== undefined && { place: changes.place, copy: `${number}.1` }),
      });
      if (changes.worker === null) return;
      script.input({
        type: 'iteration-spawned',
        ...turn,
        pid: 4711,
        processStart: '99',
        backend: 'claude',
        argv: ['claude', '-p'],
        promptHash: 'ab'.repeat(32),
        promptTokens: 612,
        tools: 14,
        ...(changes.worker !== undefined && { worker: changes.worker }),
      });
    },
    endTurn: (number, changes = {}) => {
      at += changes.durationMs ?? 45_000;
      script.input({ type: 'iteration-ended', iteration: number, attempt: 1, ...SUCCEEDED, ...changes });
    },
  };
  script.input({ type: 'run-started', runId: RUN_ID, spec, flags: [], inboxOffset: 0 });
  return script;
}

/** What a turn made in its copy was not taken over. */
const CONFLICT = { paths: ['a.txt', 'b.txt'], total: 2, kept: 'copies/kept-2.1' };

/** As the end of such a turn is journaled. */
export const CONFLICTED: Partial<IterationEnded> = {
  outcome: failedWith('its work was not taken over: a.txt, b.txt changed in the folder meanwhile; it is kept in copies/kept-2.1'),
  conflict: CONFLICT,
};

function findPayload(records: readonly RunRecord[], id: string): Json {
  const found = records.find(
    (record) => record.kind === 'effect' && record.effect.type === 'event-publish' && record.effect.event.id === id,
  );
  return found?.kind === 'effect' && found.effect.type === 'event-publish' ? found.effect.event.payload : '';
}

function findTopic(records: readonly RunRecord[], id: string): string {
  for (const record of records) {
    if (record.kind === 'effect' && record.effect.type === 'event-publish' && record.effect.event.id === id)
      return record.effect.event.topic;
  }
  return 'unknown';
}

const SUCCEEDED: Omit<IterationEnded, 'type' | 'at' | 'iteration' | 'attempt'> = {
  outcome: { status: 'succeeded' },
  exitCode: 0,
  durationMs: 45_000,
  producedOutput: true,
  usage: sampleUsage(0.02),
  sessionId: 's-1',
  finalText: 'done',
  toolCalls: 3,
  treeChanged: null,
  leftovers: 0,
  signals: [],
  problems: [],
  inboxOffset: 0,
};

export function failedWith(message: string, failure: 'agent' | 'auth' | 'transient' | 'limit' = 'agent'): TurnOutcome {
  return { status: 'failed', failure: { class: failure, message } };
}

/** A team of three: one gate fails, one event is refused, a checkpoint, then the work is complete. */
export function completedRun(): RunScript {
  const script = createScript();
  script.publish('task.start', 'system', ['planner'], { payload: OBJECTIVE });
  script.startTurn('planner', 1);
  script.endTurn(1);
  script.publish('build.task', 'planner', ['builder'], { payload: 'Round prices to cents.' });
  script.startTurn('builder', 2);
  script.endTurn(2);
  script.effect({ type: 'event-reject', id: 'e90', iteration: 2, hat: 'builder', topic: 'ship.it', why: 'scope', allowed: ['build.done'] });
  script.effect({ type: 'gates-run', request: 1, gates: [0], topics: ['build.done'] });
  script.input({ type: 'gates-finished', request: 1, results: [sampleGate(false)] });
  const gates = ['node --test'];
  const payload = { blocked_by: 'node --test', original: 'build.done', payload: '', published_by: 'builder', gates, output: [] };
  script.publish('build.blocked', 'quality_gate', ['planner'], { payload });
  script.startTurn('planner', 3);
  script.endTurn(3, { usage: sampleUsage(null) });
  script.publish('build.task', 'planner', ['builder']);
  script.startTurn('builder', 4);
  script.endTurn(4);
  script.effect({ type: 'gates-run', request: 2, gates: [0], topics: ['build.done'] });
  script.input({ type: 'gates-finished', request: 2, results: [sampleGate(true)] });
  script.publish('build.done', 'builder', ['reviewer']);
  script.startTurn('reviewer', 5);
  script.endTurn(5);
  script.effect({ type: 'checkpoint-make', iteration: 5 });
  script.input({
    type: 'checkpoint-finished',
    iteration: 5,
    commit: '3f2a1bc09d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a',
    leftOut: ['notes.txt'],
    note: '',
  });
  script.publish('review.passed', 'reviewer', ['planner']);
  script.startTurn('planner', 6);
  script.endTurn(6);
  script.effect({ type: 'gates-run', request: 3, gates: [0], topics: ['task.complete'] });
  script.input({ type: 'gates-finished', request: 3, results: [sampleGate(true)] });
  script.publish('build.task', 'planner', [], { how: 'undelivered' });
  script.publish('task.complete', 'planner', [], { how: 'terminal' });
  script.effect({ type: 'run-end', reason: 'completed', detail: 'planner declared the work complete' });
  return script;
}

/** One agent without gates, stopped by its limit of iterations. */
export function limitedRun(): RunScript {
  const script = createScript(sampleSpec({ hats: null, gates: [], limits: { ...sampleSpec().limits, maxIterations: 2, maxCostUsd: 1.5 } }));
  script.publish('task.start', 'system', ['ralph'], { payload: OBJECTIVE });
  script.startTurn('ralph', 1);
  script.endTurn(1, { usage: sampleUsage(null), toolCalls: null });
  script.publish('task.continue', 'system', ['ralph']);
  script.startTurn('ralph', 2);
  script.endTurn(2, { usage: sampleUsage(null), outcome: failedWith('exit code 3'), exitCode: 3 });
  script.publish('error.cli', 'system', ['ralph']);
  script.effect({ type: 'run-end', reason: 'max_iterations', detail: '2 of 2 iterations are used' });
  return script;
}

/** A run that waits for another attempt after a rate limit, with a turn behind it. */
export function retryingRun(): RunScript {
  const script = createScript();
  script.publish('task.start', 'system', ['planner']);
  script.startTurn('planner', 1);
  script.endTurn(1);
  script.publish('build.task', 'planner', ['builder']);
  script.startTurn('builder', 2);
  script.endTurn(2, { outcome: failedWith('rate limit exceeded', 'transient'), exitCode: 1, durationMs: 2000 });
  script.effect({ type: 'timer-set', timer: 2, dueAt: START + 120_000, purpose: 'retry' });
  script.effect({ type: 'notice', level: 'warning', code: 'transient-error', text: 'rate limit exceeded: attempt 2 of 6 in 5.0 s.' });
  return script;
}

/** Facts of a run that changed these files, three lines in each. */
export function sampleFacts(paths: readonly string[], more: Partial<WorkFacts> = {}): WorkFacts {
  const files = paths.map((path) => ({
    path,
    from: null,
    status: 'changed' as const,
    added: 2,
    removed: 1,
    isSubmodule: false,
    class: path.startsWith('test/') ? ('test' as const) : null,
    isAfterGreen: false,
  }));
  const [count, added, removed] = [files.length, files.length * 2, files.length];
  const changed = { count, binary: 0, added, removed, files, between: [], isWhole: true, prefix: '' };
  return { at: START, changed, place: null, ...more };
}
