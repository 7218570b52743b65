import type { FlowGraph } from '../../topology/index.ts';
import { createGraphFold } from '../../views/index.ts';
import type { CliContext } from '../cli-context.ts';

/**
 * The graph of a run, as it was declared when it began, with how often each event went where.
 *
 * @param run an id or the beginning of one; absent: the newest
 * @throws RalphError `no-runs`, `run-unknown`, `run-ambiguous`
 */
export async function readLiveGraph({ cwd, env, loadApp }: CliContext, run: string | undefined): Promise<FlowGraph | null> {
  const app = await loadApp();
  const fold = createGraphFold();
  app.openRun(cwd, run, env).replay(fold.take);
  return fold.view();
}
