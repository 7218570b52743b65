import { type FlowEdge, type FlowGraph, findPath, markPath, type PathEnd, toEdgeText, toPathEnd } from '../../topology/index.ts';
import { toPlainLine } from '../../views/index.ts';
import type { CliContext } from '../cli-context.ts';
import { findNearMiss } from '../near-miss.ts';
import { printLine } from '../terminal.ts';
import { createUsageError } from '../usage-error.ts';

/** A path that was asked for by `FROM..TO`. */
export interface AskedPath {
  readonly from: string;
  readonly to: string;
  /** `null`: there is none. */
  readonly path: readonly FlowEdge[] | null;
  /** The names of the nodes that FROM leads to. */
  readonly reached: readonly string[];
  /** The graph with the path marked. */
  readonly graph: FlowGraph;
}

/** Finds the path between two hats or events. Throws a usage error for a name that the graph does not know. */
export function findAskedPath(graph: FlowGraph, text: string): AskedPath {
  const [from = '', to = '', ...rest] = text.split('..');
  if (from === '' || to === '' || rest.length > 0) {
    throw createUsageError(
      `--path ${JSON.stringify(text.slice(0, 80))} cannot be read.`,
      'It is two hats or events with two dots between them: planner..end, build.task..deploy.done',
    );
  }
  const { path, reached } = findPath(graph, toEnd(graph, from), toEnd(graph, to));
  const names = reached.flatMap((id) => graph.nodes.find((node) => node.id === id)?.label ?? []);
  return { from, to, path, reached: names, graph: path === null ? graph : markPath(graph, path) };
}

function toEnd(graph: FlowGraph, word: string): PathEnd {
  const end = toPathEnd(graph, word);
  if (end !== null) return end;
  const known = [...graph.nodes.map((node) => node.label), ...new Set(graph.edges.map((edge) => edge.topic))];
  const near = findNearMiss(word, known);
  const shown = JSON.stringify(word.slice(0, 80));
  throw createUsageError(
    `There is neither a hat nor an event ${shown} in this team${near === undefined ? '.' : `: did you mean ${near}?`}`,
    'ralph hats lists the hats with their events; start and end are known too.',
  );
}

/** Prints a path, a line per hop; where there is none, how far it gets. The result is the exit code. */
export function printPath({ terminal }: CliContext, { from, to, path, reached, graph }: AskedPath): number {
  if (path === null) {
    const known =
      reached.length === 0
        ? 'nothing'
        : `${reached.slice(0, 12).join(', ')}${reached.length > 12 ? `, and ${reached.length - 12} more` : ''}`;
    terminal.err(`No path leads from ${from} to ${to}. What ${from} leads to: ${known}.\n`);
    return 1;
  }
  if (path.length === 0) terminal.err(`${from} and ${to} are the same.\n`);
  const label = (id: string): string => graph.nodes.find((node) => node.id === id)?.label ?? id;
  for (const edge of path) printLine(terminal, toPlainLine(`${label(edge.from)} ── ${toEdgeText(edge, '◈')} ──▶ ${label(edge.to)}`, 400));
  return 0;
}
