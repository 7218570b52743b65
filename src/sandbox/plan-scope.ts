import { type CliScope, findCli, isPlainCommand, type ScopeOrder, type ScopePlan } from '../backends/index.ts';
import { type BackendType, mayChangeTree } from '../core/index.ts';
import { matchesByBeginning } from './attach-emit.ts';

/** Whether something of a profile can be said to this CLI at all. */
export function hasScopeFlags(cli: BackendType): boolean {
  return findCli(cli)?.profile !== undefined;
}

/**
 * What a profile means for one CLI: its own flags, files and environment, and in words what it cannot be told. Pure.
 */
export function planScope(order: ScopeOrder): ScopePlan {
  const profile = findCli(order.cli)?.profile;
  const commands = matchesByBeginning(order.cli) ? [] : order.qualityCommands.filter(isPlainCommand);
  const own = profile?.scope({ ...order, qualityCommands: commands }) ?? planNothing(order);
  return {
    env: {},
    files: [],
    settings: [],
    ...own,
    prompt: profile === undefined ? 'any' : 'stdin',
    limits: [...(own.limits ?? []), ...toCommonLimits(order), ...toSkipped(order, commands)],
  };
}

function planNothing({ cli, args, attach, permissions }: ScopeOrder): CliScope {
  return {
    args: [...args, ...(attach?.args ?? [])],
    env: attach?.env ?? {},
    files: attach?.files ?? [],
    permissions,
    limits: [`${cli} can be told nothing of a profile by its flags.`],
  };
}

/** What no CLI can hold back once it has a shell. */
function toCommonLimits({ may }: ScopeOrder): readonly string[] {
  if (!may.mayRunShell) return [];
  return [
    ...(may.mayWrite ? [] : ['Its shell can write files.']),
    ...(may.mayGitWrite ? [] : ['Its shell can run every git command.']),
    ...(may.mayWeb ? [] : ['Its shell can reach the network.']),
  ];
}

function toSkipped({ cli, may, qualityCommands, attach }: ScopeOrder, listed: readonly string[]): readonly string[] {
  if (mayChangeTree(may) || !may.mayRunQuality) return [];
  if (qualityCommands.length === 0) return ['No command is known that checks this project, so none is allowed.'];
  const why = matchesByBeginning(cli)
    ? `cannot be run: ${cli} allows commands by their beginning, so it gets no shell, and the tool \`run_check\` is not attached (\`cli.emit_tool\`).`
    : 'cannot be written into a list of allowed commands.';
  const runnable = [...listed, ...(attach?.checks ?? [])];
  return qualityCommands.filter((command) => !runnable.includes(command)).map((command) => `\`${command.slice(0, 80)}\` ${why}`);
}
