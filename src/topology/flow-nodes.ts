import { type Finding, RALPH } from '../core/index.ts';
import { type FlowEdge, type FlowMark, type FlowNode, type FlowNodeKind, toHatNodeId } from './flow-graph.ts';
import { mayEnd } from './queries.ts';
import type { Topology } from './topology.ts';

const DETAILS: Readonly<Record<Exclude<FlowNodeKind, 'hat'>, string>> = {
  start: '',
  loop: 'publishes by itself',
  ralph: 'coordinator',
  end: 'the run is completed',
  handoff: 'terminal events',
  nobody: 'no hat takes it',
  external: 'people and other programs',
};
const LABELS: Readonly<Partial<Record<FlowNodeKind, string>>> = { loop: 'the loop', handoff: 'hand-off', external: 'outside' };

/** The nodes of a graph: every hat in the order of the file, and of the others those that have edges. */
export function createFlowNodes(topology: Topology, edges: readonly FlowEdge[], findings: readonly Finding[]): readonly FlowNode[] {
  const used = new Set(edges.flatMap((edge) => [edge.from, edge.to]));
  const codes = listCodes(findings);
  const only = (kind: Exclude<FlowNodeKind, 'hat'>): readonly FlowNode[] => {
    if (!used.has(kind)) return [];
    return [{ ...createPlainNode(kind), marks: kind === RALPH ? toRalphMarks(topology) : [] }];
  };
  const hats = topology.hats.map((hat): FlowNode => {
    const found = codes.get(hat.id) ?? [];
    const detail = toPlain(hat.name) === toPlain(hat.id) ? '' : hat.name;
    const marks = toMarks(topology, hat.id, found);
    return { id: toHatNodeId(hat.id), kind: 'hat', label: hat.id, detail, marks, findings: found };
  });
  return [...only('start'), ...only('loop'), ...only('ralph'), ...hats, ...only('handoff'), ...only('nobody'), ...only('end')];
}

/** `Code Reviewer` says no more than `code-reviewer`. */
function toPlain(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();
}

/** A node that stands for no hat. */
export function createPlainNode(kind: Exclude<FlowNodeKind, 'hat'>): FlowNode {
  return { id: kind, kind, label: LABELS[kind] ?? kind, detail: DETAILS[kind], marks: [], findings: [] };
}

function toMarks(topology: Topology, hat: string, found: readonly string[]): readonly FlowMark[] {
  const marks: FlowMark[] = [];
  if (topology.entry === hat) marks.push('entry');
  if (topology.coordination === 'hats' && topology.recoveryHat === hat) marks.push('recovery');
  if (mayEnd(topology, hat)) marks.push('may-end');
  if (found.includes('hat-unreachable')) marks.push('unreachable');
  return marks;
}

function toRalphMarks(topology: Topology): readonly FlowMark[] {
  const marks: FlowMark[] = topology.entry === RALPH ? ['entry'] : [];
  if (mayEnd(topology, RALPH)) marks.push('may-end');
  return marks;
}

/** The codes of errors and warnings by the hat that they name first: that is the one they are about. */
function listCodes(findings: readonly Finding[]): ReadonlyMap<string, readonly string[]> {
  const codes = new Map<string, string[]>();
  for (const { code, severity, hats } of findings) {
    const [hat] = hats ?? [];
    if (hat === undefined || (severity !== 'error' && severity !== 'warning')) continue;
    const known = codes.get(hat) ?? [];
    if (!known.includes(code)) codes.set(hat, [...known, code]);
  }
  return codes;
}
