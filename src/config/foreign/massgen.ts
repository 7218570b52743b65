import type { Diagnostic } from '../diagnostic.ts';
import type { LocatedEntry, LocatedMap, LocatedValue } from '../located-value.ts';
import { toDiagnostic } from '../source-file.ts';

/**
 * The finding about a configuration of MassGen: its agents have backends with models of their own and are no hats. `agents:` that only carry
 * hooks are ours (seed 002).
 */
export function findMassgen(root: LocatedMap): Diagnostic | null {
  const entry = findAgents(root);
  if (entry === undefined || root.entries.has('hats')) return null;
  return toDiagnostic(entry.key, {
    code: 'config-massgen',
    severity: 'error',
    message: 'This is a configuration of MassGen.',
    why: 'Its agents would not run: several agents that answer and vote are a panel, and panels are not part of this version.',
    fix: 'Write a team of hats instead (`ralph init --preset fresh-eyes` is near to it), or keep the file for the version that brings panels.',
  });
}

function findAgents(root: LocatedMap): LocatedEntry | undefined {
  const agents = root.entries.get('agents');
  if (agents?.value.kind === 'list' && agents.value.items.some(hasModel)) return agents;
  const agent = root.entries.get('agent');
  return agent !== undefined && hasModel(agent.value) ? agent : undefined;
}

function hasModel(agent: LocatedValue): boolean {
  const backend = agent.kind === 'map' ? agent.entries.get('backend')?.value : undefined;
  return backend?.kind === 'map' && (backend.entries.has('type') || backend.entries.has('model'));
}
