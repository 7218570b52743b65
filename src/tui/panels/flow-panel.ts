import { toPlainLine } from '../../views/text/plain-text.ts';
import type { HatRow } from '../../wire/hat-row.ts';
import type { RunFrame } from '../../wire/run-frame.ts';
import type { Line } from '../cells/screen.ts';
import type { PanelContent, Room, Scene } from '../scene.ts';
import { fitLines, span, toClockText, wrapCells } from './words.ts';

type Graph = NonNullable<RunFrame['graph']>;
type Edge = Graph['edges'][number];

const NAME_COLUMNS = 14;
/** As wide as `now` and `next`. */
const LABEL = '      ';

/** Who works, who works next, and what went from whom to whom how often. */
export function toFlowPanel({ frame, now }: Scene, { columns, rows }: Room): PanelContent {
  const lines = [...toNowLines(frame, now, columns), ...toNextLines(frame, columns), ...toHatLines(frame)];
  return { title: '', lines: fitLines(lines, rows), chosen: -1 };
}

/** How many rows it would like to have. */
export function wishFlow({ frame, now }: Pick<Scene, 'frame' | 'now'>, columns: number): number {
  return toNowLines(frame, now, columns).length + toNextLines(frame, columns).length + toHatLines(frame).length;
}

function toNowLines(frame: RunFrame, now: number, columns: number): readonly Line[] {
  if (frame.end !== null) return [[span('now   ', 'faint'), span('nobody: it has ended')]];
  const at = frame.isNow ? now : frame.at;
  return [...toWorkingLines(frame, at), ...toProgramLines(frame, at, columns)];
}

function toWorkingLines({ working, runningGates }: RunFrame, at: number): readonly Line[] {
  if (working.length === 0) {
    const gates = runningGates.length === 0 ? 'nobody works' : `gates run: ${runningGates.join(', ')}`;
    return [[span('now   ', 'faint'), span(gates)]];
  }
  return working.map((turn, index) => {
    const { hat, about, backend, startedAt, tool, waitsSince } = turn;
    return [
      span(index === 0 ? 'now   ' : LABEL, 'faint'),
      span(`▸ ${hat}`, 'good'),
      ...(about === '' ? [] : [span(` (${toPlainLine(about, 40)})`, 'faint')]),
      span(` @${backend}${toPlaceText(turn)} ${toClockText(at - startedAt)}`),
      ...(waitsSince === null ? [] : [span(` waits for your answer ${toClockText(at - waitsSince)}`, 'warning')]),
      ...(waitsSince !== null || tool === null
        ? []
        : [span(` ${tool.name} `, 'name'), span(`${tool.summary} ${toClockText(at - tool.since)}`, 'faint')]),
    ];
  });
}

/** At which worker of a fleet it is. */
function toPlaceText({ worker, waitsForWorker }: RunFrame['working'][number]): string {
  if (worker !== null) return ` on ${toPlainLine(worker, 40)}`;
  return waitsForWorker ? ' waits for a worker' : '';
}

/** What workers have beside turns, and what waits for one. */
function toProgramLines({ programs }: RunFrame, at: number, columns: number): readonly Line[] {
  return programs.flatMap(({ text, waits, since }) =>
    wrapCells(`${text} ${toClockText(at - since)}`, columns - LABEL.length).map((part) => [
      span(LABEL),
      span(part.trim(), waits ? 'warning' : 'plain'),
    ]),
  );
}

function toNextLines(frame: RunFrame, columns: number): readonly Line[] {
  const [first = '', second, ...rest] = wrapCells(toPlainLine(frame.next, 300), columns - LABEL.length);
  if (first === '') return [];
  const more = second === undefined ? [] : [[span(LABEL), span(`${second.trim()}${rest.length > 0 ? ' …' : ''}`)]];
  return [[span('next  ', 'faint'), span(first)], ...more];
}

/** Each hat with its turns and what it sent to whom; then what else moved. */
function toHatLines(frame: RunFrame): readonly Line[] {
  const { graph, hats } = frame;
  if (graph === null) return hats.map((hat) => toHatLine(hat, [span('')]));
  const names = new Map(graph.nodes.map(({ id, label }) => [id, label]));
  const leaving = (from: string): readonly Edge[] => graph.edges.filter((edge) => edge.from === from && isShown(edge));
  const known = new Set<string>();
  const lines = hats.flatMap((hat) => {
    const id = `hat:${hat.id}`;
    const from = graph.nodes.some((node) => node.id === id) ? id : hat.id;
    known.add(from);
    const edges = leaving(from);
    if (edges.length === 0) return [toHatLine(hat, [])];
    return edges.map((edge, index) =>
      index === 0 ? toHatLine(hat, toEdgeLine(edge, names)) : [span(' '.repeat(NAME_COLUMNS + 6)), ...toEdgeLine(edge, names)],
    );
  });
  const others = graph.nodes
    .filter(({ id }) => !known.has(id))
    .flatMap(({ id, label }) =>
      leaving(id)
        .filter(({ count = 0 }) => count > 0)
        .map((edge) => [span(`  ${label} `.padEnd(NAME_COLUMNS + 6), 'faint'), ...toEdgeLine(edge, names)]),
    );
  return [...lines, ...others];
}

/** What the loop does by itself is shown once it has happened. */
function isShown({ kind, count = 0 }: Edge): boolean {
  return count > 0 || (kind !== 'system' && kind !== 'seen' && kind !== 'blocked');
}

function toHatLine({ id, turns, isWorking }: HatRow, edge: Line): Line {
  const name = toPlainLine(id, NAME_COLUMNS).padEnd(NAME_COLUMNS);
  return [span(isWorking ? '▸ ' : '  ', 'good'), span(name, isWorking ? 'good' : 'heading'), span(`×${turns} `.padStart(4)), ...edge];
}

function toEdgeLine({ to, topic, count = 0, kind }: Edge, names: ReadonlyMap<string, string>): Line {
  const tone = kind === 'orphan' ? 'bad' : count === 0 ? 'faint' : 'plain';
  const times = count === 0 ? '' : ` ×${count}`;
  return [
    span(`${toPlainLine(topic, 60)}${times}`, tone),
    span(' → ', 'faint'),
    span(kind === 'orphan' ? 'nobody takes it' : (names.get(to) ?? to), tone),
  ];
}
