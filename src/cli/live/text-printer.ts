import { type Effect, type Input, type RunRecord, toResultName } from '../../core/index.ts';
import { type RunReport, type TurnView, toPlainLine, toRowLines, toRunReport } from '../../views/index.ts';
import type { Terminal } from '../terminal.ts';
import { type Countdown, createCountdown } from './countdown.ts';
import { toEffectLines, toRule } from './effect-lines.ts';
import { toHeaderLines } from './header.ts';
import { toGateTail, toGateVerdict, toInputLines } from './input-lines.ts';
import { createLineWriter, type LineWriter } from './line-writer.ts';
import { type Look, MAX_WIDTH } from './look.ts';
import type { RunPrinter } from './run-printer.ts';
import { createTurnStream, type TurnStream } from './turn-stream.ts';

/** What is under way in a printer. */
interface Showing {
  readonly writer: LineWriter;
  readonly look: Look;
  readonly countdown: Countdown;
  gates: readonly string[];
  isSolo: boolean;
  /** How many gates were asked last. */
  running: number;
  stream: TurnStream;
}

/** Shows a run as lines that a newcomer understands. */
export function createTextPrinter(terminal: Terminal, settings: { readonly verbose: boolean; readonly now: () => number }): RunPrinter {
  const writer = createLineWriter(terminal);
  const look: Look = { style: terminal.style, verbose: settings.verbose, columns: terminal.columns, isSolo: () => showing.isSolo };
  const showing: Showing = {
    writer,
    look,
    countdown: createCountdown(writer, settings.now),
    gates: [],
    isSolo: false,
    running: 0,
    stream: createTurnStream(writer, look),
  };
  return {
    showsStops: true,
    wantsFiles: true,
    begin: (opening) => {
      showing.gates = opening.view.gates;
      showing.isSolo = opening.view.coordination === 'solo';
      for (const line of toHeaderLines(opening, look)) writer.line(line);
    },
    show: (record, turn) => showRecord(showing, record, turn),
    end: ({ view, ...facts }) => {
      showing.countdown.stop();
      writer.line('');
      for (const line of toReportLines(toRunReport(view, facts), look)) writer.line(line);
    },
  };
}

/** A report in colours, as wide as the terminal. */
export function toReportLines(
  { headline, isGood, rows }: RunReport,
  { style, columns }: Pick<Look, 'style' | 'columns'>,
): readonly string[] {
  const layout = { width: Math.min(columns(), MAX_WIDTH), styleLabel: (label: string) => style('faint', label) };
  return [style('heading', style(isGood ? 'good' : 'warning', headline)), ...toRowLines(rows, layout)];
}

function showRecord(showing: Showing, record: RunRecord, turn: TurnView | null): void {
  if (record.kind === 'live') return showing.stream.show(record.event);
  if (record.kind === 'gate-output') {
    return showGateOutput(showing, record);
  }
  if (record.kind === 'input') showInput(showing, record.input, turn);
  else showEffect(showing, record.effect, turn);
}

/** While several gates run, each line tells whose it is. */
function showGateOutput(
  { writer, look, running, gates }: Showing,
  { gate, line }: Extract<RunRecord, { readonly kind: 'gate-output' }>,
): void {
  const whose = running > 1 ? `${toPlainLine(gates[gate] ?? `#${gate}`, 24)} ` : '';
  if (look.verbose) writer.line(look.style('faint', `    ${whose}| ${toPlainLine(line, 160)}`));
}

function showInput(showing: Showing, input: Input, turn: TurnView | null): void {
  if (input.type === 'timer-fired' || input.type === 'stop-requested') showing.countdown.stop();
  if (input.type === 'gates-finished') return showGates(showing, input);
  for (const line of toInputLines(input, turn, showing.look)) showing.writer.line(line);
}

function showEffect(showing: Showing, effect: Effect, turn: TurnView | null): void {
  const { writer, look, countdown } = showing;
  if (effect.type === 'iteration-start') {
    countdown.stop();
    showing.stream = createTurnStream(writer, look);
    writer.line('');
    if (turn !== null) writer.line(toRule(turn, look));
    return;
  }
  if (effect.type === 'timer-set' && effect.purpose !== 'runtime') return countdown.start(effect.purpose, effect.dueAt);
  if (effect.type === 'gates-run') {
    showing.running = effect.gates.length;
    return writer.openLine(`gates ${effect.request}`, `  ▸ gate ${toGateNames(showing, effect.gates)} …`);
  }
  for (const line of toEffectLines(effect, look)) writer.line(line);
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
