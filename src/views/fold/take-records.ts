import { addUsage, UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { RalphEvent } from '../../core/events/event.ts';
import { EXTERNAL, QUALITY_GATE, RALPH, SYSTEM } from '../../core/events/reserved.ts';
import { isRequiredGate, toGateName } from '../../core/gates/gate-spec.ts';
import { createHookTally, joinHookRecords, toToldHook } from '../../core/hooks/hook-record.ts';
import type { Effect, EventPublish, EventReject, HooksAsk, IterationStart, Notice, RunEnd, TimerSet } from '../../core/run/effects.ts';
import type { GatesFinished, HooksAnswered, Input, IterationEnded, IterationSpawned } from '../../core/run/inputs.ts';
import type { RunSpec } from '../../core/run/run-spec.ts';
import { type Handlers, handle, ignore } from '../../core/values/handlers.ts';
import { type Json, toJsonObject, toPayloadText } from '../../core/values/json.ts';
import { compileTopology } from '../../topology/routing/compile-topology.ts';
import { toPlainLine } from '../text/plain-text.ts';
import { closePanelView, openPanelView, takePanelMove } from './fold-panel.ts';
import { takeAnswered, takeClose, takeGiven, takePrompted, takeQuestion, takeQueued, takeTold } from './fold-people.ts';
import { findTurnDraft, type RunDraft, type TurnDraft } from './run-draft.ts';
import type { BlockedEvent, ConflictView, GivenEvent } from './run-view.ts';

export function takeInput(draft: RunDraft, seq: number, input: Input): void {
  if (input.type === 'run-resumed') stopWorking(draft);
  draft.at = input.at;
  handle(INPUT_HANDLERS, input, draft, seq);
}

const INPUT_HANDLERS: Handlers<Input, [draft: RunDraft, seq: number]> = {
  'run-started': (draft, _seq, { runId, at, spec }) => {
    Object.assign(draft, { runId, startedAt: at, status: 'running', workingSince: at });
    takeSpec(draft, spec);
  },
  'run-resumed': (draft, _seq, { at, spec, limits }) => {
    Object.assign(draft, { status: 'running', workingSince: at, end: null, waiting: null, resumes: draft.resumes + 1 });
    if (spec !== undefined) takeSpec(draft, spec);
    if (draft.limits !== null && limits !== undefined) draft.limits = { ...draft.limits, ...limits };
  },
  'iteration-spawned': (draft, _seq, input) => takeSpawn(draft, input),
  'usage-reported': ignore,
  'iteration-ended': (draft, _seq, input) => takeTurnEnd(draft, input),
  'events-received': ignore,
  told: takeTold,
  'tell-given': (draft, _seq, input) => takeGiven(draft, findTurnDraft(draft, input.iteration)?.hat ?? '', input),
  asked: ignore,
  answered: (draft, _seq, input) => takeAnswered(draft, input),
  'panel-moved': (draft, seq, input) => takePanelMove(draft, findTurnDraft(draft, input.iteration, input.attempt), seq, input),
  'hooks-answered': (draft, _seq, input) => takeHooksAnswered(draft, input),
  'gates-finished': (draft, _seq, input) => takeGates(draft, input),
  'timer-fired': (draft, _seq, { timer }) => takeTimerFired(draft, timer),
  'checkpoint-finished': (draft, _seq, { iteration, commit, leftOut, note }) => {
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
  draft.gateSources = spec.gates.map((gate) => {
    const { run, protect, from = null } = gate;
    return { command: protect === undefined ? run : null, from, isRequired: isRequiredGate(gate) };
  });
  draft.ralphBackends = spec.ralph.backends;
  draft.declaredPanels = new Map(
    topology.hats.flatMap(({ id, panel, backends }) => (panel === undefined ? [] : [[id, { spec: panel, backends }] as const])),
  );
  draft.coordination = topology.coordination;
  const hats = topology.hats.map(({ id, backends, panel }) => ({
    id,
    backends,
    ...(panel === undefined ? {} : { agents: panel.agents.map((agent) => agent.id) }),
  }));
  const hasRalph = topology.coordination !== 'hats' && !topology.classic;
  draft.hats = hasRalph ? [{ id: 'ralph', backends: spec.ralph.backends }, ...hats] : hats;
}

function takeSpawn(draft: RunDraft, input: IterationSpawned): void {
  const turn = findTurnDraft(draft, input.iteration, input.attempt);
  if (turn === undefined) return;
  const { backend, pid, promptHash, promptTokens, tools = null, worker = null } = input;
  Object.assign(turn, { backend, tools, pid, promptHash, promptTokens, worker, command: input.argv });
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
  const turn = findTurnDraft(draft, input.iteration, input.attempt);
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
    conflict: toConflict(draft, turn, input),
    violations: input.violations ?? null,
    denials: input.denials ?? NONE,
    denied: input.denied ?? input.denials?.length ?? 0,
    hooks: joinHookRecords(input.hooks ?? null, turn.hooks),
    toolCalls: input.toolCalls ?? turn.toolCalls,
  });
  turn.sessionId = sessionId ?? turn.sessionId;
  draft.repeated.delete(turn);
  closePanelView(draft, turn);
  draft.ended = turn;
  if (draft.waiting?.purpose === 'limit' && !isAtWork(draft)) draft.status = 'parked';
  if (outcome.status === 'interrupted') {
    draft.pending = [...turn.given.map(({ id, topic }) => ({ id, topic, hat: turn.hat })), ...draft.pending];
  }
}

/** The second time in a row it is a failure like any other. */
function toConflict({ repeated }: RunDraft, turn: TurnDraft, { conflict, outcome }: IterationEnded): ConflictView | null {
  if (conflict === undefined) return null;
  return { ...conflict, isGivenAgain: outcome.status === 'interrupted' || !repeated.has(turn) };
}

function takeGates(draft: RunDraft, input: GatesFinished): void {
  const request = draft.gateRequests.get(input.request);
  draft.gateRequests.delete(input.request);
  if (request?.isBaseline === true) {
    draft.baseline = input.results;
    return;
  }
  const turn = request?.turn;
  if (request === undefined || turn === undefined) return;
  draft.touched.add(turn);
  const { at } = input;
  const { iteration } = turn;
  const { topics } = request;
  // In this order: fields that are added to a copy cost a shape each time.
  turn.gates = [...turn.gates, ...input.results.map((result) => ({ at, iteration, topics, ...result }))];
}

function takeTimerFired(draft: RunDraft, timer: number): void {
  if (draft.waiting?.timer !== timer) return;
  draft.waiting = null;
  if (draft.status === 'parked') draft.status = 'running';
}

const EXCERPT_LENGTH = 160;
/** Most lists of a turn are empty: one is enough for all of them. */
const NONE: readonly never[] = Object.freeze([]);

export function takeEffect(draft: RunDraft, at: number, effect: Effect): void {
  handle(EFFECT_HANDLERS, effect, draft, at);
}

const EFFECT_HANDLERS: Handlers<Effect, [draft: RunDraft, at: number]> = {
  'iteration-start': takeTurnStart,
  'iteration-stop': ignore,
  'gates-run': (draft, _at, { request, topics, isBaseline, iteration }) => {
    const turn = iteration === undefined ? draft.turns.at(-1) : findTurnDraft(draft, iteration);
    if (turn?.gatesDue !== undefined) {
      delete turn.gatesDue;
      draft.touched.add(turn);
    }
    draft.gateRequests.set(request, { topics, turn, isBaseline: isBaseline === true });
  },
  'timer-set': takeTimerSet,
  'checkpoint-make': ignore,
  'inbox-append': ignore,
  'run-end': takeEnd,
  'event-publish': takeEvent,
  'hooks-ask': (draft, _at, ask) => takeHooksAsked(draft, ask),
  'tell-offer': ignore,
  'question-open': (draft, _at, { question }) => takeQuestion(draft, question),
  'question-close': takeClose,
  'panel-ordered': ignore,
  'event-reject': takeRefusal,
  notice: takeNotice,
};

function takeTimerSet(draft: RunDraft, _at: number, { timer, purpose, dueAt }: TimerSet): void {
  if (purpose === 'runtime' || purpose === 'question') return;
  draft.waiting = { timer, purpose, dueAt };
  if (purpose === 'limit' && !isAtWork(draft)) draft.status = 'parked';
  if (purpose !== 'cooldown') uncountLatest(draft);
}

function isAtWork({ turns }: RunDraft): boolean {
  return turns.some(({ status }) => status === 'running');
}

function takeRefusal(draft: RunDraft, _at: number, { id, iteration, hat, topic, why, allowed, detail }: EventReject): void {
  draft.totals.refused += why === 'withdrawn' ? 0 : 1;
  const turn = findTurnDraft(draft, iteration);
  if (turn !== undefined) turn.refused = [...turn.refused, { id, hat, topic, why, allowed, ...(detail === undefined ? {} : { detail }) }];
}

function takeNotice(draft: RunDraft, at: number, { code, level, text }: Notice): void {
  // Told while it happens; afterwards the turns themselves say who had them, and what is wrong must not drown in it.
  if (code === 'hat-switched') return;
  draft.notices.push({ at, level, code, text });
}

function takeTurnStart(draft: RunDraft, at: number, effect: IterationStart): void {
  const { iteration, attempt, hat, fallback } = effect;
  takePrompted(draft, at, effect);
  const given = effect.events.map((event) => toGiven(event, effect.place !== undefined));
  if (attempt > 1) draft.finished.delete(iteration);
  draft.waiting = null;
  draft.status = 'running';
  draft.pending = draft.pending.filter(
    (entry) => !given.some((event) => event.id === entry.id && (entry.hat === hat || !isHat(draft, entry.hat))),
  );
  const place =
    effect.isAgain === true ? draft.turns.findLastIndex((entry) => entry.iteration === iteration && entry.attempt === attempt) : -1;
  const [replaced] = place < 0 ? [] : draft.turns.splice(place, 1);
  if (replaced !== undefined) draft.panels.delete(replaced);
  const turn: TurnDraft = {
    iteration,
    attempt,
    hat,
    backend: (draft.hats.find((entry) => entry.id === hat)?.backends ?? draft.ralphBackends)[effect.backend] ?? '',
    startedAt: at,
    status: 'running',
    failure: null,
    exitCode: null,
    durationMs: null,
    usage: UNKNOWN_USAGE,
    sessionId: null,
    toolCalls: null,
    tools: null,
    pid: null,
    promptTokens: null,
    promptHash: null,
    worker: null,
    command: NONE,
    fallback,
    given,
    published: NONE,
    blocked: NONE,
    refused: NONE,
    gates: NONE,
    treeChanged: null,
    leftovers: 0,
    conflict: null,
    violations: null,
    denials: NONE,
    denied: 0,
    hooks: null,
    panel: null,
  };
  if (place < 0) draft.turns.push(turn);
  else draft.turns.splice(place, 0, turn);
  draft.touched.add(turn);
  if (effect.feedback.some(({ kind }) => kind === 'conflict')) draft.repeated.add(turn);
  openPanelView(draft, turn, effect);
}

/** @param isOneOfSeveral other turns of the hat work on other events at the same time */
function toGiven({ id, topic, source, sender, payload }: RalphEvent, isOneOfSeveral: boolean): GivenEvent {
  const plain = sender === undefined ? { id, topic, source } : { id, topic, source, sender };
  return isOneOfSeveral ? { ...plain, excerpt: toPlainLine(toPayloadText(payload), EXCERPT_LENGTH) } : plain;
}

/** False for a hat that a changed configuration no longer has: what waited for it goes to another one. */
function isHat(draft: RunDraft, hat: string | null): boolean {
  return hat === RALPH || draft.hats.some((entry) => entry.id === hat);
}

function takeEvent(draft: RunDraft, _at: number, effect: EventPublish): void {
  const { event, to, how } = effect;
  takeQueued(draft, effect);
  const { id, topic, source, iteration } = event;
  if (source === EXTERNAL) draft.totals.external += 1;
  if (how === 'undelivered') draft.undelivered.push({ id, topic, hat: null });
  else if (how === 'record') passExhausted(draft, topic);
  else draft.totals.routed += 1;
  if (to.length > 0) draft.pending = [...draft.pending, ...to.map((hat) => ({ id, topic, hat }))];
  const turn = findTurnDraft(draft, iteration);
  if (turn !== undefined && source === QUALITY_GATE) turn.blocked = [...turn.blocked, { id, topic, to, ...toBlocked(event.payload) }];
  if (turn === undefined || (source !== turn.hat && source !== SYSTEM)) return;
  const excerpt = toPlainLine(toPayloadText(event.payload), EXCERPT_LENGTH);
  turn.published = [...turn.published, { id, topic, source, to, how, excerpt }];
}

function toBlocked(payload: Json): Pick<BlockedEvent, 'original' | 'gates'> {
  const { original, gates } = toJsonObject(payload);
  return {
    original: typeof original === 'string' ? original : '',
    gates: Array.isArray(gates) ? gates.filter((gate) => typeof gate === 'string') : [],
  };
}

/** `<hat>.exhausted` says that Ralph gets what waits for the hat. */
function passExhausted(draft: RunDraft, topic: string): void {
  draft.pending = draft.pending.map((entry) => (topic === `${entry.hat}.exhausted` ? { ...entry, hat: RALPH } : entry));
}

/** The iteration will be tried again: so far it does not count. */
function uncountLatest(draft: RunDraft): void {
  const turn = draft.ended;
  if (turn?.status === 'failed') draft.finished.delete(turn.iteration);
}

function takeEnd(draft: RunDraft, at: number, { reason, detail, attention }: RunEnd): void {
  if (reason === 'parked') uncountLatest(draft);
  draft.status = 'ended';
  draft.end = { reason, detail, at, ...(attention === undefined ? {} : { attention }) };
  draft.waiting = null;
  if (draft.workingSince !== null) draft.elapsedMs += Math.max(0, at - draft.workingSince);
  draft.workingSince = null;
  for (const { topics, turn } of draft.gateRequests.values()) {
    if (turn === undefined) continue;
    turn.gatesDue = [...topics];
    draft.touched.add(turn);
  }
  if (reason === 'completed') {
    draft.undelivered.push(...draft.pending);
    draft.pending = [];
  }
}

/** Hooks are asked about events of a turn, or about a completion. */
function takeHooksAsked(draft: RunDraft, ask: HooksAsk): void {
  draft.hookRequests.set(ask.request, ask);
}

/** What they did joins what hooks of tools did in the turn; it may have ended before. */
function takeHooksAnswered(draft: RunDraft, { request, answers }: HooksAnswered): void {
  const ask = draft.hookRequests.get(request);
  const turn = ask === undefined ? undefined : findTurnDraft(draft, ask.iteration);
  draft.hookRequests.delete(request);
  if (ask === undefined || turn === undefined) return;
  const tally = createHookTally();
  for (const [index, answer] of answers.entries())
    for (const run of answer.runs) tally.take(toToldHook({ preview: '', ...run, event: ask.event }, ask.drafts[index]?.topic ?? ''));
  turn.hooks = joinHookRecords(turn.hooks, tally.finish());
}
