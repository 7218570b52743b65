import type { AssembledRun } from '../app/run-parts.ts';
import { toDurationText } from '../core/text/duration.ts';
import type { Environment } from '../core/values/environment.ts';
import type { AwayHearer } from '../fleet/silence-watch.ts';
import type { PlaceTree } from '../fleet-runs/place-tree.ts';
import type { Repository } from '../git/contract.ts';
import type { Blobs } from '../ports/fleet.ts';
import type { RunFile } from '../runs/run-file.ts';
import { toPlainLine } from '../views/text/plain-text.ts';

/** A folder of a worker that shows what an order is about. */
export interface WorkerPlace {
  readonly run: AssembledRun;
  readonly file: RunFile;
  readonly tree: PlaceTree;
  readonly repository: Repository;
  readonly evidence: string;
  /** In which agents of panels work. */
  readonly panels: string;
}

/** The worker that takes an order. */
export interface OrderTaker {
  readonly id: string;
  /** See `toWorkerMark`. */
  readonly mark: string;
  readonly env: Environment;
  readonly fleet: { readonly blobs: Blobs };
}

/** Tells people that the fleet of a worker does not answer, and that it does again. */
export function toAwayTeller(tell: (text: string) => void): AwayHearer {
  return (isAway, forMs, why) => {
    const took = toDurationText(forMs);
    if (!isAway) return tell(`The fleet answers again, after ${took}.`);
    const what = why === undefined ? `has not answered for ${took}` : `cannot be asked (${toPlainLine(why, 200)})`;
    tell(`The fleet ${what}: what is under way goes on, and nothing more is taken until it answers.`);
  };
}
