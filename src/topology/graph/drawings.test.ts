import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeGate, makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { compileTopology } from '../routing/compile-topology.ts';
import { createFlowGraph } from './create-flow-graph.ts';
import { drawDot } from './draw-dot.ts';
import { drawList } from './draw-list.ts';
import { drawMermaid } from './draw-mermaid.ts';
import { findPath, markPath } from './find-path.ts';
import type { FlowGraph } from './flow-graph.ts';

/** `UPDATE_GOLDEN=1 npx vitest run src/topology/drawings` writes the files anew; read the difference before you keep it. */
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';
const FOLDER = new URL('../graph/golden/', import.meta.url);

const DRAWINGS = { 'team.mmd': drawMermaid, 'team.dot': drawDot, 'team.list.txt': drawList };

/** Something of everything: a default, a gate, a pattern, a loop to itself, an orphan, a hat that nothing leads to, a path. */
function sampleGraph(): FlowGraph {
  const hats = [
    makeHat('planner', ['task.start', 'task.resume', 'review.*', '*.blocked'], ['build.task'], { name: 'Planner' }),
    makeHat('builder', ['build.task', 'build.again'], ['build.done', 'build.again', 'notes.*'], {
      name: 'Builder of "things"',
      defaultPublishes: ['build.done'],
    }),
    makeHat('reviewer', ['build.done', 'error.*'], ['review.approved', 'review.rejected', 'deploy.done']),
    makeHat('auditor', ['audit.asked'], []),
  ];
  const spec = makeSpec({ hats, gates: [makeGate(['build.done'])], terminalEvents: ['deploy.done'] });
  const facts = { message: '', why: '', fix: '' };
  const graph = createFlowGraph(compileTopology(spec), [{ ...facts, code: 'hat-unreachable', severity: 'error', hats: ['auditor'] }]);
  const { path } = findPath(graph, { kind: 'node', id: 'start' }, { kind: 'node', id: 'hat:reviewer' });
  return markPath(graph, path ?? []);
}

describe('drawings of a sample team, as people can read them in golden/', () => {
  it.each(Object.keys(DRAWINGS) as (keyof typeof DRAWINGS)[])('%s', (name) => {
    const file = new URL(name, FOLDER);
    const text = DRAWINGS[name](sampleGraph());
    if (UPDATE) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, text);
    }
    expect(text).toBe(readFileSync(file, 'utf8'));
  });
});

/** Names as hostile as they come. */
const names = fc.oneof(
  fc.constantFrom('a"b', 'a]b', 'a;b', 'end', 'graph', '<b>&amp;</b>', '%%{init}%%', 'x\ny', '\u001b[31m', '\\', '-->', '```', '"'),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const hats = fc.array(
  fc.record({ id: names, name: names, triggers: fc.array(names, { maxLength: 3 }), publishes: fc.array(names, { maxLength: 3 }) }),
  {
    maxLength: 6,
  },
);

function graphOf(team: typeof hats extends fc.Arbitrary<infer T> ? T : never): FlowGraph {
  const list = team.map((hat) => makeHat(hat.id, hat.triggers, hat.publishes, { name: hat.name }));
  return createFlowGraph(compileTopology(makeSpec({ hats: list })));
}

describe('drawings of any team', () => {
  it('are made whatever hats and topics are called, and hold no control characters', () => {
    fc.assert(
      fc.property(hats, (team) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
        for (const draw of Object.values(DRAWINGS)) expect(draw(graphOf(team))).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
      }),
    );
  });

  it('keep what the user named inside of the quotes of Mermaid', () => {
    fc.assert(
      fc.property(hats, (team) => {
        for (const line of drawMermaid(graphOf(team)).split('\n')) {
          const bare = line.replace(/"[^"]*"/g, '""');
          expect(bare).toMatch(
            /^$|^flowchart TD$|^ {2}(n\d+(\(\(""\)\)|\(\[""\]\)|\[""\]|\{\{""\}\}|\(\(\(""\)\)\)|\[\/""\/\]|>""\])|n\d+ (-->|-\.->|==>)\|""\| n\d+|classDef .*|class .*|linkStyle .*)$/,
          );
        }
      }),
    );
  });

  it('keep what the user named inside of the quotes of Graphviz', () => {
    fc.assert(
      fc.property(hats, (team) => {
        for (const line of drawDot(graphOf(team)).trimEnd().split('\n').slice(4, -1)) {
          const bare = line.replace(/"(?:[^"\\]|\\.)*"/g, '""');
          expect(bare).toMatch(/^ {2}""( -> "")? \[[a-z]+=(""|[a-z0-9]+)(, [a-z]+=(""|[a-z0-9]+))*\];$/);
        }
      }),
    );
  });
});
