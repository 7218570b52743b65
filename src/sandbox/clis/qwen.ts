import { mayWork } from '../capabilities.ts';
import { GIT_LOOKS } from '../plain-command.ts';
import type { CliScope, ScopeOrder } from '../scope-plan.ts';
import { bare, listed, valued, withoutFlags } from '../without-flags.ts';

const LIFTING = [
  bare('--yolo', '-y'),
  valued('--approval-mode'),
  listed('--allowed-tools', '--exclude-tools', '--core-tools', '--include-directories', '--add-dir'),
];
const SHELL = 'run_shell_command';
const WRITE = ['write_file', 'edit', 'notebook_edit'];
const WEB = ['web_fetch', 'web_search'];

/** Qwen Code: a list of tools that are taken away, and one of those it need not ask for. */
export function scopeQwen(order: ScopeOrder): CliScope {
  const { may, attach } = order;
  const user = [...withoutFlags(order.args, LIFTING), ...(attach?.args ?? [])];
  const works = mayWork(may);
  const commands = works || may.mayRunShell ? [] : toCommands(order);
  const hidden = [
    ...(may.mayWrite ? [] : WRITE),
    ...(may.mayRunShell || commands.length > 0 ? [] : [SHELL]),
    ...(may.mayRead ? [] : ['read_file', 'grep_search', 'glob', 'list_directory']),
    ...(works ? [] : ['agent', 'skill']),
    ...(may.mayWeb ? [] : WEB),
  ];
  const allowed = [...commands.map((command) => `${SHELL}(${command})`), ...(attach?.allow ?? [])];
  return {
    args: [
      ...user,
      // Its default would ask a model about each doubtful tool.
      ...(commands.length > 0 ? ['--approval-mode', 'default'] : []),
      ...(hidden.length === 0 ? [] : ['--exclude-tools', hidden.join(',')]),
      ...allowed.flatMap((tool) => ['--allowed-tools', tool]),
    ],
    env: attach?.env ?? {},
    files: attach?.files ?? [],
    permissions: commands.length > 0 ? 'default' : works ? order.permissions : 'bypass',
    limits: toLimits(order, commands),
  };
}

/** It looks at the beginning of a command only: `git log --output=FILE` and `npm test $(…)` would write, so without a wall there is no shell at all. */
function toCommands({ may, qualityCommands, isConfined }: ScopeOrder): readonly string[] {
  if (!isConfined) return [];
  return [...(may.mayRunQuality ? qualityCommands : []), ...(may.mayGitRead ? GIT_LOOKS : [])];
}

function toLimits({ may, qualityCommands, isConfined }: ScopeOrder, commands: readonly string[]): readonly string[] {
  if (commands.length > 0) return ['qwen looks at the beginning of a command: `npm test $(…)` passes.'];
  const isMissed = !isConfined && !mayWork(may) && !may.mayRunShell && may.mayRunQuality && qualityCommands.length > 0;
  return isMissed ? ['Without the sandbox of the operating system it cannot run the tests: qwen would let `npm test $(…)` pass.'] : [];
}
