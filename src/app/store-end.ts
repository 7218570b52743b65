import type { Json } from '../core/index.ts';
import { createRunViewFold, toRunReport } from '../views/index.ts';
import type { RunParts } from './assemble-run.ts';
import { openRunIn } from './read-run.ts';
import { storeReport } from './run-facts.ts';

/** Keeps what is told of a run at its end beside its journal, whatever the end was. Never rejects. */
export async function storeEnd({ layout, paths, env }: Pick<RunParts, 'layout' | 'paths' | 'env'>): Promise<void> {
  try {
    const reader = openRunIn(layout, paths.runId, env);
    const fold = createRunViewFold();
    reader.replay(fold.take);
    const view = fold.view();
    const facts = await reader.facts(view);
    const { headline, isGood, rows } = toRunReport(view, { facts });
    storeReport(paths, { v: 1, runId: paths.runId, headline, isGood, rows, facts } as unknown as Json);
  } catch {
    // What is kept can be found anew: nothing of it is worth a failed end.
  }
}
