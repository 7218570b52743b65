import {
  type Effect,
  type EventPublish,
  type EventReject,
  EXTERNAL,
  type Handlers,
  handle,
  type IterationStart,
  ignore,
  isJsonObject,
  type Json,
  type Notice,
  QUALITY_GATE,
  RALPH,
  type RunEnd,
  SYSTEM,
  type TimerSet,
  toPayloadText,
  UNKNOWN_USAGE,
} from '../core/index.ts';
import { toPlainLine } from './plain-line.ts';
import { findTurn, type RunDraft } from './run-draft.ts';
import { type BlockedEvent, MAX_NOTICES } from './run-view.ts';

const EXCERPT_LENGTH = 160;

/** What an effect changes in the view. */
export function takeEffect(draft: RunDraft, at: number, effect: Effect): void {
  handle(HANDLERS, effect, draft, at);
}

const HANDLERS: Handlers<Effect, [draft: RunDraft, at: number]> = {
  'iteration-start': takeTurnStart,
  'iteration-stop': ignore,
  'gates-run': (draft, _at, { request, topics, isBaseline }) => {
    draft.gateRequests.set(request, { topics, turn: draft.turns.at(-1), isBaseline: isBaseline === true });
  },
  'timer-set': takeTimer,
  'checkpoint-make': ignore,
  'inbox-append': ignore,
  'run-end': takeEnd,
  'event-publish': takeEvent,
  'event-reject': takeRefusal,
  notice: takeNotice,
};

function takeTimer(draft: RunDraft, _at: number, { timer, purpose, dueAt }: TimerSet): void {
  if (purpose === 'runtime') return;
  draft.waiting = { timer, purpose, dueAt };
  if (purpose === 'limit') draft.status = 'parked';
  if (purpose !== 'cooldown') uncountLatest(draft);
}

function takeRefusal(draft: RunDraft, _at: number, { id, iteration, hat, topic, why, allowed, detail }: EventReject): void {
  draft.totals.refused += why === 'withdrawn' ? 0 : 1;
  findTurn(draft, iteration)?.refused.push({ id, hat, topic, why, allowed, ...(detail === undefined ? {} : { detail }) });
}

function takeNotice(draft: RunDraft, at: number, { code, level, text }: Notice): void {
  // Told while it happens; afterwards the turns themselves say who had them, and what is wrong must not drown in it.
  if (code === 'hat-switched') return;
  draft.notices.push({ at, level, code, text });
  if (draft.notices.length > MAX_NOTICES) draft.notices.shift();
}

function takeTurnStart(draft: RunDraft, at: number, effect: IterationStart): void {
  const { iteration, attempt, hat, fallback } = effect;
  const given = effect.events.map(({ id, topic, source, sender }) => ({ id, topic, source, ...(sender !== undefined && { sender }) }));
  if (attempt > 1) draft.finished.delete(iteration);
  draft.waiting = null;
  draft.status = 'running';
  draft.pending = draft.pending.filter(
    (entry) => !given.some((event) => event.id === entry.id && (entry.hat === hat || !isHat(draft, entry.hat))),
  );
  if (effect.isAgain === true) draft.turns.pop();
  draft.turns.push({
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
    command: [],
    fallback,
    given,
    published: [],
    blocked: [],
    refused: [],
    gates: [],
    treeChanged: null,
    leftovers: 0,
    violations: null,
    denials: [],
    denied: 0,
  });
}

/** False for a hat that a changed configuration has no more: what waited for it goes to another one. */
function isHat(draft: RunDraft, hat: string | null): boolean {
  return hat === RALPH || draft.hats.some((entry) => entry.id === hat);
}

function takeEvent(draft: RunDraft, _at: number, { event, to, how }: EventPublish): void {
  const { id, topic, source, iteration } = event;
  if (source === EXTERNAL) draft.totals.external += 1;
  if (how === 'undelivered') draft.undelivered.push({ id, topic, hat: null });
  else if (how === 'record') passExhausted(draft, topic);
  else draft.totals.routed += 1;
  draft.pending.push(...to.map((hat) => ({ id, topic, hat })));
  const turn = findTurn(draft, iteration);
  if (turn !== undefined && source === QUALITY_GATE) turn.blocked.push({ id, topic, to, ...toBlocked(event.payload) });
  if (turn === undefined || (source !== turn.hat && source !== SYSTEM)) return;
  turn.published.push({ id, topic, source, to, how, excerpt: toPlainLine(toPayloadText(event.payload), EXCERPT_LENGTH) });
}

function toBlocked(payload: Json): Pick<BlockedEvent, 'original' | 'gates'> {
  const { original, gates } = isJsonObject(payload) ? payload : {};
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
  const turn = draft.turns.at(-1);
  if (turn?.status === 'failed') draft.finished.delete(turn.iteration);
}

function takeEnd(draft: RunDraft, at: number, { reason, detail, attention }: RunEnd): void {
  if (reason === 'parked') uncountLatest(draft);
  draft.status = 'ended';
  draft.end = { reason, detail, at, ...(attention === undefined ? {} : { attention }) };
  draft.waiting = null;
  if (draft.workingSince !== null) draft.elapsedMs += Math.max(0, at - draft.workingSince);
  draft.workingSince = null;
  if (reason === 'completed') draft.undelivered.push(...draft.pending.splice(0));
}
