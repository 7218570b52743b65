import type * as App from '../../app/index.ts';
import { createRunViewFold } from '../../views/fold/fold-run-view.ts';
import { toNextStep } from '../../views/report/next-step.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import { findFleetAddress } from '../args/fleet-options.ts';
import { type ShowFlags, toShowOptions } from '../args/options.ts';
import { parseIterations, parseRuntime, parseUsd } from '../args/parse-values.ts';
import type { AppContext } from '../cli-command.ts';
import { isNewestRun } from '../runs/read-run.ts';
import { printWarnings } from '../terminal/print.ts';
import { type WatchOrder, watchRun } from './watch-run.ts';

/** The options of `ralph resume`, as commander hands them over. */
export interface ResumeFlags extends ShowFlags {
  readonly maxIterations?: string;
  readonly maxCost?: string;
  readonly maxRuntime?: string;
  readonly acceptChanges?: boolean;
  /** True: that of `RALPH_FLEET`. */
  readonly fleet?: string | true;
}

type EndedForGood = Extract<App.Resumed, { readonly kind: 'ended' }>;

/** Goes on with a run and watches it; a run that has ended for good says so and gives its exit code. */
export async function resumeAndWatch(context: AppContext, run: string | undefined, flags: ResumeFlags): Promise<number> {
  const show = toShowOptions(flags);
  const fleet = flags.fleet === undefined ? undefined : findFleetAddress(flags.fleet, context.env);
  const options = { ...toResumeOptions(context, run, flags), ...(fleet === undefined ? {} : { fleet }) };
  const app = await context.loadApp();
  if (fleet !== undefined) {
    await app.bringRun({ cwd: context.cwd, env: context.env, fleet, ...(run === undefined ? {} : { run }) });
  }
  const reader = app.openRunReader(context.cwd, run, context.env);
  const fold = createRunViewFold();
  let ended: EndedForGood | null = null;
  const start: WatchOrder['start'] = async (watch) => {
    // What became of it elsewhere is in its journal only then.
    const onBrought = (wasElsewhere: boolean, remarks: readonly string[]): void => {
      reader.replay(fold.take);
      if (wasElsewhere) context.terminal.err('The run went on elsewhere; its journal, outputs and files are here now.\n');
      for (const remark of remarks) context.terminal.err(`${toPlainLine(remark, 500)}\n`);
    };
    const resumed = await app.resumeRunHere({ ...options, run: reader.runId, onBrought }, watch);
    if (resumed.kind === 'running') {
      printWarnings(context.terminal, resumed.warnings);
      return resumed.handle;
    }
    ended = resumed;
    return null;
  };
  const watched = await watchRun(context, { app, show, cwd: context.cwd, fold, start });
  if (watched !== null) return watched.exitCode;
  return ended === null ? 1 : tellEnded(context, ended, toNextStep(fold.view(), isNewestRun(context, app, reader.runId)));
}

function tellEnded({ terminal }: AppContext, { runId, exitCode, text }: EndedForGood, next: string): number {
  terminal.err(`Run ${runId}: ${[text, next].filter((line) => line !== '').join('\n')}\n`);
  return exitCode;
}

function toResumeOptions(context: AppContext, run: string | undefined, flags: ResumeFlags): App.ResumeOptions {
  const { ask } = context;
  return {
    cwd: context.cwd,
    env: context.env,
    acceptChanges: flags.acceptChanges === true,
    ...(run === undefined ? {} : { run }),
    ...(flags.maxIterations === undefined ? {} : { maxIterations: parseIterations(flags.maxIterations) }),
    ...(flags.maxCost === undefined ? {} : { maxCostUsd: parseUsd(flags.maxCost, '--max-cost') }),
    ...(flags.maxRuntime === undefined ? {} : { maxRuntimeMs: parseRuntime(flags.maxRuntime) }),
    ...(ask === null ? {} : { confirm: async (changed: readonly string[]) => isYes(await ask(toQuestion(changed))) }),
  };
}

function toQuestion(changed: readonly string[]): string {
  const names = changed.slice(0, 12).map((name) => toPlainLine(name, 60));
  const more = changed.length > names.length ? `, and ${changed.length - names.length} more` : '';
  return `This has changed since the run was started: ${names.join(', ')}${more}.\nContinue with the changes? [y/N] `;
}

/** True for `y` and `yes`. */
function isYes(answer: string): boolean {
  return /^\s*y(es)?\s*$/i.test(answer);
}
