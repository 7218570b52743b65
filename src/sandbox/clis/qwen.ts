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
    limits: commands.length === 0 ? [] : ['qwen looks at the beginning of a command: `npm test $(…)` passes.'],
  };
}

function toCommands({ may, qualityCommands, isConfined }: ScopeOrder): readonly string[] {
  const own = may.mayRunQuality ? qualityCommands : [];
  // It looks at the beginning of a command only: `git log --output=FILE` would write.
  return [...own, ...(may.mayGitRead && isConfined ? GIT_LOOKS : [])];
}
