import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeGate, makeHat, makeSpec } from '../../src/core/spec-fixtures.ts';
import { drawSvg } from '../../src/drawing/index.ts';
import { createFlowGraph, type FlowGraph } from '../../src/topology/graph/index.ts';
import { compileTopology } from '../../src/topology/routing/index.ts';
import { checkConfig } from '../../src/validation/index.ts';

const PRESETS = fileURLToPath(new URL('../../presets/', import.meta.url));

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** What is to be seen in a picture, read from its text. */
interface Picture {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly Box[];
  readonly plates: readonly Box[];
  /** Points along each line, close together. */
  readonly lines: readonly (readonly Point[])[];
}

function readPicture(svg: string): Picture {
  const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  const margin = Number(/translate\((\d+) /.exec(svg)?.[1]);
  const rects = [...svg.matchAll(/<rect class="(box|plate)[^"]*" x="([-\d.]+)" y="([-\d.]+)" width="([\d.]+)" height="([\d.]+)"/g)];
  const toBox = ([, , x, y, w, h]: readonly string[]): Box => {
    const [left, top] = [Number(x) + margin, Number(y) + margin];
    return { left, top, right: left + Number(w), bottom: top + Number(h) };
  };
  const lines = [...svg.matchAll(/<path class="line[^"]*" d="([^"]+)"/g)].map((match) =>
    tracePath(match[1] as string).map(({ x, y }) => ({ x: x + margin, y: y + margin })),
  );
  return {
    width: Number(width),
    height: Number(height),
    nodes: rects.filter((rect) => rect[1] === 'box').map(toBox),
    plates: rects.filter((rect) => rect[1] === 'plate').map(toBox),
    lines,
  };
}

/** Points along a path of M, L and C. */
function tracePath(path: string): readonly Point[] {
  const points: Point[] = [];
  for (const [, letter, text] of path.matchAll(/([MLC])([^MLC]+)/g)) {
    const numbers = (text as string)
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    const from = points.at(-1) ?? { x: numbers[0] as number, y: numbers[1] as number };
    const [a, b, to] =
      letter === 'C' ? [toPoint(numbers, 0), toPoint(numbers, 2), toPoint(numbers, 4)] : [from, toPoint(numbers, 0), toPoint(numbers, 0)];
    for (let step = 1; step <= 40; step += 1)
      points.push(letter === 'C' ? onCurve([from, a, b, to], step / 40) : onLine(from, to, step / 40));
  }
  return points;
}

function toPoint(numbers: readonly number[], at: number): Point {
  return { x: numbers[at] as number, y: numbers[at + 1] as number };
}

function onLine(from: Point, to: Point, t: number): Point {
  return { x: from.x + (to.x - from.x) * t, y: from.y + (to.y - from.y) * t };
}

function onCurve([p, a, b, q]: readonly [Point, Point, Point, Point], t: number): Point {
  const at = (one: number, two: number, three: number, four: number): number =>
    one * (1 - t) ** 3 + 3 * two * t * (1 - t) ** 2 + 3 * three * t ** 2 * (1 - t) + four * t ** 3;
  return { x: at(p.x, a.x, b.x, q.x), y: at(p.y, a.y, b.y, q.y) };
}

/** Everything that would hide text or lead astray. */
function findFlaws({ width, height, nodes, plates, lines }: Picture): readonly string[] {
  const flaws: string[] = [];
  const boxes = [...nodes, ...plates];
  for (const [index, box] of boxes.entries()) {
    if (box.left < 0 || box.top < 0 || box.right > width || box.bottom > height) flaws.push(`box ${index} is outside`);
    for (const [at, other] of boxes.entries()) {
      if (at > index && box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom) {
        flaws.push(`box ${index} overlaps box ${at}`);
      }
    }
  }
  for (const [index, line] of lines.entries()) {
    for (const { x, y } of line) if (x < 0 || y < 0 || x > width || y > height) flaws.push(`line ${index} is outside`);
    for (const [at, box] of boxes.entries()) {
      // A line ends at the side of its nodes, and runs under the plate of its own label.
      const isOwn = at === nodes.length + index;
      const isInside = ({ x, y }: Point): boolean => x > box.left + 1 && x < box.right - 1 && y > box.top + 1 && y < box.bottom - 1;
      if (!isOwn && line.some(isInside)) flaws.push(`line ${index} runs through box ${at}`);
    }
  }
  return flaws;
}

function graphOfPreset(name: string): FlowGraph {
  const { topology, diagnostics } = checkConfig({ cwd: PRESETS, configFiles: [name], env: {}, prompt: 'optional' });
  if (topology === null) throw new Error(`${name} cannot be read`);
  return createFlowGraph(topology, diagnostics);
}

describe('pictures of the presets', () => {
  const names = readdirSync(PRESETS).filter((name) => name.endsWith('.yml'));

  test.each(names)('%s hides no text and leads no line through a box', (name) => {
    const graph = graphOfPreset(name);
    const picture = readPicture(drawSvg(graph, name));
    expect(findFlaws(picture)).toEqual([]);
    expect(picture.nodes).toHaveLength(graph.nodes.length);
    expect(picture.plates).toHaveLength(picture.lines.length);
  });
});

const topics = fc.constantFrom(
  'a.x',
  'a.y',
  'b.x',
  'b.y',
  'c.z',
  'c.long.topic.of.many.words',
  'a.*',
  '*.x',
  '*',
  'task.start',
  'task.complete',
  '日本.語',
);
const hat = fc.record({
  triggers: fc.array(topics, { maxLength: 5 }),
  publishes: fc.array(topics, { maxLength: 5 }),
  name: fc.string({ maxLength: 60 }),
});
const teams = fc.record({
  hats: fc.array(hat, { maxLength: 10 }),
  coordinator: fc.constantFrom('auto' as const, 'ralph' as const, 'hats' as const),
  gates: fc.array(topics, { maxLength: 2 }),
  terminalEvents: fc.array(topics, { maxLength: 2 }),
});

test('pictures of 200 random teams, sound or not, hide no text and lead no line through a box', () => {
  fc.assert(
    fc.property(teams, ({ hats, gates, ...rest }) => {
      const list = hats.map(({ triggers, publishes, name }, index) => makeHat(`hat-${index}`, triggers, publishes, { name }));
      const graph = createFlowGraph(compileTopology(makeSpec({ ...rest, hats: list, gates: [makeGate(gates)] })));
      expect(findFlaws(readPicture(drawSvg(graph, 'team')))).toEqual([]);
    }),
    { numRuns: 200 },
  );
}, 120_000);
