import { tryOr } from '../../core/values/result.ts';
import type { RunReader } from '../../runs/run-api.ts';
import { createRunViewFold } from '../../views/fold/fold-run-view.ts';
import type { RunView } from '../../views/fold/run-view.ts';
import type { WorkFacts } from '../../views/report/work-facts.ts';
import type { CliContext, WatchApi } from '../cli-context.ts';

export interface ReadRun {
  readonly reader: RunReader;
  readonly view: RunView;
  /** Whether it is the run that a command without a run means. */
  readonly isNewest: boolean;
}

/** Reads a run: by its id or the beginning of it, else the newest. */
export async function readView({ cwd, env, loadWatch }: CliContext, run: string | undefined): Promise<ReadRun> {
  const app = await loadWatch();
  const reader = app.openRunReader(cwd, run, env);
  const fold = createRunViewFold();
  reader.replay(fold.take);
  return { reader, view: fold.view(), isNewest: run === undefined || isNewestRun({ cwd, env }, app, reader.runId) };
}

/** What is known of a run beside its journal, once it has ended or its process is gone; `null` before that. */
export async function readEndFacts({ reader, view }: Pick<ReadRun, 'reader' | 'view'>): Promise<WorkFacts | null> {
  return view.end === null && reader.isAlive ? null : reader.facts(view);
}

/** Whether a command without a run means this one; also where the folder of the runs is gone, so that nothing can be meant. */
export function isNewestRun({ cwd, env }: Pick<CliContext, 'cwd' | 'env'>, app: Pick<WatchApi, 'openRunReader'>, runId: string): boolean {
  return tryOr(() => {
    const newest = app.openRunReader(cwd, undefined, env);
    // Of a copy nobody who types a command means it without its name.
    return newest.runId === runId && !newest.isCopy;
  }, true);
}
