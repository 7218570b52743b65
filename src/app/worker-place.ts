import type { Environment } from '../core/values/environment.ts';
import type { Repository } from '../git/contract.ts';
import type { Blobs } from '../ports/fleet.ts';
import type { RunFile } from '../runs/run-file.ts';
import type { PlaceTree } from './place-tree.ts';
import type { AssembledRun } from './run-parts.ts';

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
