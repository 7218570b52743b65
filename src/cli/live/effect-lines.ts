import {
  type DeliveryKind,
  type Effect,
  type EventPublish,
  type EventReject,
  EXTERNAL,
  type Handlers,
  handle,
  isJsonObject,
  type Notice,
  SYSTEM,
  TOPIC_CONTINUE,
  TOPIC_START,
  toPayloadText,
  toSenderText,
} from '../../core/index.ts';
import { type TurnView, toHatAndBackend, toPlainLine, toRefusalText } from '../../views/index.ts';
import { type Look, MAX_WIDTH } from './look.ts';

/** Notices that say what another line says already. */
const SAID_ELSEWHERE = new Set(['scope-violation', 'payload-refused', 'gate-failed', 'undelivered-events']);

/** What a person reads of an effect; nothing for those that show by what they do. */
export function toEffectLines(effect: Effect, look: Look): readonly string[] {
  return handle(HANDLERS, effect, look);
}

const nothing = (): readonly string[] => [];

const HANDLERS: Handlers<Effect, [look: Look], readonly string[]> = {
  // The rule above a turn, and the line of running gates, are kept open for what follows (`text-printer.ts`).
  'iteration-start': nothing,
  'iteration-stop': nothing,
  'gates-run': nothing,
  'timer-set': nothing,
  'checkpoint-make': nothing,
  'inbox-append': nothing,
  'run-end': nothing,
  'event-publish': (look, effect) => toEventLines(effect, look),
  'event-reject': toRefusalLines,
  notice: toNoticeLines,
};

function toRefusalLines(look: Look, effect: EventReject): readonly string[] {
  // A notice says who goes first.
  if (effect.why === 'held') return [];
  const allowed = effect.why === 'scope' ? `; allowed: ${effect.allowed.join(', ') || 'nothing'}` : '';
  return [look.style('warning', `  ✗ refused: ${toRefusalText(effect)}${allowed}`)];
}

function toNoticeLines(look: Look, { code, level, text }: Notice): readonly string[] {
  if (SAID_ELSEWHERE.has(code)) return [];
  const isWarning = level === 'warning';
  return [look.style(isWarning ? 'warning' : 'faint', `  ${isWarning ? '!' : '·'} ${toPlainLine(text, 400)}`)];
}

/** The loop's own beginning and going on is no news. */
function isNews({ event, how }: EventPublish): boolean {
  if (how === 'record') return false;
  return event.source !== SYSTEM || (event.topic !== TOPIC_START && event.topic !== TOPIC_CONTINUE);
}

const REMARKS: Readonly<Record<DeliveryKind, string>> = {
  target: '',
  trigger: '',
  fallback: ' (the queue was empty)',
  'safety-net': ' (no hat takes it)',
  terminal: '',
  undelivered: ' (not delivered: the run completes first)',
  record: ' (for the record)',
};

function toEventLines(effect: EventPublish, look: Look): readonly string[] {
  if (!look.verbose && !isNews(effect)) return [];
  const { event, to, how } = effect;
  const whom = look.isSolo() || to.length === 0 ? '' : ` to ${to.join(' and ')}${REMARKS[how]}`;
  const remark = to.length === 0 ? REMARKS[how] : '';
  const origin = event.source === EXTERNAL ? ` (from outside${event.sender === undefined ? '' : `: ${toSenderText(event.sender)}`})` : '';
  const room = Math.min(look.columns(), MAX_WIDTH) - event.topic.length - whom.length - 8;
  const payload = room < 20 || isSaidElsewhere(event) ? '' : toPlainLine(toPayloadText(event.payload), room);
  const detail = look.verbose ? [look.style('faint', `    ${event.id} from ${event.source}, ${how}`)] : [];
  return [
    `  → ${look.style('heading', event.topic)}${whom}${remark}${origin}${payload === '' ? '' : look.style('faint', `: ${payload}`)}`,
    ...detail,
  ];
}

/** The loop's own events carry what was shown already; so do those that a gate held back. */
function isSaidElsewhere({ source, payload }: EventPublish['event']): boolean {
  return source === SYSTEM || (isJsonObject(payload) && 'blocked_by' in payload);
}

/** `── 3 · builder (claude) ────`, as wide as the terminal. */
export function toRule(turn: TurnView, look: Look): string {
  const attempt = turn.attempt === 1 ? '' : `, attempt ${turn.attempt}`;
  const title = ` ${turn.iteration} · ${toHatAndBackend(turn)}${attempt} `;
  const width = Math.min(look.columns(), MAX_WIDTH);
  return look.style('heading', `──${title}${'─'.repeat(Math.max(2, width - title.length - 2))}`);
}
