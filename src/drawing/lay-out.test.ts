import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../core/property-fixtures.ts';
import type { ArrowSize, BoxSize } from './lay-out.ts';
import { type LaidOutGraph, layOut, type Rect } from './lay-out.ts';

const size = { width: fc.integer({ min: 10, max: 200 }), height: fc.integer({ min: 10, max: 80 }) };
const graphs = fc.integer({ min: 1, max: 9 }).chain((count) =>
  fc.record({
    boxes: fc.tuple(...Array.from({ length: count }, (_, index) => fc.record({ id: fc.constant(`n${index}`), ...size }))),
    arrows: fc
      .array(fc.record({ from: fc.nat(count - 1), to: fc.nat(count - 1), ...size }), { maxLength: 20 })
      .map((list) =>
        list.filter(({ from, to }) => from !== to).map((one): ArrowSize => ({ ...one, from: `n${one.from}`, to: `n${one.to}` })),
      ),
  }),
);

function layOutSample({ boxes, arrows }: { readonly boxes: readonly BoxSize[]; readonly arrows: readonly ArrowSize[] }): LaidOutGraph {
  return layOut({ boxes, arrows, gaps: { nodeGap: 20, lineGap: 10 }, portGap: 8, toRankGap: () => 30 });
}

function isApart(a: Rect, b: Rect): boolean {
  const slack = 0.01;
  return a.x + a.width <= b.x + slack || b.x + b.width <= a.x + slack || a.y + a.height <= b.y + slack || b.y + b.height <= a.y + slack;
}

describe('the layout of any graph', () => {
  it('keeps nodes and labels apart from each other, and within its bounds', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { width, height, nodes, arrows } = layOutSample(graph);
        const rects: readonly Rect[] = [...nodes.values(), ...arrows.map((arrow) => arrow.label)];
        for (const [index, rect] of rects.entries()) {
          for (const other of rects.slice(index + 1)) expect(isApart(rect, other)).toBe(true);
          expect(rect.x).toBeGreaterThanOrEqual(-0.01);
          expect(rect.x + rect.width).toBeLessThanOrEqual(width + 0.01);
          expect(rect.y + rect.height).toBeLessThanOrEqual(height + 0.01);
        }
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  it('begins and ends each arrow at a side of its nodes, each at a place of its own, and leads it through its label', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { nodes, arrows } = layOutSample(graph);
        const ports = new Set<string>();
        for (const [index, { stations, label, isUpward }] of arrows.entries()) {
          const { from, to } = graph.arrows[index] as ArrowSize;
          const [source, target] = [nodes.get(from) as Rect, nodes.get(to) as Rect];
          const [first, last] = [stations[0], stations.at(-1)];
          expect(isUpward ? first?.bottom : first?.top).toBeCloseTo(isUpward ? source.y : source.y + source.height);
          expect(isUpward ? last?.top : last?.bottom).toBeCloseTo(isUpward ? target.y + target.height : target.y);
          for (const [x, rect] of [
            [first?.x ?? 0, source],
            [last?.x ?? 0, target],
          ] as const)
            expect(x > rect.x && x < rect.x + rect.width).toBe(true);
          ports.add(`${from} ${isUpward} ${first?.x.toFixed(2)}`).add(`${to} ${!isUpward} ${last?.x.toFixed(2)}`);
          expect(stations.some((station) => Math.abs(station.x - (label.x + label.width / 2)) < 0.01)).toBe(true);
        }
        expect(ports.size).toBe(arrows.length * 2);
      }),
      { numRuns: propertyRuns(50) },
    );
  });
});
