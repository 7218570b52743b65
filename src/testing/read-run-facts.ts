import { relative } from 'node:path';
import type { Effect } from '../core/run/effects.ts';
import type { Input } from '../core/run/inputs.ts';
import type { RunRecord } from '../core/run/run-record.ts';
import type { TurnId } from '../core/run/turn.ts';
import { type Handlers, handle, ignore } from '../core/values/handlers.ts';
import { openRunReader } from '../runs/read-run.ts';
import type { RunReader } from '../runs/run-api.ts';
import type { AgentCall, EventFacts, RefusalFacts, RunFacts, TurnFacts } from './run-facts.ts';
import { readText } from './scenario-folders.ts';
import type { ScenarioRun, SegmentPlace } from './segment.ts';

type TurnFactsDraft = { -readonly [Key in keyof TurnFacts]: TurnFacts[Key] };

interface Gathered {
  readonly turns: TurnFactsDraft[];
  readonly events: EventFacts[];
  readonly refused: RefusalFacts[];
  readonly notices: { code: string; text: string }[];
  readonly commits: string[];
}

/** What the journal and the folders of a run say: the same for a run in this process and in another one. */
export function readRunFacts(run: ScenarioRun, { workspace, env }: SegmentPlace, calls: readonly AgentCall[]): RunFacts {
  const gathered: Gathered = { turns: [], events: [], refused: [], notices: [], commits: [] };
  const ends = run.ends.flatMap((entry) => (entry.end === null ? [] : [entry.end]));
  const error = run.ends.find((entry) => entry.error !== null)?.error ?? null;
  const runId = run.ends.find((entry) => entry.runId !== null)?.runId ?? null;
  const base = { runId, ends, error, rivals: run.rivals, durationMs: Math.round(run.durationMs), ...gathered };
  if (runId === null) return { ...base, iterations: 0, costUsd: null };
  const reader = openRunReader(workspace, runId, env);
  const state = reader.replay((record) => takeRecord(gathered, record));
  joinCalls(gathered.turns, reader, calls, workspace);
  return { ...base, iterations: state.counters.counted, costUsd: state.usage.costUsd };
}

function takeRecord(gathered: Gathered, record: RunRecord): void {
  if (record.kind === 'input') handle(INPUT_HANDLERS, record.input, gathered);
  if (record.kind === 'effect') handle(EFFECT_HANDLERS, record.effect, gathered);
}

const INPUT_HANDLERS: Handlers<Input, [gathered: Gathered]> = {
  'run-started': ignore,
  'run-resumed': ignore,
  'iteration-spawned': (gathered, input) => {
    const turn = findDraft(gathered, input);
    if (turn !== undefined) turn.backend = input.backend;
  },
  'usage-reported': ignore,
  'iteration-ended': (gathered, input) => {
    const turn = findDraft(gathered, input);
    if (turn === undefined) return;
    turn.status = input.outcome.status;
    turn.failure = input.outcome.status === 'failed' ? input.outcome.failure : null;
    turn.exitCode = input.exitCode;
    turn.costUsd = input.usage.costUsd;
    turn.leftovers = input.leftovers;
  },
  'events-received': ignore,
  told: ignore,
  'tell-given': ignore,
  asked: ignore,
  answered: ignore,
  'gates-finished': ignore,
  'hooks-answered': ignore,
  'panel-moved': ignore,
  'timer-fired': ignore,
  'checkpoint-finished': ({ commits }, { commit }) => {
    if (commit !== null) commits.push(commit);
  },
  'stop-requested': ignore,
  'environment-failed': ignore,
};

const EFFECT_HANDLERS: Handlers<Effect, [gathered: Gathered]> = {
  'iteration-start': ({ turns }, effect) => {
    if (effect.isAgain === true) turns.pop();
    turns.push(toDraft(effect));
  },
  'iteration-stop': ignore,
  'gates-run': ignore,
  'timer-set': ignore,
  'checkpoint-make': ignore,
  'inbox-append': ignore,
  'hooks-ask': ignore,
  'tell-offer': ignore,
  'question-open': ignore,
  'question-close': ignore,
  'panel-ordered': ignore,
  'run-end': ignore,
  'event-publish': ({ events }, { event, to, how }) => {
    const { id, iteration, topic, source, target = null, payload } = event;
    events.push({ id, iteration, topic, source, target, payload, to, how });
  },
  'event-reject': ({ refused }, { iteration, hat, topic, why, allowed }) => {
    refused.push({ iteration, hat, topic, why, allowed });
  },
  notice: ({ notices }, { code, text }) => {
    notices.push({ code, text });
  },
};

function findDraft({ turns }: Gathered, { iteration, attempt }: TurnId): TurnFactsDraft | undefined {
  return turns.find((entry) => entry.iteration === iteration && entry.attempt === attempt);
}

function toDraft(effect: Extract<Effect, { type: 'iteration-start' }>): TurnFactsDraft {
  const { iteration, attempt, hat, events } = effect;
  const unknown = { backend: '', failure: null, exitCode: null, costUsd: null, leftovers: 0, prompt: '', call: null, promptBy: null };
  return { iteration, attempt, hat, given: events.map((event) => event.topic), status: 'running', ...unknown };
}

/** Attempts of an iteration and calls with its number belong together in their order; a turn whose agent never started has none. */
function joinCalls(turns: readonly TurnFactsDraft[], reader: RunReader, calls: readonly AgentCall[], workspace: string): void {
  const left = calls.filter((call) => call.env['RALPH_RUN_ID'] === reader.runId);
  for (const turn of turns) {
    const file = reader.turnFile(`${turn.iteration}.${turn.attempt}`, 'prompt.md');
    turn.prompt = readText(file);
    if (turn.backend === '') continue;
    const at = left.findIndex((call) => call.env['RALPH_ITERATION'] === String(turn.iteration));
    if (at < 0) continue;
    const [call] = left.splice(at, 1) as [AgentCall];
    turn.call = call;
    // A worker has the file below a folder of its own.
    turn.promptBy = findPromptWay(call, turn.prompt, relative(workspace, file));
  }
}

function findPromptWay(call: AgentCall, prompt: string, file: string): TurnFacts['promptBy'] {
  if (call.stdin === prompt) return 'stdin';
  if (call.args.some((word) => word.endsWith(prompt))) return 'arg';
  return call.args.some((word) => word.includes(file)) ? 'file' : null;
}
