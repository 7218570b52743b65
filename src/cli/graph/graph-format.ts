import { extname } from 'node:path';

/** How a graph is shown. */
export type GraphFormat = 'unicode' | 'mermaid' | 'dot' | 'svg' | 'json';

export const GRAPH_FORMATS: readonly GraphFormat[] = ['unicode', 'mermaid', 'dot', 'svg', 'json'];

const BY_ENDING: Readonly<Record<string, GraphFormat>> = {
  '.svg': 'svg',
  '.mmd': 'mermaid',
  '.mermaid': 'mermaid',
  '.dot': 'dot',
  '.gv': 'dot',
  '.json': 'json',
  '.txt': 'unicode',
};

/** The format that was asked for, else what the name of the file to write stands for; `null` where nothing says. */
export function toGraphFormat(asked: unknown, output: string | undefined): GraphFormat | null {
  const format = GRAPH_FORMATS.find((candidate) => candidate === asked);
  return format ?? (output === undefined ? null : (BY_ENDING[extname(output).toLowerCase()] ?? null));
}
