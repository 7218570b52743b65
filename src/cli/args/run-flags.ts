import type { RunRequest } from '../../runs/run-api.ts';
import type { CliContext, CommandCall } from '../cli-context.ts';
import { COMMAND_NAMES } from './command-table.ts';
import { type ConfigOptions, toConfigRequest } from './options.ts';
import { createUsageError } from './usage-error.ts';

/** The options of `ralph run`, as commander hands them over. */
export interface RunFlags extends ConfigOptions {
  readonly prompt?: string;
  readonly promptFile?: string;
  readonly hat?: string;
  readonly once?: boolean;
  readonly worktree?: string | true;
  readonly inPlace?: boolean;
  readonly safe?: boolean;
  readonly dryRun?: boolean;
  readonly continue?: boolean;
  readonly acceptChanges?: boolean;
  readonly nested?: boolean;
  readonly detach?: boolean;
  /** True: that of `RALPH_FLEET`. */
  readonly fleet?: string | true;
  /** False: `--no-gates`. */
  readonly gates?: boolean;
}

/** The words after `run`; `null` where there are none. */
function toWords(call: CommandCall): string | null {
  const words = call.args.flat().filter((word): word is string => word !== undefined);
  return words.length === 0 ? null : words.join(' ');
}

/** Refuses what does not go together, and what was probably meant otherwise. */
export function checkRunFlags<Flags extends RunFlags>(flags: Flags, call: CommandCall): Flags {
  const words = toWords(call);
  const [first = ''] = call.args.flat();
  if (call.isImplicit && COMMAND_NAMES.includes(first)) {
    throw createUsageError(
      `The command comes first: ralph ${first} … .`,
      `ralph ${first} --help shows its options. To make ${JSON.stringify(first)} the task: ralph run -p ${first}`,
    );
  }
  const sources = [
    ...(words === null ? [] : ['words']),
    ...(flags.prompt === undefined ? [] : ['-p']),
    ...(flags.promptFile === undefined ? [] : ['-P']),
  ];
  if (sources.length > 1) throw createUsageError(`The task was given more than once (${sources.join(' and ')}).`, 'Leave all but one out.');
  if (flags.worktree !== undefined && flags.worktree !== true && !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(flags.worktree)) {
    throw createUsageError(
      `${JSON.stringify(flags.worktree.slice(0, 60))} is not the name of a worktree.`,
      'A name has letters, digits, dots, _ and -. If it is the task: ralph run --worktree -p "…"',
    );
  }
  if (flags.inPlace === true && flags.worktree !== undefined)
    throw createUsageError('--in-place and --worktree contradict each other.', 'Leave one out.');
  if (flags.inPlace === true && flags.safe === true)
    throw createUsageError('A safe run works in a worktree of its own; --in-place says otherwise.', 'Leave one out.');
  if ((flags.hat === undefined) !== (flags.once !== true))
    throw createUsageError('--hat and --once belong together.', 'One turn of one hat: ralph run --hat builder --once');
  if (flags.detach === true && flags.dryRun === true)
    throw createUsageError('--detach starts a run; --dry-run starts none.', 'Leave one out.');
  if (flags.continue === true) checkContinue(flags, sources);
  else if (flags.acceptChanges === true)
    throw createUsageError('--accept-changes is for a run that goes on.', 'Use it with --continue, or with ralph resume.');
  return flags;
}

const NOT_WITH_CONTINUE = [
  'config',
  'hats',
  'backend',
  'model',
  'hat',
  'worktree',
  'inPlace',
  'safe',
  'dryRun',
  'nested',
  'detach',
  'fleet',
] as const;

/** A run that goes on has its task and its configuration. */
function checkContinue(flags: RunFlags, sources: readonly string[]): void {
  const named = NOT_WITH_CONTINUE.filter((name) => flags[name] !== undefined).map(
    (name) => `--${flags[name] === false ? 'no-' : ''}${name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)}`,
  );
  const given = [...named, ...(flags.gates === false ? ['--no-gates'] : [])];
  const [first] = [...sources, ...given];
  if (first === undefined) return;
  throw createUsageError(
    `--continue goes on with a run as it was begun; ${first} is for a new one.`,
    'Change ralph.yml or the prompt file and go on with --accept-changes, or leave --continue out.',
  );
}

/** Flags that are settings, as they would be typed after `-c`: a run that goes on later knows them. */
export function toAssignments({ inPlace, safe, worktree }: Pick<RunFlags, 'inPlace' | 'safe' | 'worktree'>): readonly string[] {
  return [
    ...(inPlace === true ? ['workspace=in_place'] : []),
    ...(worktree === undefined ? [] : ['workspace=worktree']),
    ...(safe === undefined ? [] : [`safe=${safe}`]),
  ];
}

export function toPlanRequest(context: CliContext, flags: RunFlags, call: CommandCall, stdinPrompt: string | undefined): RunRequest {
  const { promptFile } = flags;
  const prompt = flags.prompt ?? toWords(call) ?? undefined;
  const config = toConfigRequest(context, flags);
  return {
    ...config,
    assignments: [...config.assignments, ...toAssignments(flags)],
    ...(flags.fleet === undefined ? {} : { isElsewhere: true }),
    flags: {
      ...config.flags,
      ...(prompt === undefined ? {} : { prompt }),
      ...(promptFile === undefined ? {} : { promptFile }),
      ...(flags.gates === false ? { noGates: true as const } : {}),
    },
    ...(stdinPrompt === undefined ? {} : { stdinPrompt }),
    ...(flags.hat === undefined ? {} : { hat: flags.hat }),
    ...(flags.dryRun === true ? { isDry: true } : {}),
  };
}
