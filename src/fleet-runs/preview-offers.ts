import { existsSync } from 'node:fs';
import type { Settings } from '../config/settings.ts';
import { RALPH } from '../core/events/reserved.ts';
import { toGateName } from '../core/gates/gate-spec.ts';
import type { Environment } from '../core/values/environment.ts';
import { toFleetFolder } from '../core/values/fleet-address.ts';
import { connectFleet } from '../fleet/connect-fleet.ts';
import { toShownUrl } from '../fleet/nats-place.ts';
import { listHeard } from '../fleet/open-order.ts';
import { toTurnLabels } from '../runs/turn-labels.ts';

/** What a run would offer to a fleet, and who is there for it. */
export interface OfferPreview {
  /** The address, without who asks. */
  readonly fleet: string;
  /** A turn of each hat with each of its agents (of a panel: a round of each), then the gates and hooks that ask for a worker. */
  readonly offers: readonly PreviewedOffer[];
}

/** Something that is offered. */
export interface PreviewedOffer {
  readonly kind: 'turn' | 'gate' | 'hook';
  /** Of the hat, the gate or the hook. */
  readonly name: string;
  /** What a worker must have, all of it. */
  readonly labels: readonly string[];
  /** Names of the workers that have it, busy or not. */
  readonly workers: readonly string[];
}

/**
 * Asks a fleet what a run would find there; nothing is offered, and no folder is made.
 *
 * @param wearers the hats whose turns there may be; `ralph` for who coordinates them
 * @throws RalphError `fleet-unreachable`, `fleet-folder`, within the time that a run waits for the fleet
 */
export async function previewOffers(
  settings: Settings,
  wearers: readonly string[],
  { fleet: url, env }: { readonly fleet: string; readonly env: Environment },
): Promise<OfferPreview> {
  const there = await listThere(url, env);
  const toOffer = (kind: PreviewedOffer['kind'], name: string, labels: readonly string[]): PreviewedOffer => ({
    ...{ kind, name, labels },
    workers: there.flatMap((worker) => (labels.every((label) => worker.labels.includes(label)) ? [worker.id] : [])),
  });
  const hooks = [...(settings.runHooks ?? []), ...Object.values(settings.hooks ?? {}).flat()];
  return {
    fleet: toShownUrl(url),
    offers: [
      ...wearers.flatMap((hat) => listTurnLabels(settings, hat).map((labels) => toOffer('turn', hat, labels))),
      ...settings.spec.gates.flatMap((gate) => (gate.runsOn === undefined ? [] : [toOffer('gate', toGateName(gate), gate.runsOn)])),
      ...hooks.flatMap(({ name, runsOn }) => (runsOn === undefined ? [] : [toOffer('hook', name, runsOn)])),
    ],
  };
}

/** A run makes the folder of its fleet; before that nobody is in it. */
async function listThere(url: string, env: Environment) {
  const folder = toFleetFolder(url);
  if (folder !== null && !existsSync(folder)) return [];
  const fleet = await connectFleet({ url, env, name: 'ralph run' }, true);
  try {
    return (await listHeard(fleet)).filter(({ isDraining }) => !isDraining);
  } finally {
    await fleet.close();
  }
}

/** Each agent of a hat may ask for another worker: those that stand in for each other, and those of a panel. */
function listTurnLabels(settings: Settings, hat: string): readonly (readonly string[])[] {
  const agents = settings.backends[hat] ?? settings.backends[RALPH] ?? [];
  const wanted = agents.map((spec) => toTurnLabels(settings, { hat, spec, isPanel: false }));
  return wanted.filter((labels, place) => wanted.findIndex((other) => other.join() === labels.join()) === place);
}
