import {
  addUsage,
  type GatesFinished,
  type Handlers,
  handle,
  type Input,
  type IterationEnded,
  type IterationSpawned,
  ignore,
  type RunSpec,
  toGateName,
} from '../core/index.ts';
import { compileTopology } from '../topology/index.ts';
import { findTurn, type RunDraft } from './run-draft.ts';

/** What an input changes in the view. */
export function takeInput(draft: RunDraft, input: Input): void {
  if (input.type === 'run-resumed') stopWorking(draft);
  draft.at = input.at;
  handle(HANDLERS, input, draft);
}

const HANDLERS: Handlers<Input, [draft: RunDraft]> = {
  'run-started': (draft, { runId, at, spec }) => {
    Object.assign(draft, { runId, startedAt: at, status: 'running', workingSince: at });
    takeSpec(draft, spec);
  },
  'run-resumed': (draft, { at, spec, limits }) => {
    Object.assign(draft, { status: 'running', workingSince: at, end: null, waiting: null, resumes: draft.resumes + 1 });
    if (spec !== undefined) takeSpec(draft, spec);
    if (draft.limits !== null && limits !== undefined) draft.limits = { ...draft.limits, ...limits };
  },
  'iteration-spawned': takeSpawn,
  'usage-reported': ignore,
  'iteration-ended': takeTurnEnd,
  'events-received': ignore,
  'gates-finished': takeGates,
  'timer-fired': (draft, { timer }) => takeTimer(draft, timer),
  'checkpoint-finished': (draft, { iteration, commit, leftOut, note }) => {
    draft.checkpoints.push({ iteration, commit, leftOut, note });
  },
  'stop-requested': ignore,
  'environment-failed': ignore,
};

/** The process that worked on the run is gone: what it did until its last input counts. */
function stopWorking(draft: RunDraft): void {
  if (draft.workingSince !== null) draft.elapsedMs += Math.max(0, draft.at - draft.workingSince);
  draft.workingSince = null;
}

function takeSpec(draft: RunDraft, spec: RunSpec): void {
  const topology = compileTopology(spec);
  draft.objective = spec.objective;
  draft.promise = spec.promise;
  draft.limits = spec.limits;
  draft.gates = spec.gates.map(toGateName);
  draft.gateSources = spec.gates.map(({ run, protect, from = null }) => ({ command: protect === undefined ? run : null, from }));
  draft.ralphBackends = spec.ralph.backends;
  draft.coordination = topology.coordination;
  draft.hats = topology.hats.map((hat) => ({ id: hat.id, backends: hat.backends }));
  if (topology.coordination !== 'hats' && !topology.classic) draft.hats.unshift({ id: 'ralph', backends: spec.ralph.backends });
}

function takeSpawn(draft: RunDraft, input: IterationSpawned): void {
  const turn = findTurn(draft, input.iteration, input.attempt);
  if (turn === undefined) return;
  const { backend, pid, promptHash, promptTokens, tools = null } = input;
  Object.assign(turn, { backend, tools, pid, promptHash, promptTokens, command: [...input.argv] });
}

function takeTurnEnd(draft: RunDraft, input: IterationEnded): void {
  const { outcome, usage } = input;
  const { totals } = draft;
  totals.usage = addUsage(totals.usage, usage);
  totals[outcome.status] += 1;
  if (outcome.status !== 'interrupted') {
    draft.finished.add(input.iteration);
    if (usage.costUsd === null) totals.unknownCostTurns += 1;
  }
  const turn = findTurn(draft, input.iteration, input.attempt);
  if (turn === undefined) return;
  const { exitCode, durationMs, sessionId, treeChanged, leftovers } = input;
  const failure = outcome.status === 'failed' ? { class: outcome.failure.class, message: outcome.failure.message } : null;
  Object.assign(turn, {
    status: outcome.status,
    failure,
    exitCode,
    durationMs,
    usage,
    treeChanged,
    leftovers,
    violations: input.violations ?? null,
    denials: input.denials ?? [],
    denied: input.denied ?? input.denials?.length ?? 0,
    toolCalls: input.toolCalls ?? turn.toolCalls,
  });
  turn.sessionId = sessionId ?? turn.sessionId;
  if (outcome.status === 'interrupted') {
    draft.pending.unshift(...turn.given.map(({ id, topic }) => ({ id, topic, hat: turn.hat })));
  }
}

function takeGates(draft: RunDraft, input: GatesFinished): void {
  const request = draft.gateRequests.get(input.request);
  draft.gateRequests.delete(input.request);
  if (request?.isBaseline === true) {
    draft.baseline = [...input.results];
    return;
  }
  const turn = request?.turn;
  turn?.gates.push(
    ...input.results.map((result) => ({ ...result, at: input.at, iteration: turn.iteration, topics: request?.topics ?? [] })),
  );
}

function takeTimer(draft: RunDraft, timer: number): void {
  if (draft.waiting?.timer !== timer) return;
  draft.waiting = null;
  if (draft.status === 'parked') draft.status = 'running';
}
