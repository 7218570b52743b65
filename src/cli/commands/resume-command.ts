import type { Command } from 'commander';
import { createRunViewFold, toNextStep, toPlainLine } from '../../views/index.ts';
import type { AppApi } from '../app-api.ts';
import { addExamples } from '../args/help.ts';
import { parseIterations, parseRuntime, parseUsd } from '../args/parse-values.ts';
import { isYes } from '../ask-person.ts';
import type { CliContext } from '../cli-context.ts';
import { type CliCommand, type CommandCall } from '../cli-context.ts';
import { addShowOptions, type ShowFlags, toShowOptions } from '../live/run-options.ts';
import { watchRun } from '../live/watch-run.ts';
import { printWarnings } from '../print-findings.ts';
import { isNewestRun } from '../runs/read-run.ts';

/** `ralph resume`. */
export const resumeCommand: CliCommand = {
  declare,
  perform: (context, call: CommandCall) => performResume(context, call.args[0], call.options as unknown as ResumeFlags),
};

/** Its options. */
export interface ResumeFlags extends ShowFlags {
  readonly maxIterations?: string;
  readonly maxCost?: string;
  readonly maxRuntime?: string;
  readonly acceptChanges?: boolean;
}

type ResumeOptions = Parameters<AppApi['resumeRun']>[0];
type Ended = Extract<Awaited<ReturnType<AppApi['resumeRun']>>, { readonly kind: 'ended' }>;

function declare(command: Command): void {
  command
    .argument('[run]', 'a run: its id or the beginning of it; without it: the newest')
    .option('--max-iterations <n>', '+10 for ten more, 30 for thirty in all')
    .option('--max-cost <usd>', 'US dollars in all')
    .option('--max-runtime <duration>', '+1h for an hour more, 6h for six in all')
    .option('--accept-changes', 'take a configuration or prompt that changed since, without asking');
  addShowOptions(command);
  addExamples(command, [
    ['ralph resume', 'go on with the newest run'],
    ['ralph resume 20261121-22', 'with a certain one'],
    ['ralph resume --max-iterations +10', 'after the limit was reached: ten more turns'],
    ['ralph resume --max-cost 20', 'the same for the cost'],
    ['ralph resume --accept-changes', 'under a changed ralph.yml or PROMPT.md'],
  ]);
}

/** Goes on with a run and watches it; a run that has ended for good says so and gives its exit code. */
export async function performResume(context: CliContext, run: string | undefined, flags: ResumeFlags): Promise<number> {
  const show = toShowOptions(flags);
  const options = toResumeOptions(context, run, flags);
  const app = await context.loadApp();
  const reader = app.openRun(context.cwd, run, context.env);
  const fold = createRunViewFold();
  reader.replay(fold.take);
  let ended: Ended | null = null;
  const watched = await watchRun(context, {
    app,
    show,
    cwd: context.cwd,
    fold,
    start: async (watch) => {
      const resumed = await app.resumeRun({ ...options, run: reader.runId }, watch);
      if (resumed.kind === 'running') {
        printWarnings(context.terminal, resumed.warnings);
        return resumed.handle;
      }
      ended = resumed;
      return null;
    },
  });
  if (watched !== null) return watched.exitCode;
  return ended === null ? 1 : tellEnded(context, ended, toNextStep(fold.view(), isNewestRun(context, app, reader.runId)));
}

function tellEnded({ terminal }: CliContext, { runId, exitCode, text }: Ended, next: string): number {
  terminal.err(`Run ${runId}: ${[text, next].filter((line) => line !== '').join('\n')}\n`);
  return exitCode;
}

function toResumeOptions(context: CliContext, run: string | undefined, flags: ResumeFlags): ResumeOptions {
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
  return `Since the run was started this has changed: ${names.join(', ')}${more}.\nGo on with the changes? [y/N] `;
}
