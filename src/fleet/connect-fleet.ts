import { toFleetFolder } from '../core/values/fleet-address.ts';
import type { Fleet } from '../ports/fleet.ts';
import { openFolderFleet } from './folder-fleet.ts';
import { connectNats } from './nats-fleet.ts';
import type { NatsPlace } from './nats-place.ts';

/**
 * Connects to a fleet: on a server, or in a folder of this machine, which is made where it is not there.
 *
 * @param isLook whether a folder has to be there, and is not made
 * @throws RalphError `fleet-unreachable`, `fleet-folder`
 */
export async function connectFleet(place: NatsPlace, isLook = false): Promise<Fleet> {
  const folder = toFleetFolder(place.url);
  return folder === null ? connectNats(place) : openFolderFleet(folder, isLook);
}
