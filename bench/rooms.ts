import { readFileSync, statSync } from 'node:fs';
import { UNKNOWN_USAGE } from '../src/core/backends/usage.ts';
import { matchesTopic } from '../src/core/events/topics.ts';
import type { Input } from '../src/core/run/inputs.ts';
import type { HatSpec, RunSpec } from '../src/core/run/run-spec.ts';
import { makeHat, makeSpec } from '../src/core/spec-fixtures.ts';
import { nodeFileSystem, openJsonlJournal, readJournal } from '../src/journal/index.ts';
import { createJournalFold } from '../src/loop/decide/index.ts';
import { compileTopology, takersOf } from '../src/topology/routing/index.ts';

const HATS = 1000;
const LOOKUPS = 300_000;
const INPUTS = 100_000;

/** Look-ups per second. */
export function measureRouting(): { hats: number; exact: number; pattern: number; map: number } {
  const exactTopics = Array.from({ length: HATS }, (_, index) => `area${index}.done`);
  const exact = compileTopology(toSpec(exactTopics.map((topic, index) => makeHat(`hat${index}`, [topic]))));
  const pattern = compileTopology(toSpec(exactTopics.map((_, index) => makeHat(`hat${index}`, [`area${index}.*`]))));
  const map = new Map(exactTopics.map((topic, index) => [topic, [`hat${index}`]]));
  return {
    hats: HATS,
    exact: countPerSecond(exactTopics, (topic) => takersOf(exact, topic).length),
    pattern: countPerSecond(exactTopics, (topic) => takersOf(pattern, topic).length),
    map: countPerSecond(exactTopics, (topic) => map.get(topic)?.length ?? 0),
  };
}

function countPerSecond(topics: readonly string[], lookUp: (topic: string) => number): number {
  let found = 0;
  const startedAt = performance.now();
  for (let index = 0; index < LOOKUPS; index += 1) found += lookUp(topics[index % topics.length] as string);
  const seconds = (performance.now() - startedAt) / 1000;
  if (found !== LOOKUPS || !matchesTopic('a.*', 'a.b')) throw new Error('the router missed a hat');
  return LOOKUPS / seconds;
}

/** Writes a journal of a planner and a builder at work, then reads it back in both ways. */
export function measureResume(path: string): { inputs: number; megabytes: number; foldMs: number; parseMs: number } {
  const unsynced = { ...nodeFileSystem, sync: () => undefined };
  const { journal } = openJsonlJournal({ fs: unsynced, path });
  for (const input of makeInputs()) journal.append(input);
  journal.close();
  const parseStart = performance.now();
  let lines = 0;
  for (const line of readFileSync(path, 'utf8').split('\n')) if (line !== '' && JSON.parse(line) !== null) lines += 1;
  const parseMs = performance.now() - parseStart;
  const foldStart = performance.now();
  const fold = createJournalFold();
  readJournal({ fs: nodeFileSystem, path }, (entry) => void fold.take(entry));
  const { entries } = fold.run();
  const foldMs = performance.now() - foldStart;
  if (entries !== lines) throw new Error(`folded ${entries} of ${lines} lines`);
  return { inputs: entries, megabytes: statSync(path).size / 1e6, foldMs, parseMs };
}

/** A planner and a builder, turn by turn, until somebody has enough. */
export function* makeInputs(runId = 'bench', inputs = INPUTS): Generator<Input> {
  const hats = [
    makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.task']),
    makeHat('builder', ['build.task'], ['build.done']),
  ];
  yield { type: 'run-started', at: 1, runId, spec: toSpec(hats), flags: [], inboxOffset: 0 };
  for (let turn = 1; turn * 2 < inputs; turn += 1) {
    const at = turn * 10;
    yield {
      type: 'iteration-spawned',
      at,
      iteration: turn,
      attempt: 1,
      pid: turn,
      processStart: 'x',
      backend: 'bench',
      argv: ['agent'],
      promptHash: 'a'.repeat(64),
      promptTokens: 400,
    };
    const topic = turn % 2 === 1 ? 'build.task' : 'build.done';
    yield {
      type: 'iteration-ended',
      at: at + 5,
      iteration: turn,
      attempt: 1,
      outcome: { status: 'succeeded' },
      exitCode: 0,
      durationMs: 5,
      producedOutput: true,
      usage: { ...UNKNOWN_USAGE, costUsd: 0.001 },
      sessionId: null,
      finalText: 'Did the step, tests pass.',
      toolCalls: 3,
      treeChanged: null,
      leftovers: 0,
      signals: [{ kind: 'event', channel: 'jsonl', topic, payload: `step ${turn}` }],
      problems: [],
      inboxOffset: turn * 50,
    };
  }
}

/** A team that works for ever: no limit ends the run that is folded. */
function toSpec(hats: readonly HatSpec[]): RunSpec {
  return makeSpec({ hats, limits: { maxIterations: 1_000_000, maxRuntimeMs: 1e12 } });
}
