import { describe, expect, it } from 'vitest';
import { makeGate, makeHat, makeSpec } from '../core/spec-fixtures.ts';
import { createFlowGraph } from '../topology/graph/create-flow-graph.ts';
import { findPath, markPath } from '../topology/graph/find-path.ts';
import type { FlowGraph } from '../topology/graph/flow-graph.ts';
import { compileTopology } from '../topology/routing/compile-topology.ts';
import { drawSvg } from './draw-svg.ts';

function graphOf(parts: Parameters<typeof makeSpec>[0]): FlowGraph {
  return createFlowGraph(compileTopology(makeSpec(parts)));
}

const TEAM = graphOf({
  hats: [
    makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.task'], { name: 'R&D <b>"lead"</b>' }),
    makeHat('builder', ['build.task', 'build.again'], ['build.done', 'build.again', 'lost.event']),
  ],
  gates: [makeGate(['build.done'])],
});

describe('a picture of a team', () => {
  const svg = drawSvg(TEAM, 'A <team>');

  it('stands alone: no script, nothing that is loaded, light and dark', () => {
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(svg).not.toMatch(/<script|<image|<foreignObject|href|url\(|@import|@font-face/);
    expect(svg).toContain('prefers-color-scheme:dark');
  });

  it('escapes what the user wrote', () => {
    expect(svg).toContain('<title>A &lt;team&gt;</title>');
    expect(svg).toContain('R&amp;D &lt;b&gt;&quot;lead&quot;&lt;/b&gt;');
    const hostile = drawSvg(graphOf({ hats: [makeHat('a\u0000\u001b[31m\uD800', ['task.start'])] }), '');
    expect(['\u0000', '\u001b', '\uD800'].filter((char) => hostile.includes(char))).toEqual([]);
  });

  it('writes every topic once, those to oneself into the box', () => {
    for (const topic of ['task.start', 'task.resume', 'build.task', 'build.done', 'lost.event', 'LOOP_COMPLETE']) {
      expect(svg.split(`>${topic}</text>`).length).toBe(2);
    }
    expect(svg).toContain('>↻ build.again</text>');
  });

  it('marks gates, what the loop does by itself, and what is wrong', () => {
    expect(svg.match(/class="shield"/g)).toHaveLength(1);
    expect(svg).toContain('class="line faint"');
    expect(svg).toContain('class="line wrong"');
    expect(svg).toContain('class="box nobody"');
  });

  it('marks a path', () => {
    const { path } = findPath(TEAM, { kind: 'node', id: 'start' }, { kind: 'node', id: 'hat:builder' });
    const marked = drawSvg(markPath(TEAM, path ?? []), '');
    expect(marked.match(/class="line path"/g)).toHaveLength(2);
    expect(marked.match(/class="box \w+ onpath"/g)).toHaveLength(3);
  });

  it('turns a wide team on its side', () => {
    const areas = Array.from({ length: 12 }, (_, index) => index);
    const wide = graphOf({
      hats: [
        makeHat(
          'lead',
          ['task.start', 'task.resume', '*.done'],
          areas.map((area) => `area${area}.task`),
        ),
        ...areas.map((area) => makeHat(`area-${area}`, [`area${area}.task`], [`area${area}.done`])),
      ],
    });
    const [, width, height] = /width="([\d.]+)" height="([\d.]+)"/.exec(drawSvg(wide, '')) ?? [];
    expect(Number(height)).toBeGreaterThan(Number(width));
    expect(Number(width)).toBeLessThan(1200);
  });

  it('is the same each time', () => {
    expect(drawSvg(TEAM, 'A <team>')).toBe(svg);
  });

  it('is refused for a team that nobody could see on it', () => {
    const many = Array.from({ length: 401 }, (_, index) => makeHat(`hat-${index}`, [`t${index}.do`], ['task.complete']));
    expect(() => drawSvg(graphOf({ hats: many }), '')).toThrow(/nodes and \d+ edges are too many for a picture/);
  });
});
