import type * as App from '../../app/index.ts';
import { maskControls } from '../../core/text/mask-controls.ts';
import { toCount, toList, toPlainLine } from '../../views/text/plain-text.ts';
import { addExamples } from '../args/help.ts';
import { addFormatOption } from '../args/options.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { AppApi, AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';
import { printTable } from '../terminal/print.ts';
import { printJson, printLine } from '../terminal/terminal.ts';

const ACTIONS = ['list', 'diff', 'merge', 'remove'] as const;
type Action = (typeof ACTIONS)[number];

export const worktreesCommand: CliCommand = {
  declare: (command) => {
    command
      .argument('[what]', '`list` (the default), `diff`, `merge` or `remove`')
      .argument('[name]', 'the worktree')
      .option('--force', 'with remove: also discard uncommitted and ignored files, and commits that are nowhere else');
    addFormatOption(command, ['table', 'json'], 'with list: table for people, json for programs: one object per line');
    addExamples(command, [
      ['ralph worktrees', 'the worktrees, and what is in them'],
      ['ralph worktrees diff blue', 'everything a run has changed there, as one patch'],
      ['ralph worktrees merge blue', 'merge its branch into the one that is checked out here'],
      ['ralph worktrees remove blue', 'remove it, and its branch if that is merged'],
    ]);
  },
  perform,
};

async function perform(context: AppContext, { args, options }: CommandCall): Promise<number> {
  const [what = 'list', name] = args;
  const action = ACTIONS.find((known) => known === what);
  if (action === undefined) {
    throw createUsageError(`\`ralph worktrees\` knows no ${JSON.stringify(what.slice(0, 60))}.`, `It knows: ${ACTIONS.join(', ')}.`);
  }
  if (options['force'] === true && action !== 'remove') throw createUsageError('--force goes with remove.', 'Leave it out.');
  const app = await context.loadApp();
  if (action === 'list') return list(context, app, options['format'] === 'json');
  if (name === undefined) throw createUsageError(`Which worktree? Its name is missing.`, `Type: ralph worktrees ${action} NAME`);
  const leftOut = await app.listLeftOutPrograms(context.cwd, name, context.env);
  if (leftOut.length > 0) context.terminal.err(toLeftOutText(leftOut));
  return ACT[action](context, app, name, options['force'] === true);
}

const MAX_SHOWN = 8;

function toLeftOutText(keys: readonly string[]): string {
  const more = keys.length > MAX_SHOWN ? `, and ${keys.length - MAX_SHOWN} more` : '';
  const shown = keys.slice(0, MAX_SHOWN).map((key) => toPlainLine(key, 100));
  return `Left out, because it has changed since the run began: ${shown.join(', ')}${more} of git's configuration (git config --show-origin --get-all NAME shows where it is set).\n`;
}

const ACT: Readonly<Record<Exclude<Action, 'list'>, (context: AppContext, app: AppApi, name: string, force: boolean) => Promise<number>>> =
  {
    diff: async ({ cwd, env, terminal }, app, name) => {
      const patch = await app.diffRunWorktree(cwd, name, env);
      if (patch === '') terminal.err(`The worktree ${name} does not differ from the commit it began at.\n`);
      else terminal.out(patch);
      return 0;
    },
    merge: async ({ cwd, env, terminal }, app, name) => {
      const { commits, into, branch } = await app.mergeRunWorktree(cwd, name, env);
      terminal.out(
        commits === 0
          ? `${into} already contains everything of ${branch}.\n`
          : `Merged ${toCount(commits, 'commit')} of ${branch} into ${into}. Remove the worktree: ralph worktrees remove ${name}\n`,
      );
      return 0;
    },
    remove: async ({ cwd, env, terminal }, app, name, force) => {
      const { keptBranch, renewable } = await app.removeRunWorktree(cwd, name, force, env);
      const went = renewable.length === 0 ? '' : ` Also removed, as a tool makes it again: ${toNames(renewable)}.`;
      terminal.out(
        keptBranch === null
          ? `Removed the worktree ${name} and its branch.${went}\n`
          : `Removed the worktree ${name}.${went} Its branch ${keptBranch} stays: it has commits that are nowhere else. Delete it: git branch -D ${keptBranch}\n`,
      );
      return 0;
    },
  };

async function list({ cwd, env, terminal }: AppContext, app: AppApi, isJson: boolean): Promise<number> {
  const worktrees = await app.listRunWorktrees(cwd, env);
  if (isJson) {
    for (const worktree of worktrees) printJson(terminal, toRecord(worktree));
    return 0;
  }
  if (worktrees.length === 0) terminal.err('No run has a worktree here.\nStart one: ralph run --worktree -p "what is to be done"\n');
  else printTable(terminal, ['worktree', 'run', 'what is in it'], worktrees.map(toCells));
  for (const { path } of worktrees) printLine(terminal, terminal.style('faint', maskControls(path)));
  return 0;
}

function toRecord({
  name,
  path,
  branch,
  commits,
  uncommitted,
  ignored,
  renewable,
  run,
}: App.RunWorktree): Readonly<Record<string, unknown>> {
  const counts = { commits, uncommitted: uncommitted.length, ignored: ignored.length, renewable: renewable.length };
  return { v: 1, name, path, branch, ...counts, runId: run?.runId ?? null, status: toStatus(run) };
}

function toCells({ name, commits, uncommitted, ignored, renewable, run }: App.RunWorktree): readonly string[] {
  const parts = [
    ...(commits > 0 ? [toCount(commits, 'commit')] : []),
    ...(uncommitted.length > 0 ? [`${toCount(uncommitted.length, 'file')} not committed`] : []),
    ...(ignored.length > 0 ? [`${ignored.length} ignored by git: ${toNames(ignored)}`] : []),
  ];
  const rest = renewable.length > 0 ? `only what a tool makes again: ${toNames(renewable)}` : 'nothing that is not also here';
  return [name, toStatus(run) ?? 'gone', parts.length === 0 ? rest : parts.join(', ')];
}

const MAX_NAMES = 3;

function toNames(paths: readonly string[]): string {
  return toList(
    paths.map((path) => maskControls(path)),
    MAX_NAMES,
  );
}

function toStatus(run: App.RunWorktree['run']): string | null {
  if (run === null) return null;
  return run.status === 'ended' ? (run.reason ?? 'ended') : run.status;
}
