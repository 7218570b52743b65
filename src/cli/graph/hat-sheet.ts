import type { Finding, HatSpec } from '../../core/index.ts';
import { type FlowGraph, type FlowMark, type Topology, toHatNodeId } from '../../topology/index.ts';

/** A hat as `ralph hats` lists it; with `--format json` one line each. Of its backends the first is used, the others when it is limited. */
export interface HatRow extends Pick<HatSpec, 'id' | 'name' | 'description' | 'triggers' | 'publishes' | 'defaultPublishes' | 'backends'> {
  /** Version of this record. */
  readonly v: 1;
  readonly marks: readonly FlowMark[];
  /** Codes of the errors and warnings about it. */
  readonly findings: readonly string[];
}

/** Everything about one hat. */
export interface HatSheet extends HatRow, Pick<HatSpec, 'transitions' | 'instructions' | 'maxActivations' | 'timeoutMs' | 'idleTimeoutMs'> {
  /** Who sends what to it. */
  readonly from: readonly HatLink[];
  /** Who gets what it publishes. */
  readonly to: readonly HatLink[];
  /** What is to be said about it: the messages of findings that name it. */
  readonly messages: readonly string[];
}

/** An event between the hat and somebody else. */
export interface HatLink {
  /** A hat, `ralph`, or what else the flow graph has. */
  readonly who: string;
  readonly topic: string;
  /** The trigger by which it is taken; `null` where none is needed. */
  readonly trigger: string | null;
  readonly kind: string;
  readonly isDefault: boolean;
  readonly isGated: boolean;
}

/** The hats of a team, in the order of the file. */
export function listHatRows(topology: Topology, graph: FlowGraph): readonly HatRow[] {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  return topology.hats.map((hat) => {
    const node = nodes.get(toHatNodeId(hat.id));
    const { id, name, description, triggers, publishes, defaultPublishes, backends } = hat;
    const known = { marks: node?.marks ?? [], findings: node?.findings ?? [] };
    return { v: 1, id, name, description, triggers, publishes, defaultPublishes, backends, ...known };
  });
}

/** Everything about one hat of a team; `null` where there is none of this id. */
export function createHatSheet(topology: Topology, graph: FlowGraph, findings: readonly Finding[], id: string): HatSheet | null {
  const row = listHatRows(topology, graph).find((candidate) => candidate.id === id);
  const hat = topology.hatById.get(id) as HatSpec;
  if (row === undefined) return null;
  const self = toHatNodeId(id);
  const labels = new Map(graph.nodes.map((node) => [node.id, node.label]));
  const toLink = (whoId: string, edge: FlowGraph['edges'][number]): HatLink => {
    const { topic, trigger, kind, isDefault, isGated } = edge;
    return { who: labels.get(whoId) ?? whoId, topic, trigger, kind, isDefault, isGated };
  };
  return {
    ...row,
    from: graph.edges.filter((edge) => edge.to === self).map((edge) => toLink(edge.from, edge)),
    to: graph.edges.filter((edge) => edge.from === self).map((edge) => toLink(edge.to, edge)),
    transitions: hat.transitions,
    instructions: hat.instructions,
    maxActivations: hat.maxActivations,
    timeoutMs: hat.timeoutMs,
    idleTimeoutMs: hat.idleTimeoutMs,
    messages: findings.filter((finding) => finding.hats?.includes(id) === true).map((finding) => `${finding.message} [${finding.code}]`),
  };
}
