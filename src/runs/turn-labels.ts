import type { Settings } from '../config/settings.ts';
import { type BackendSpec, toBackendLabel } from '../core/backends/backend-spec.ts';
import { RALPH } from '../core/events/reserved.ts';
import type { TurnView } from '../views/fold/run-view.ts';

/** Of the settings of a run: who its agents are, and what hats ask for. */
export type LabelSettings = Pick<Settings, 'backends' | 'runsOn'>;

/**
 * What a worker must have for a turn: the program of each agent that may take it, and what the hat asks for. In alphabetical order.
 *
 * @param isPanel whether all agents of the hat take it, and not the one
 */
export function toTurnLabels(
  { backends, runsOn }: LabelSettings,
  { hat, spec, isPanel }: { readonly hat: string; readonly spec: BackendSpec; readonly isPanel: boolean },
): readonly string[] {
  const types = [spec, ...(isPanel ? (backends[hat] ?? []) : [])].map(({ type }) => type);
  return [...new Set([...types, ...(runsOn?.[hat] ?? [])])].sort();
}

/** The same for a turn as a view shows it, which has its agent by its label; empty where the settings know none. */
export function toLabelsOf(
  settings: LabelSettings,
  { hat, backend, panel }: Pick<TurnView, 'hat' | 'backend' | 'panel'>,
): readonly string[] {
  const agents = settings.backends[hat] ?? settings.backends[RALPH] ?? [];
  const spec = agents.find((agent) => toBackendLabel(agent) === backend) ?? agents[0];
  return spec === undefined ? [] : toTurnLabels(settings, { hat, spec, isPanel: panel !== null });
}
