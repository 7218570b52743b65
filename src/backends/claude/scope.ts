import { mayWork } from '../../core/tools/tool-profiles.ts';
import { bare, listed, valued, withoutFlags } from '../describe/flags.ts';
import type { AttachedTool, CliScope, EmitAttachOrder, ScopeOrder } from '../describe/scope-plan.ts';
import { EMIT_SERVER, listServerTools, NO_ATTACHED_TOOL, toServerCommand, toServerList } from '../describe/scope-plan.ts';

const LIFTING = [
  bare('--dangerously-skip-permissions', '--allow-dangerously-skip-permissions'),
  valued('--permission-mode', '--permission-prompt-tool', '--setting-sources'),
  listed('--allowedTools', '--allowed-tools', '--disallowedTools', '--disallowed-tools', '--tools', '--add-dir'),
];
/**
 * Settings of the project can allow more and start programs, so they are not read; with this, what `CLAUDE.md` in the folder says is read all the same.
 * Tried with 2.1.330.
 */
const READ_MEMORY = { CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1' };
const WEB = ['WebFetch', 'WebSearch'];

/**
 * Claude Code: a list of tools that exist (`--tools`) and a list of those it need not ask for, in the mode that refuses instead of asking. With `Bash` and no
 * rule for it, the mode lets through only commands that it knows to read.
 */
export function scopeClaude(order: ScopeOrder): CliScope {
  const { may, attach } = order;
  const user = withoutFlags(order.args, LIFTING);
  const extra = { env: attach?.env ?? {}, files: attach?.files ?? [] };
  const attached = attach?.args ?? [];
  if (mayWork(may)) {
    const denied = may.mayWeb ? [] : ['--disallowedTools', WEB.join(',')];
    const allowed = attach === null ? [] : ['--allowedTools', ...attach.allow];
    return { ...extra, args: [...user, ...attached, ...denied, ...allowed], permissions: order.permissions };
  }
  const free = [
    ...(may.mayRead ? ['Read', 'Grep', 'Glob'] : []),
    ...(may.mayWrite ? ['Write', 'Edit', 'NotebookEdit'] : []),
    ...(may.mayWeb ? WEB : []),
  ];
  const rules = may.mayRunShell ? ['Bash'] : may.mayRunQuality ? order.qualityCommands.map((command) => `Bash(${command})`) : [];
  const hasShell = rules.length > 0 || (may.mayGitRead && order.isConfined);
  const tools = [...free, ...(hasShell ? ['Bash'] : [])];
  const allowed = [...free, ...rules, ...(attach?.allow ?? [])];
  const lists = [
    ...(tools.length === 0 ? ['--tools', ''] : ['--tools', tools.join(',')]),
    ...(allowed.length === 0 ? [] : ['--allowedTools', ...allowed]),
  ];
  const sources = ['--setting-sources', order.userSettings === true ? 'user' : '', '--add-dir', order.cwd];
  return {
    ...extra,
    env: { ...extra.env, ...READ_MEMORY },
    args: [...user, '--permission-mode', 'dontAsk', ...sources, ...attached, ...lists],
    permissions: 'default',
    limits: [
      ...(hasShell && !may.mayRunShell ? ['Beside its commands, claude runs those that it takes for reading.'] : []),
      ...(may.mayGitRead && !hasShell ? ['Git can only be read inside the sandbox of the operating system.'] : []),
    ],
  };
}

/** By a list of servers in its arguments. */
export function attachClaude({ server, isAlone, tools, checks }: EmitAttachOrder): AttachedTool {
  return {
    ...NO_ATTACHED_TOOL,
    args: [...(isAlone ? ['--strict-mcp-config'] : []), '--mcp-config', toServerList({ type: 'stdio', ...toServerCommand(server) })],
    allow: listServerTools({ tools, checks }).map((tool) => `mcp__${EMIT_SERVER}__${tool}`),
    checks,
  };
}

/** Where it asks before it uses a tool, this one is allowed. */
export function openClaude({ allow }: AttachedTool, { isAsked }: { readonly isAsked: boolean }): Partial<CliScope> {
  return isAsked ? { args: ['--allowedTools', ...allow] } : {};
}
