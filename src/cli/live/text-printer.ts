import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { toResultName } from '../../core/gates/gate-result.ts';
import { describeHook, isNotable } from '../../core/hooks/hook-record.ts';
import type { IterationStart } from '../../core/run/effects.ts';
import type { Input } from '../../core/run/inputs.ts';
import type { RunRecord } from '../../core/run/run-record.ts';
import { toTurnLabel, toTurnName } from '../../core/run/turn.ts';
import { toDurationText } from '../../core/text/duration.ts';
import { type Handlers, handle, ignore } from '../../core/values/handlers.ts';
import { createLiveFold, type RunProgress, toLiveLine } from '../../views/fold/fold-live-view.ts';
import type { TurnView } from '../../views/fold/run-view.ts';
import { toRunReport } from '../../views/report/run-report.ts';
import { createTextCleaner, toPlainLine } from '../../views/text/plain-text.ts';
import type { CliContext } from '../cli-context.ts';
import { toReportLines } from '../runs/print-report.ts';
import { createLineWriter, type LineWriter } from '../terminal/line-writer.ts';
import { toLocalClock } from '../terminal/local-time.ts';
import { MAX_WIDTH } from '../terminal/terminal.ts';
import { createLaneWriter } from './lane-writer.ts';
import { type Look, toEffectLines, toFleetLine, toGateTail, toGateVerdict, toHeaderLines, toInputLines, toRule } from './run-lines.ts';
import type { RunPrinter } from './run-printer.ts';

/** What is under way in a printer. */
interface Showing {
  readonly writer: LineWriter;
  readonly look: Look;
  gates: readonly string[];
  isSolo: boolean;
  /** How many gates were asked last. */
  running: number;
  readonly warned: Set<string>;
  stream: TurnStream;
  /** Of turns that run at the same time, by their names. */
  readonly lanes: Map<string, Lane>;
  /** The lane whose end was shown last, and the number of that record: what follows from it is of that lane. */
  ended: { readonly seq: number; readonly lane: Lane } | null;
}

/** How often the status line is drawn: a clock of seconds that skips none. */
const DRAW_MS = 500;
/** How often a reader without a status line is told that the run is alive, and what it does. */
const HEARTBEAT_MS = 60_000;

/**
 * Shows a run as lines that a newcomer understands. On a terminal a status line says what goes on; elsewhere each line begins with the time of day, and a
 * line comes once a minute.
 */
export function createTextPrinter(
  context: Pick<CliContext, 'terminal' | 'now' | 'every'>,
  settings: { readonly verbose: boolean },
): RunPrinter {
  const { terminal, now, every } = context;
  const writer = createLineWriter(terminal, terminal.isTty ? {} : { stamp: () => `${toLocalClock(now())} ` });
  const look: Look = { style: terminal.style, verbose: settings.verbose, columns: terminal.columns, isSolo: () => showing.isSolo };
  const warned = new Set<string>();
  const stream = createTurnStream(writer, look, warned);
  const showing: Showing = { writer, look, gates: [], isSolo: false, running: 0, warned, stream, lanes: new Map(), ended: null };
  const live = createLiveFold(now);
  let stopTelling = (): void => undefined;
  const tell = (progress: () => RunProgress): void => {
    const toText = (width: number): string => look.style('faint', `  … ${toLiveLine(live.view(), progress(), now(), width - 5)}`);
    if (terminal.canMove) stopTelling = every(DRAW_MS, () => writer.status(toText(terminal.columns())));
    else stopTelling = every(HEARTBEAT_MS, () => writer.line(toText(MAX_HEARTBEAT)));
  };
  return {
    showsStops: true,
    wantsFacts: true,
    begin: (opening) => {
      showing.gates = opening.view.gates;
      showing.isSolo = opening.view.coordination === 'solo';
      for (const line of toHeaderLines(opening, look)) writer.line(line);
      tell(opening.progress);
    },
    show: (record, turn) => {
      live.take(record);
      showRecord(showing, record, turn, now());
    },
    end: ({ view, ...facts }) => {
      stopTelling();
      writer.status(null);
      writer.gap();
      for (const line of toReportLines(toRunReport(view, facts), look)) writer.line(line);
    },
  };
}

const MAX_HEARTBEAT = 240;
function showRecord(showing: Showing, record: RunRecord, turn: TurnView | null, now: number): void {
  if (record.kind === 'live') return (showing.lanes.get(toTurnName(record))?.stream ?? showing.stream).show(record.event);
  if (record.kind === 'gate-output') {
    return showGateOutput(showing, record);
  }
  if (record.kind === 'fleet') return showing.writer.line(toFleetLine(record, showing.look, now));
  // What waits for long is a notice of the run, and what was taken then.
  if (record.kind === 'program') return;
  if (record.kind === 'input') showInput(showing, record, turn);
  else showEffect(showing, record, turn);
}

/** While several gates run, each line tells whose it is. */
function showGateOutput(
  { writer, look, running, gates }: Showing,
  { gate, line }: Extract<RunRecord, { readonly kind: 'gate-output' }>,
): void {
  const whose = running > 1 ? `${toPlainLine(gates[gate] ?? `#${gate}`, 24)} ` : '';
  if (look.verbose) writer.line(look.style('faint', `    ${whose}| ${toPlainLine(line, 160)}`));
}

function showInput(showing: Showing, { input, seq }: Extract<RunRecord, { readonly kind: 'input' }>, turn: TurnView | null): void {
  if (input.type === 'gates-finished') return showGates(showing, input);
  const lane = 'attempt' in input ? showing.lanes.get(toTurnName(input)) : undefined;
  const writer = lane?.writer ?? showing.writer;
  for (const line of toInputLines(input, turn, showing.look, seq)) writer.line(line);
  if (lane === undefined || input.type !== 'iteration-ended') return;
  showing.lanes.delete(toTurnName(input));
  showing.ended = { seq, lane };
}

function showEffect(showing: Showing, { effect, seq }: Extract<RunRecord, { readonly kind: 'effect' }>, turn: TurnView | null): void {
  const { writer, look } = showing;
  if (effect.type === 'iteration-start') {
    if (effect.isAgain === true) return;
    if (effect.copy === undefined) showing.stream = createTurnStream(writer, look, showing.warned);
    else showing.lanes.set(toTurnName(effect), createLane(showing, toLaneName(effect)));
    writer.gap();
    if (turn !== null) writer.line(toRule(turn, look));
    return;
  }
  if (effect.type === 'gates-run') {
    showing.running = effect.gates.length;
    const when = effect.isBaseline === true ? 'before the first turn: gate' : 'gate';
    return writer.openLine(`gates ${effect.request}`, `  ▸ ${when} ${toGateNames(showing, effect.gates)} …`);
  }
  const whose = showing.ended?.seq === seq ? showing.ended.lane.writer : writer;
  for (const line of toEffectLines(effect, look)) whose.line(line);
}

/** What is shown of one of several turns that run at the same time. */
interface Lane {
  readonly writer: LineWriter;
  readonly stream: TurnStream;
}

/** Of several turns of a hat each says which one it is. */
function toLaneName({ hat, place, ...turn }: IterationStart): string {
  return place === undefined ? toPlainLine(hat, 24) : `${toPlainLine(hat, 24)} ${toTurnLabel(turn)}`;
}

function createLane({ writer, look, warned }: Showing, name: string): Lane {
  const own = createLaneWriter(writer, name, look.style);
  return { writer: own, stream: createTurnStream(own, look, warned) };
}

function toGateNames({ gates }: Showing, indexes: readonly number[]): string {
  return indexes.map((index) => toPlainLine(gates[index] ?? `#${index}`, 60)).join(', ');
}

function showGates({ writer, look }: Showing, { request, results }: Extract<Input, { readonly type: 'gates-finished' }>): void {
  const [only] = results;
  const isShown = results.length === 1 && only !== undefined && writer.closeLine(`gates ${request}`, ` ${toGateVerdict(only, look)}`);
  for (const result of results) {
    if (!isShown) writer.line(`  ▸ gate ${toPlainLine(toResultName(result), 60)} … ${toGateVerdict(result, look)}`);
    for (const line of toGateTail(result, look)) writer.line(line);
  }
}

interface TurnStream {
  readonly show: (event: BackendEvent) => void;
}

/** More tools than this at the same time are shown without their names at the end. */
const MAX_OPEN_TOOLS = 256;

/** So many different warnings of a run are known again. */
const MAX_KNOWN_WARNINGS = 100;

/**
 * A stream for one turn. What agents say is cleaned before it gets to the terminal.
 *
 * @param warned the warnings that the run has shown: agents repeat some in every turn
 */
function createTurnStream(writer: LineWriter, look: Look, warned: Set<string>): TurnStream {
  const cleaner = createTextCleaner();
  const tools = new Map<string, string>();
  const note = (text: string): void => writer.line(look.style('faint', `  ${text}`));

  const warn = (text: string): void => {
    if (warned.has(text)) return;
    if (warned.size < MAX_KNOWN_WARNINGS) warned.add(text);
    writer.line(look.style('warning', `  ! ${text}`));
  };
  const startTool = (id: string, name: string, summary: string): void => {
    const width = Math.min(look.columns(), MAX_WIDTH) - 12;
    const text = `  ⚙ ${look.style('name', toPlainLine(name, 40))} ${toPlainLine(summary, Math.max(20, width - name.length))}`.trimEnd();
    if (tools.size < MAX_OPEN_TOOLS) tools.set(id, text);
    writer.openLine(`tool ${id}`, `${text} …`);
  };
  const endTool = (id: string, name: string, ok: boolean | null, summary: string): void => {
    const text = tools.get(id) ?? `  ⚙ ${look.style('name', toPlainLine(name, 40))}`;
    tools.delete(id);
    const said = toPlainLine(summary, 80);
    const verdict =
      ok === null ? 'ended' : ok ? look.style('good', 'ok') : `${look.style('bad', 'failed')}${said === '' ? '' : `: ${said}`}`;
    if (!writer.closeLine(`tool ${id}`, ` ${verdict}`)) writer.line(`${text} … ${verdict}`);
  };

  const handlers: Handlers<BackendEvent, []> = {
    started: ignore,
    session: ({ sessionId, model }) => {
      if (look.verbose) note(`session ${toPlainLine(sessionId, 80)}${model === null ? '' : `, model ${toPlainLine(model, 60)}`}`);
    },
    text: ({ text }) => writer.text(cleaner.take(text)),
    'message-end': () => {
      // A message ends before its tools do: their line stays open for the verdict.
      if (tools.size === 0) writer.finish();
    },
    thinking: ignore,
    alive: ignore,
    'tool-start': ({ id, name, summary }) => startTool(id, name, summary),
    'tool-end': ({ id, name, ok, summary }) => endTool(id, name, ok, summary),
    'tool-denied': ignore,
    // A failure is a warning of its own.
    'hook-ran': ({ hook }) => {
      if (isNotable(hook) && (hook.error === null || hook.decision !== 'allow')) note(`hook ${toPlainLine(describeHook(hook), 200)}`);
    },
    injected: ignore,
    usage: ignore,
    retry: ({ message, delayMs }) => {
      note(`the agent tries again${delayMs === null ? '' : ` in ${toDurationText(delayMs)}`}: ${toPlainLine(message, 200)}`);
    },
    warning: ({ message }) => warn(toPlainLine(message, 300)),
  };

  return { show: (event) => handle(handlers, event) };
}
