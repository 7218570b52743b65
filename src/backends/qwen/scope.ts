import { join } from 'node:path';
import { mayWork } from '../../core/tools/tool-profiles.ts';
import { bare, listed, valued, withoutFlags } from '../describe/flags.ts';
import type { AttachedTool, CliScope, EmitAttachOrder, ScopeOrder } from '../describe/scope-plan.ts';
import {
  EMIT_SERVER,
  GIT_LOOKS,
  listServerTools,
  NO_ATTACHED_TOOL,
  toServerCommand,
  toServerList,
  toServerTimeoutMs,
} from '../describe/scope-plan.ts';

const LIFTING = [
  bare('--yolo', '-y'),
  valued('--approval-mode'),
  listed('--allowed-tools', '--exclude-tools', '--core-tools', '--include-directories', '--add-dir'),
];
const SHELL = 'run_shell_command';
const WRITE = ['write_file', 'edit', 'notebook_edit'];
const SYSTEM = 'qwen-settings.json';
/** What counts before the settings of the project: they could start programs. A folder that is not trusted gets no servers, ours neither. Tried with 0.24.4. */
const QUIET = JSON.stringify({ disableAllHooks: true, tools: { discoveryCommand: '', callCommand: '' } });
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
    env: { ...attach?.env, ...(works ? {} : { QWEN_CODE_SYSTEM_SETTINGS_PATH: join(order.folder, SYSTEM) }) },
    files: [...(works ? [] : [{ path: SYSTEM, content: QUIET }]), ...(attach?.files ?? [])],
    permissions: commands.length > 0 ? 'default' : works ? order.permissions : 'bypass',
    limits:
      may.mayGitRead && !may.mayRunShell && commands.length === 0
        ? ['Git can only be read inside the sandbox of the operating system.']
        : [],
  };
}

/** It looks at the beginning of a command only: `git log --output=FILE` would write, so without a wall there is no shell at all. */
function toCommands({ may, isConfined }: ScopeOrder): readonly string[] {
  return isConfined && may.mayGitRead ? GIT_LOOKS : [];
}

/** By a list of servers in its arguments. */
export function attachQwen({ server, isAlone, tools, checks }: EmitAttachOrder): AttachedTool {
  return {
    ...NO_ATTACHED_TOOL,
    args: [
      '--mcp-config',
      toServerList({ ...toServerCommand(server), trust: true, timeout: toServerTimeoutMs({ tools, checks }) }),
      ...(isAlone ? ['--allowed-mcp-server-names', EMIT_SERVER] : []),
    ],
    allow: listServerTools({ tools, checks }).map((tool) => `mcp__${EMIT_SERVER}__${tool}`),
    checks,
  };
}
