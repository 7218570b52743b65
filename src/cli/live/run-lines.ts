import { toSenderText } from '../../core/events/event.ts';
import { EXTERNAL, RALPH, SYSTEM, TOPIC_CONTINUE, TOPIC_START } from '../../core/events/reserved.ts';
import type { DeliveryKind, Effect, EventPublish, EventReject, Notice, QuestionClose, QuestionOpen } from '../../core/run/effects.ts';
import type { CheckpointFinished, GatesFinished, HooksAnswered, Input, IterationSpawned, StopRequested } from '../../core/run/inputs.ts';
import type { LiveRecord } from '../../core/run/run-record.ts';
import { toDurationText, toUsdText } from '../../core/text/duration.ts';
import { pickTellingLines } from '../../core/text/telling-lines.ts';
import { type Handlers, handle } from '../../core/values/handlers.ts';
import { isJsonObject, toPayloadText } from '../../core/values/json.ts';
import type { RunView, TurnView } from '../../views/fold/run-view.ts';
import { toGateEndText, toRefusalText } from '../../views/report/evidence.ts';
import { toHatAndBackend } from '../../views/report/running-report.ts';
import { findConflict, toAboutText, toConflictCause, toOutcomeText, toWorkerText } from '../../views/report/turn-line.ts';
import { type FactRow, toRowLines } from '../../views/text/fact-rows.ts';
import {
  cleanText,
  cutText,
  toCount,
  toFirstLine,
  toIterationsText,
  toList,
  toNumberText,
  toPlainLine,
} from '../../views/text/plain-text.ts';
import { MAX_WIDTH, type Style } from '../terminal/terminal.ts';
import { toPanelLines } from './panel-lines.ts';
import type { RunOpening } from './run-printer.ts';

export interface Look {
  readonly style: Style;
  /** Show routing, commands and the sizes of prompts too. */
  readonly verbose: boolean;
  readonly columns: () => number;
  /** One agent does everything: to whom an event goes says nothing. */
  readonly isSolo: () => boolean;
}

/** What a run and its plan say where no gate is configured. */
export const NO_GATE = 'none: no gate checks the work; name the command that proves it under gates in ralph.yml';

/** The first lines of a run: what was asked, who works on it, what stops it. */
export function toHeaderLines(opening: RunOpening, look: Look): readonly string[] {
  const { runId, workspace, runFolder, reach, fleet, view } = opening;
  const isApart = !runFolder.startsWith(`${workspace}/`);
  const rows: readonly FactRow[] = [
    { label: 'Asked', text: toFirstLine(view.objective, 160) },
    { label: 'Team', text: toTeamText(view) },
    { label: 'Agents', text: toAgentsText(view) },
    ...(view.gates.length === 0
      ? [{ label: 'Evidence', text: NO_GATE }]
      : [
          {
            label: 'Gates',
            text: toList(
              view.gates.map((gate, index) => toGateText(gate, view.gateSources[index]?.from ?? null)),
              4,
            ),
          },
        ]),
    ...(isApart ? [{ label: 'Folder', text: workspace }] : []),
    ...(fleet === null
      ? []
      : [{ label: 'Fleet', text: `${toPlainLine(fleet, 200)}: its workers take the turns; \`ralph fleet\` lists them` }]),
    ...(reach === '' ? [] : [{ label: 'Reach', text: reach }]),
    { label: 'Limits', text: toLimitsText(view) },
    ...toStopRows(opening, isApart),
  ];
  const layout = { width: Math.min(look.columns(), MAX_WIDTH), styleLabel: (label: string) => look.style('faint', label) };
  const goesOn = view.resumes > 0 ? ` goes on after ${toIterationsText(view.totals)}` : '';
  return [look.style('heading', `Ralph ${runId}${goesOn}`), ...toRowLines(rows, layout)];
}

/** What stops it; of one that has ended nothing does. */
function toStopRows({ runId, isNewest, isElsewhere, view }: RunOpening, isApart: boolean): readonly FactRow[] {
  const which = isNewest && !isApart ? '' : ` ${runId}`;
  if (isElsewhere !== true) return [{ label: 'Stop', text: `Ctrl+C; go on later with \`ralph resume${which}\`` }];
  return view.end === null ? [{ label: 'Stop', text: `\`ralph stop${which}\`; Ctrl+C here ends the watching alone` }] : [];
}

/** `npm test (found in package.json)` */
function toGateText(gate: string, from: string | null): string {
  return `${toPlainLine(gate, 60)}${from === null ? '' : ` (found in ${toPlainLine(from, 60)}; --no-gates leaves it out)`}`;
}

export function toTeamText({ coordination, hats }: Pick<RunView, 'coordination' | 'hats'>): string {
  if (coordination === 'solo') return 'solo: one agent does everything';
  const names = hats.map((hat) => hat.id).filter((id) => id !== RALPH);
  return `${toList(names, 12)} (${coordination === 'ralph' ? 'Ralph coordinates' : 'they coordinate themselves'})`;
}

function toAgentsText({ hats }: RunView): string {
  return toList(
    [...new Set(hats.flatMap((hat) => (hat.agents === undefined ? hat.backends.slice(0, 1) : hat.backends)))].map((label) =>
      toPlainLine(label, 60),
    ),
    6,
  );
}

/** The limits in words: `100 iterations, 4 h 00 min, $5.00`. */
export function toLimitsText({ limits }: Pick<RunView, 'limits'>): string {
  if (limits === null) return 'unknown';
  const cost = limits.maxCostUsd === null ? 'no limit of cost' : toUsdText(limits.maxCostUsd);
  return `${toCount(limits.maxIterations, 'iteration')}, ${toDurationText(limits.maxRuntimeMs)}, ${cost}`;
}

/** `── 3 · builder (claude) ────`, as wide as the terminal. */
export function toRule(turn: TurnView, look: Look): string {
  const attempt = turn.attempt === 1 ? '' : `, attempt ${turn.attempt}`;
  const width = Math.min(look.columns(), MAX_WIDTH);
  const about = toAboutText(turn);
  const plain = ` ${turn.iteration} · ${toHatAndBackend(turn)}${attempt}`;
  const title = `${about === '' ? plain : cutText(`${plain} · ${about}`, Math.max(plain.length, width - 5))} `;
  return look.style('heading', `──${title}${'─'.repeat(Math.max(2, width - title.length - 2))}`);
}

/** Notices that say what another line says already. */
const SAID_ELSEWHERE = new Set(['scope-violation', 'payload-refused', 'gate-failed', 'undelivered-events', 'work-conflict']);

/** What a person reads of an effect; nothing for those that show by what they do. */
export function toEffectLines(effect: Effect, look: Look): readonly string[] {
  return handle(EFFECT_LINES, effect, look);
}

const noLines = (): readonly string[] => [];

const EFFECT_LINES: Handlers<Effect, [look: Look], readonly string[]> = {
  // The rule above a turn, and the line of running gates, are kept open for what follows (`text-printer.ts`).
  'iteration-start': noLines,
  'iteration-stop': noLines,
  'gates-run': noLines,
  'timer-set': noLines,
  'checkpoint-make': noLines,
  'inbox-append': noLines,
  'hooks-ask': noLines,
  'tell-offer': noLines,
  'question-open': toQuestionLines,
  'question-close': toClosedLines,
  // Shows by the move that it follows from.
  'panel-ordered': noLines,
  'run-end': noLines,
  'event-publish': (look, effect) => toEventLines(effect, look),
  'event-reject': toRefusalLines,
  notice: toNoticeLines,
};

/** What people are asked, and how they answer. */
function toQuestionLines(look: Look, { question: { id, hat, text, choices, default: fallback } }: QuestionOpen): readonly string[] {
  return [
    `  ${look.style('warning', '?')} ${id} of ${hat}: ${toPlainLine(text, 400)}`,
    look.style(
      'faint',
      `    answer: ralph answer ${id} ${choices.map((choice) => toPlainLine(choice, 40)).join('|')} (${toPlainLine(fallback, 40)} when nobody does)`,
    ),
  ];
}

const CLOSED: Readonly<Record<QuestionClose['by'], string>> = {
  person: '',
  deadline: ', as nobody answered in time',
  withdrawn: ', as the turn is over',
};

function toClosedLines(look: Look, { id, choice, by }: QuestionClose): readonly string[] {
  return [look.style('faint', `  · ${id}: ${toPlainLine(choice, 80)}${CLOSED[by]}`)];
}

function toRefusalLines(look: Look, effect: EventReject): readonly string[] {
  // A notice says who goes first.
  if (effect.why === 'held' || (effect.why === 'conflict' && !look.verbose)) return [];
  const allowed = effect.why === 'scope' ? `; allowed: ${effect.allowed.join(', ') || 'nothing'}` : '';
  return [look.style('warning', `  ✗ refused: ${toRefusalText(effect)}${allowed}`)];
}

function toNoticeLines(look: Look, { code, level, text }: Notice): readonly string[] {
  if (SAID_ELSEWHERE.has(code)) return [];
  const isWarning = level === 'warning';
  return [look.style(isWarning ? 'warning' : 'faint', `  ${isWarning ? '!' : '·'} ${toPlainLine(text, 400)}`)];
}

/** Whether the fleet answers. */
export function toFleetLine(
  { isAway, since, why }: Omit<LiveRecord & { readonly kind: 'fleet' }, 'kind'>,
  look: Look,
  now: number,
): string {
  const took = toDurationText(Math.max(0, now - since));
  if (!isAway) return look.style('faint', `  · the fleet answers again, after ${took}`);
  if (why !== undefined)
    return look.style('warning', `  ! the fleet cannot be asked (${toPlainLine(why, 200)}): the run waits for it, for a minute or two`);
  return look.style('warning', `  ! the fleet has not answered for ${took}: the run waits for it, for a minute or two`);
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

/**
 * What a person reads of an input.
 *
 * @param turn the turn that started last, as it stands after the input
 * @param seq of the input
 */
export function toInputLines(input: Input, turn: TurnView | null, look: Look, seq: number): readonly string[] {
  return handle(INPUT_LINES, input, look, turn, seq);
}

const INPUT_LINES: Handlers<Input, [look: Look, turn: TurnView | null, seq: number], readonly string[]> = {
  'run-started': noLines,
  'run-resumed': noLines,
  'iteration-spawned': (look, _turn, _seq, input) => toSpawnLines(input, look),
  'usage-reported': noLines,
  'iteration-ended': (look, turn) => (turn === null ? [] : toTurnEndLines(turn, look)),
  'events-received': noLines,
  told: (look, _turn, _seq, { sender, to, text }) => [
    `  → ${look.style('heading', 'told')}${to === null ? '' : ` to ${to}`} (${toSenderText(sender)})${look.style('faint', `: ${toPlainLine(text, 200)}`)}`,
  ],
  'tell-given': (look, turn, _seq, { call }) => [
    look.style('faint', `  · ${turn?.hat ?? 'the agent'} was told, after ${toCount(call, 'call')} of tools`),
  ],
  asked: noLines,
  answered: noLines,
  'hooks-answered': (look, _turn, _seq, { answers }) => toHookLines(answers, look),
  'panel-moved': (look, turn, seq) => toPanelLines(turn?.panel ?? null, seq, look),
  // Closes a line that is open (`text-printer.ts`).
  'gates-finished': noLines,
  'timer-fired': noLines,
  'checkpoint-finished': (look, _turn, _seq, input) => toCheckpointLines(input, look),
  'stop-requested': (look, _turn, _seq, input) => [look.style('warning', `  ${toStopText(input)}`)],
  'environment-failed': (look, _turn, _seq, { message }) => [look.style('bad', `  ✗ ${toPlainLine(message, 300)}`)],
};

/** Hooks that workers ran: who waited for them reads that they have answered, and where. */
function toHookLines(answers: HooksAnswered['answers'], look: Look): readonly string[] {
  return answers.flatMap((answer) => answer.runs).flatMap((run) => toHookLine(run, look) ?? []);
}

/** One that ran here is told of where it failed: what it allows by that, it has not looked at. */
function toHookLine({ name, decision, error, ms, worker }: HooksAnswered['answers'][number]['runs'][number], look: Look): string | null {
  const hook = `hook ${toPlainLine(name, 60)}${worker === undefined ? '' : toWorkerText(worker)}`;
  if (error !== null) return look.style('warning', `  ! ${hook} failed (${toPlainLine(error, 200)}): ${decision}`);
  return worker === undefined ? null : look.style('faint', `  · ${hook}: ${decision}, after ${toDurationText(ms)}`);
}

function toSpawnLines(input: IterationSpawned, look: Look): readonly string[] {
  const command = toPlainLine(input.argv.join(' '), 300);
  const texts = [
    ...(input.worker === undefined ? [] : [`  at work${toWorkerText(input.worker)}`]),
    ...(look.verbose ? [`  prompt of about ${toNumberText(input.promptTokens)} tokens; ${command}`] : []),
  ];
  return texts.map((text) => look.style('faint', text));
}

function toTurnEndLines(turn: TurnView, look: Look): readonly string[] {
  const tools =
    turn.toolCalls === null || turn.toolCalls === 0 ? '' : `, ${turn.toolCalls} tool ${turn.toolCalls === 1 ? 'call' : 'calls'}`;
  const left = turn.leftovers === 0 ? '' : `, ended ${turn.leftovers} ${turn.leftovers === 1 ? 'process' : 'processes'} that it left`;
  const text = `${toOutcomeText(turn)}${tools}${left}`;
  if (turn.status === 'succeeded') return [look.style('faint', `  ✓ ${text}`)];
  const again = turn.conflict?.isGivenAgain === true ? toAgainLines(turn, turn.conflict, look) : [];
  if (findConflict(turn)?.isGivenAgain === true) return again;
  return [look.style(turn.status === 'failed' ? 'bad' : 'warning', `  ✗ ${text}`), ...again];
}

/** Others changed the same files: that is no failure of the turn. */
function toAgainLines({ hat }: TurnView, conflict: NonNullable<TurnView['conflict']>, look: Look): readonly string[] {
  return [look.style('warning', `  ↻ ${hat} gets its turn again: ${toConflictCause(conflict)}`)];
}

function toCheckpointLines({ iteration, commit, note }: CheckpointFinished, look: Look): readonly string[] {
  if (commit !== null) return [`  ${look.style('good', '✓')} checkpoint ${commit.slice(0, 10)} (after iteration ${iteration})`];
  return note === '' || !look.verbose ? [] : [look.style('faint', `  · no checkpoint: ${toPlainLine(note, 200)}`)];
}

/** As who presses the keys is named in a wish to stop. */
export const CTRL_C = 'Ctrl+C';

/** What happens now that somebody wants the run to stop. */
export function toStopText({ how, by }: Pick<StopRequested, 'how' | 'by'>): string {
  const who = toPlainLine(by, 40);
  if (how === 'kill') return `${who}: agents at work are killed at once.`;
  if (how === 'after-iteration') return `${who}: the run ends after this turn.`;
  const more = by === CTRL_C ? ' Ctrl+C again kills them at once.' : '';
  return `${who}: stopping; agents at work have 10 seconds to clean up.${more}`;
}

/** Lines of a failed gate's output that are shown. */
const TAIL_LINES = 8;

/** The verdict of one gate: `passed (exit 0, 1.2 s)`. */
export function toGateVerdict(result: GatesFinished['results'][number], look: Look): string {
  const facts = `(${toGateEndText(result)})`;
  if (result.skipped === true) return `${look.style('faint', 'skipped')} ${facts}`;
  return `${result.passed ? look.style('good', 'passed') : look.style('bad', 'failed')} ${facts}`;
}

/** What a failed gate's output says about why; nothing for one that passed. */
export function toGateTail(result: GatesFinished['results'][number], look: Look): readonly string[] {
  if (result.passed) return [];
  return pickTellingLines(cleanText(result.outputTail), TAIL_LINES).map((line) => look.style('faint', `    | ${line.slice(0, 160)}`));
}
