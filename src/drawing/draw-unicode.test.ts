import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../core/property-fixtures.ts';
import { makeGate, makeHat, makeSpec } from '../core/spec-fixtures.ts';
import { toTextCells } from '../core/text/text-cells.ts';
import { createFlowGraph } from '../topology/graph/create-flow-graph.ts';
import type { FlowGraph } from '../topology/graph/flow-graph.ts';
import { compileTopology } from '../topology/routing/compile-topology.ts';
import { drawUnicode } from './draw-unicode.ts';

/** `UPDATE_GOLDEN=1 npx vitest run src/drawing` writes the files anew; read the difference before you keep it. */
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';
const FOLDER = new URL('./golden/', import.meta.url);

const plain = (_tone: string, text: string): string => text;

function graphOf(parts: Parameters<typeof makeSpec>[0]): FlowGraph {
  return createFlowGraph(compileTopology(makeSpec(parts)));
}

const PLANNER = makeHat('planner', ['task.start', 'task.resume', 'review.*', '*.blocked'], ['build.task', 'review.asked'], {
  name: 'Plans',
});
const BUILDER = makeHat('builder', ['build.task', 'build.again'], ['build.done', 'build.again'], { defaultPublishes: ['build.done'] });
const REVIEWER = makeHat('reviewer', ['build.done', 'review.asked'], ['review.approved', 'review.rejected', 'lost.event']);
const REVIEW_TEAM = { hats: [PLANNER, BUILDER, REVIEWER], gates: [makeGate(['build.done'])] };

const TEAMS = {
  'hats.txt': REVIEW_TEAM,
  'ralph.txt': {
    hats: [BUILDER, makeHat('reviewer', ['build.done'], ['review.approved', 'deploy.done'])],
    terminalEvents: ['deploy.done'],
  },
  'solo.txt': {},
};

describe('drawings in the terminal, as people can read them in golden/', () => {
  it.each(Object.keys(TEAMS) as (keyof typeof TEAMS)[])('%s', (name) => {
    const file = new URL(name, FOLDER);
    const text = drawUnicode(graphOf(TEAMS[name]), { columns: 100, style: plain }) ?? '';
    if (UPDATE) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, text);
    }
    expect(text).toBe(readFileSync(file, 'utf8'));
  });

  it('gives way where the terminal is too narrow', () => {
    expect(drawUnicode(graphOf(REVIEW_TEAM), { columns: 50, style: plain })).toBeNull();
  });

  it('gives colours to names, marks and what is wrong', () => {
    const tones = new Map<string, string>();
    drawUnicode(graphOf(REVIEW_TEAM), {
      columns: 100,
      style: (tone, text) => {
        for (const word of text.split('│')) tones.set(word.trim(), tone);
        return text;
      },
    });
    expect([tones.get('planner'), tones.get('entry · recovery · may end'), tones.get('nobody'), tones.get('lost.event')]).toEqual([
      'heading',
      'good',
      'bad',
      'bad',
    ]);
  });
});

const topics = fc.constantFrom('a.x', 'a.y', 'b.x', 'c.long.topic.of.many.words', 'a.*', '*.x', 'task.complete', '日本.語', 'error.*');
const teams = fc.array(fc.record({ triggers: fc.array(topics, { maxLength: 4 }), publishes: fc.array(topics, { maxLength: 4 }) }), {
  maxLength: 7,
});

describe('drawings of any team in the terminal', () => {
  it('show every hat and every topic whole, and keep to the width', () => {
    fc.assert(
      fc.property(teams, fc.boolean(), (team, isHats) => {
        const hats = team.map((hat, index) => makeHat(`hat-${index}`, hat.triggers, hat.publishes));
        const graph = graphOf({ hats, coordinator: isHats ? 'hats' : 'ralph' });
        const text = drawUnicode(graph, { columns: 2000, style: plain }) ?? '';
        for (const node of graph.nodes) expect(text).toContain(` ${node.label} `);
        for (const edge of graph.edges) expect(text).toContain(edge.topic);
        const width = Math.max(...text.split('\n').map(toTextCells));
        expect(drawUnicode(graph, { columns: width, style: plain })).toBe(text);
      }),
      { numRuns: propertyRuns(25) },
    );
  });
});
