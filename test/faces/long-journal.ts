/** A run of any length, made from what the loop decides and agents that a seed plays: with costs, failures, gates, questions and words of people. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UNKNOWN_USAGE } from '../../src/core/backends/usage.ts';
import type { GateResult } from '../../src/core/gates/gate-result.ts';
import type { Effect, GatesRun, IterationStart } from '../../src/core/run/effects.ts';
import type { Input } from '../../src/core/run/inputs.ts';
import { makeGate, makeHat, makeSpec } from '../../src/core/spec-fixtures.ts';
import { nodeFileSystem, openJsonlJournal } from '../../src/journal/index.ts';
import { createJournalFold } from '../../src/loop/decide/index.ts';
import { createRandom, type Random } from './random.ts';

/** What is written. */
export interface LongRun {
  /** As runs are named. */
  readonly runId: string;
  readonly inputs: number;
  readonly seed: number;
  /** So many of its last turns have a prompt and an output on disk. Default: none. */
  readonly keptTurns?: number;
}

const STARTED_AT = Date.UTC(2026, 10, 20, 21);
const SPEC = makeSpec({
  objective: 'Move the shop to the new API, file by file',
  hats: [
    makeHat('planner', ['task.start', 'task.resume', 'review.passed', 'build.blocked'], ['build.task']),
    makeHat('builder', ['build.task', 'review.rejected'], ['build.done']),
    makeHat('reviewer', ['build.done'], ['review.passed', 'review.rejected']),
  ],
  gates: [makeGate(['build.done'], 'npm test', { name: 'tests' }), makeGate(['build.done'], 'npm run lint', { name: 'lint' })],
  limits: { maxIterations: 1_000_000, maxRuntimeMs: 1e12, maxConsecutiveFailures: 50, maxCostUsd: 1_000_000 },
  loopDetection: { repetition: 0, oscillation: 0 },
});

/** Nothing is lost where the machine fails in the midst of a test. */
const UNSYNCED = { ...nodeFileSystem, sync: () => undefined };

/** Writes the run into the folder in which it is said to have been started. */
export function writeLongRun(folder: string, { runId, inputs, seed, keptTurns = 0 }: LongRun): void {
  const runFolder = join(folder, '.ralph/runs', runId);
  mkdirSync(join(runFolder, 'turns'), { recursive: true });
  const fold = createJournalFold();
  const random = createRandom(seed);
  const orders: Effect[] = [];
  const started: string[] = [];
  const { journal } = openJsonlJournal({ fs: UNSYNCED, path: join(runFolder, 'journal.jsonl') });
  let seq = 0;
  let at = STARTED_AT;
  const take = (input: Input): void => {
    const entry = journal.append(input);
    seq = entry.seq;
    orders.push(...fold.take(entry));
  };
  take({ type: 'run-started', at, runId, spec: SPEC, flags: [], inboxOffset: 0 });
  for (let order = orders.shift(); order !== undefined && seq < inputs; order = orders.shift())
    for (const input of toAnswers(order, random, () => (at += 1 + Math.floor(random() * 4000)))) {
      if (input.type === 'iteration-spawned') started.push(`${input.iteration}.${input.attempt}`);
      if (seq < inputs) take(input);
    }
  journal.close();
  for (const turn of started.slice(started.length - Math.min(keptTurns, started.length))) writeTexts(join(runFolder, 'turns', turn), turn);
}

function writeTexts(folder: string, turn: string): void {
  mkdirSync(folder);
  writeFileSync(join(folder, 'prompt.md'), `You are in turn ${turn}. Move the next file.\n`);
  writeFileSync(join(folder, 'text.md'), `I moved file-${turn}.ts and ran its tests.\nneedle-${turn}\n`);
}

/** What comes of an order; orders that nobody answers are for observers. */
function* toAnswers(order: Effect, random: Random, next: () => number): Generator<Input> {
  if (order.type === 'gates-run')
    yield { type: 'gates-finished', at: next(), request: order.request, results: order.gates.map((gate) => toResult(gate, order, random)) };
  if (order.type === 'timer-set' && order.purpose !== 'runtime')
    yield { type: 'timer-fired', at: Math.max(next(), order.dueAt), timer: order.timer };
  if (order.type === 'checkpoint-make')
    yield { type: 'checkpoint-finished', at: next(), iteration: order.iteration, commit: null, leftOut: [], note: '' };
  if (order.type === 'iteration-start') yield* toTurn(order, random, next);
}

const SENDER = { pid: 4242, user: 'kim', how: 'terminal' } as const;

function* toTurn({ iteration, attempt, hat }: IterationStart, random: Random, next: () => number): Generator<Input> {
  const turn = { iteration, attempt };
  const backend = 'claude';
  const prompt = { argv: ['claude', '<prompt>'], promptHash: 'a'.repeat(64), promptTokens: 400 };
  yield { type: 'iteration-spawned', at: next(), ...turn, pid: 4242, processStart: '1', backend, ...prompt };
  if (random() < 0.1) {
    const text = `Shall file ${iteration} keep its name?`;
    yield {
      type: 'asked',
      at: next(),
      ...turn,
      key: `k${iteration}`,
      purpose: 'question',
      text,
      choices: ['yes', 'no'],
      default: 'no',
      dueAt: next() + 60_000,
    };
  }
  if (random() < 0.03)
    yield {
      type: 'told',
      at: next(),
      id: `t${iteration}`,
      text: 'Keep to the style',
      to: null,
      when: 'next',
      sender: SENDER,
      steeringOffset: 0,
    };
  const isFailed = random() < 0.06;
  const topic = hat === 'planner' ? 'build.task' : hat === 'builder' ? 'build.done' : random() < 0.3 ? 'review.rejected' : 'review.passed';
  yield {
    type: 'iteration-ended',
    at: next(),
    ...turn,
    outcome: isFailed ? { status: 'failed', failure: { class: 'agent', message: 'It ended with exit code 1.' } } : { status: 'succeeded' },
    exitCode: isFailed ? 1 : 0,
    durationMs: 5000,
    producedOutput: true,
    usage: {
      ...UNKNOWN_USAGE,
      ...(random() < 0.9 && { costUsd: Math.round(random() * 900) / 10_000, inputTokens: 1200, outputTokens: 300 }),
    },
    sessionId: null,
    finalText: `Step ${iteration} of the ${hat}.`,
    toolCalls: 3,
    treeChanged: hat === 'builder',
    leftovers: 0,
    signals: isFailed ? [] : [{ kind: 'event', channel: 'jsonl', topic, payload: `step ${iteration}` }],
    problems: [],
    inboxOffset: iteration * 50,
  };
}

function toResult(gate: number, { request }: GatesRun, random: Random): GateResult {
  const passed = random() < (gate === 0 ? 0.7 : 0.9);
  return {
    gate,
    name: gate === 0 ? 'tests' : 'lint',
    command: gate === 0 ? 'npm test' : 'npm run lint',
    passed,
    exitCode: passed ? 0 : 1,
    timedOut: false,
    durationMs: 1500,
    outputTail: passed ? 'all good' : `not ok ${request} - moves the file`,
  };
}
