import { type Canvas, createCanvas, type Line, type Screen, type Size } from './cells/screen.ts';
import { isTooSmall, LEAST, type PanelPlace, type ScreenLayout, toMiddle, toScreenLayout } from './layout.ts';
import { toAttentionPanel, wishAttention } from './panels/attention-panel.ts';
import { toKeyLine, toTimelineLine } from './panels/bottom.ts';
import { toEvidencePanel, wishEvidence } from './panels/evidence-panel.ts';
import { toFlowPanel, wishFlow } from './panels/flow-panel.ts';
import { toHeaderLine } from './panels/header.ts';
import { toKeysPage } from './panels/keys-page.ts';
import { toEventsPanel, toTurnsPanel } from './panels/list-panels.ts';
import { toTurnPanel } from './panels/turn-panel.ts';
import { span } from './panels/words.ts';
import { type PanelContent, type Room, type Scene, toChosenGate } from './scene.ts';
import { PANELS, type PanelNumber } from './view-state.ts';

/** A panel: its name, and what it holds. */
interface Panel {
  readonly name: string;
  readonly make: (scene: Scene, room: Room) => PanelContent;
}

const PANEL: Readonly<Record<PanelNumber, Panel>> = {
  1: { name: 'Attention', make: toAttentionPanel },
  2: { name: 'Flow', make: toFlowPanel },
  3: { name: 'Turns', make: toTurnsPanel },
  4: { name: 'Events', make: toEventsPanel },
  5: { name: 'Turn', make: toTurnPanel },
  6: { name: 'Evidence', make: toEvidencePanel },
};

/** The layout of a scene on a screen of this size. */
export function layOutScene(scene: Pick<Scene, 'frame' | 'state' | 'now' | 'clock' | 'whyNot'>, size: Size): ScreenLayout {
  const left = toMiddle(size.columns);
  return toScreenLayout(size, scene.state, {
    attention: wishAttention(scene, left - 1),
    flow: wishFlow(scene, left - 1),
    evidence: wishEvidence(scene, size.columns - left - 2),
  });
}

/** The screen of a scene. Pure: the same scene, size and layout give the same cells. */
export function toScreen(scene: Scene, layout: ScreenLayout): Screen {
  const canvas = createCanvas(layout);
  canvas.write(0, 0, toHeaderLine(scene, layout.columns));
  if (scene.state.page === 'run' && isTooSmall(layout)) return drawNeeds(canvas, scene, layout);
  if (scene.state.page !== 'run') drawPage(canvas, scene, layout);
  else {
    for (const place of layout.panels) drawPanel(canvas, scene, place, layout);
    drawMiddle(canvas, layout);
    canvas.write(layout.timelineRow, 0, toTimelineLine(scene, layout.columns));
  }
  canvas.write(layout.keyRow, 0, toKeyLine(scene));
  return canvas.toScreen();
}

/** A screen without room for panels: what the run needs, and that more is shown on a larger one. */
function drawNeeds(canvas: Canvas, scene: Scene, { columns, rows, keyRow }: ScreenLayout): Screen {
  // The state is in the first row: each row counts.
  const [, ...lines] = toAttentionPanel(scene, { columns, rows: Math.max(2, rows - 1) }).lines;
  for (const [index, line] of lines.slice(0, Math.max(0, rows - 2)).entries()) canvas.write(1 + index, 0, line);
  const { asking, typing, message } = scene.state;
  const isQuiet = asking === null && typing === null && message.text === '';
  canvas.write(keyRow, 0, isQuiet ? [span(`too small: ${LEAST.columns} x ${LEAST.rows}`, 'faint')] : toKeyLine(scene));
  return canvas.toScreen();
}

function drawPanel(canvas: Canvas, scene: Scene, { panel, row, column, columns, rows }: PanelPlace, layout: ScreenLayout): void {
  const room = { columns: columns - 1, rows };
  const { title, lines, chosen } = PANEL[panel].make(scene, room);
  drawRule(canvas, { row, column, columns }, toTitle(scene, panel, title, layout));
  for (const [index, line] of lines.slice(0, Math.max(0, rows)).entries()) {
    canvas.write(row + 1 + index, column, line, room.columns);
    if (index === chosen) canvas.tint(row + 1 + index, column, room.columns, scene.state.panel === panel ? 'chosen' : 'heading');
  }
}

/** `─3 Turns 1 to 5 of 7── 4 Events──`: the number is the key that goes there, and who has the keys is marked. */
function toTitle({ state }: Scene, panel: PanelNumber, title: string, { panels }: ScreenLayout): Line {
  const isHere = state.panel === panel;
  const name = [
    span(isHere ? `▸${panel} ` : ` ${panel} `, 'name'),
    span(PANEL[panel].name, isHere ? 'chosen' : 'heading'),
    span(title === '' ? ' ' : ` ${title} `),
  ];
  const other = panel === PANELS.turns ? PANELS.events : panel === PANELS.events ? PANELS.turns : null;
  if (other !== null && panels.length > 1 && panels.every((place) => place.panel !== other))
    return [...name, span('─ ', 'faint'), span(`${other} `, 'name'), span(`${PANEL[other].name} `, 'faint')];
  if (panels.length > 1) return name;
  const others = Object.values(PANELS).filter((number) => number !== panel);
  return [...name, span('─ ', 'faint'), ...others.map((number) => span(`${number} ${PANEL[number].name} `, 'faint'))];
}

interface RulePlace {
  readonly row: number;
  readonly column: number;
  readonly columns: number;
}

function drawRule(canvas: Canvas, { row, column, columns }: RulePlace, title: Line): void {
  canvas.write(row, column, [span('─'.repeat(columns), 'faint')], columns);
  canvas.write(row, column + 1, title, Math.max(0, columns - 2));
}

function drawMiddle(canvas: Canvas, { middle, panels, timelineRow }: ScreenLayout): void {
  if (middle === null) return;
  const starts = (row: number, isRight: boolean): boolean => panels.some((place) => place.row === row && place.column > middle === isRight);
  for (let row = 1; row < timelineRow; row += 1) {
    const [left, right] = [starts(row, false), starts(row, true)];
    const char = left && right ? (row === 1 ? '┬' : '┼') : left ? '┤' : right ? '├' : '│';
    canvas.write(row, middle, [span(char, 'faint')], 1);
  }
}

/** A page that has the whole screen: the keys, or what a gate said. */
function drawPage(canvas: Canvas, scene: Scene, { columns, rows }: ScreenLayout): void {
  const isKeys = scene.state.page === 'keys';
  const gate = toChosenGate(scene);
  const title = isKeys ? 'Keys' : `Output of gate ${gate?.name ?? ''} ${scene.gateText.note}`;
  drawRule(canvas, { row: 1, column: 0, columns }, [span(` ${title} `, 'heading'), span('─ any other key goes back ', 'faint')]);
  const lines = isKeys ? toKeysPage().slice(scene.state.scroll) : scene.gateText.lines;
  for (const [index, line] of lines.slice(0, Math.max(0, rows - 3)).entries()) canvas.write(2 + index, 0, line);
}
