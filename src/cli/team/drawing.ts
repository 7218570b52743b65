import { type Stats, statSync } from 'node:fs';
import { extname } from 'node:path';
import { toSafeJson } from '../../core/text/mask-controls.ts';
import { tryOr } from '../../core/values/result.ts';
import { drawDot } from '../../topology/graph/draw-dot.ts';
import { drawList } from '../../topology/graph/draw-list.ts';
import { drawMermaid } from '../../topology/graph/draw-mermaid.ts';
import type { FlowGraph } from '../../topology/graph/flow-graph.ts';
import { writeOutput } from '../terminal/output-file.ts';
import type { Style } from '../terminal/terminal.ts';

export interface DrawingFile {
  readonly cwd: string;
  /** As it was typed; relative to `cwd`. */
  readonly file: string;
  /** Absolute paths of files that are not to be touched, whatever their names. */
  readonly filesRead: ReadonlySet<string>;
}

/**
 * Writes a drawing. A file that is there is written over only if its ending is one of a drawing and the configuration was not read from it.
 *
 * @throws RalphError as {@link writeOutput}
 */
export function writeDrawing({ cwd, file, filesRead }: DrawingFile, text: string): void {
  const findObstacle = (path: string, there: Stats): string | null => {
    if ([...filesRead].some((read) => isSameFile(read, there))) return 'belongs to the configuration';
    return toGraphFormat(undefined, path) === null ? 'is there already, and its ending is none of a drawing' : null;
  };
  writeOutput({ cwd, file, findObstacle, example: 'team.svg' }, text);
}

function isSameFile(path: string, { dev, ino }: Stats): boolean {
  return tryOr(() => {
    const stats = statSync(path);
    return stats.dev === dev && stats.ino === ino;
  }, false);
}

interface GraphLook {
  readonly columns: number;
  readonly style: Style;
}

interface RenderedGraph {
  /** Ends with a new line. */
  readonly text: string;
  /** True if it was to be drawn in characters, and is listed because it would be too wide. */
  readonly isListed: boolean;
}

/** A graph in one of the formats. Throws RalphError `graph-too-large` where it cannot be drawn as a picture. */
export async function renderGraph(graph: FlowGraph, format: GraphOutputFormat, look: GraphLook): Promise<RenderedGraph> {
  const text = await renderAs(graph, format, look);
  return { text: text ?? drawList(graph), isListed: text === null };
}

/** `null` where a drawing in characters would be too wide. */
async function renderAs(graph: FlowGraph, format: GraphOutputFormat, look: GraphLook): Promise<string | null> {
  switch (format) {
    case 'mermaid':
      return drawMermaid(graph);
    case 'dot':
      return drawDot(graph);
    case 'json':
      return `${toSafeJson({ v: 1, ...graph }, 2)}\n`;
    case 'svg': {
      const { drawSvg } = await import('../../drawing/index.ts');
      return drawSvg(graph, 'How events flow between the hats');
    }
    case 'unicode': {
      const { drawUnicode } = await import('../../drawing/index.ts');
      return drawUnicode(graph, look);
    }
  }
}

export type GraphOutputFormat = 'unicode' | 'mermaid' | 'dot' | 'svg' | 'json';

export const GRAPH_FORMATS: readonly GraphOutputFormat[] = ['unicode', 'mermaid', 'dot', 'svg', 'json'];

const BY_ENDING: Readonly<Record<string, GraphOutputFormat>> = {
  '.svg': 'svg',
  '.mmd': 'mermaid',
  '.mermaid': 'mermaid',
  '.dot': 'dot',
  '.gv': 'dot',
  '.json': 'json',
  '.txt': 'unicode',
};

/** The format that was asked for, else what the name of the file to write stands for; `null` where nothing says. */
export function toGraphFormat(asked: unknown, output: string | undefined): GraphOutputFormat | null {
  const format = GRAPH_FORMATS.find((candidate) => candidate === asked);
  return format ?? (output === undefined ? null : (BY_ENDING[extname(output).toLowerCase()] ?? null));
}
