import type { Json } from '../core/index.ts';
import type { RunParts } from './assemble-run.ts';
import { openRunIn } from './read-run.ts';
import { reviewReader } from './review-run.ts';
import { storeReport } from './run-facts.ts';

/** Keeps what is told of a run at its end beside its journal, whatever the end was. Never rejects. */
export async function storeEnd({ layout, paths, env }: Pick<RunParts, 'layout' | 'paths' | 'env'>): Promise<void> {
  try {
    const review = await reviewReader(openRunIn(layout, paths.runId, env), paths, { now: Date.now(), isNewest: true });
    storeReport(paths, review as unknown as Json);
  } catch {
    // What is kept can be found anew: nothing of it is worth a failed end.
  }
}
