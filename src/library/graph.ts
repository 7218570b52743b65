import { drawSvg, drawUnicode } from '../drawing/index.ts';
import { createFlowGraph, drawDot, drawList, drawMermaid, type FlowGraph } from '../topology/index.ts';
import { checkWord } from './check-arguments.ts';
import type { ConfigSource, TeamConfig } from './load-config.ts';
import { requireTopology } from './require-topology.ts';

/** How a graph can be drawn. `unicode` is at most 160 columns wide, and a list where the team is too large for a drawing. */
export type GraphFormat = (typeof FORMATS)[number];

const FORMATS = ['unicode', 'mermaid', 'dot', 'svg'] as const;

const WIDTH = 160;

/**
 * How events flow between the hats: as data, or drawn.
 *
 * @param config a loaded configuration (one with errors is drawn with what is wrong marked), or where to load one from
 * @param format without it: nodes and edges
 * @throws RalphError `config-invalid` where a file is no YAML, `graph-too-large` where a team cannot be drawn as SVG, and as `loadConfig` does
 */
export function graph(config?: TeamConfig | ConfigSource): FlowGraph;
export function graph(config: TeamConfig | ConfigSource, format: GraphFormat): string;
export function graph(config: TeamConfig | ConfigSource = {}, format?: GraphFormat): FlowGraph | string {
  checkWord(format, 'The format of a graph', FORMATS);
  const { topology, diagnostics } = requireTopology(config);
  const model = createFlowGraph(topology, diagnostics);
  switch (format) {
    case undefined:
      return model;
    case 'mermaid':
      return drawMermaid(model);
    case 'dot':
      return drawDot(model);
    case 'svg':
      return drawSvg(model, 'How events flow between the hats');
    case 'unicode':
      return drawUnicode(model, { columns: WIDTH, style: (_, text) => text }) ?? drawList(model);
  }
}
