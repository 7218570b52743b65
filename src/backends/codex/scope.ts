import { mayChangeTree, mayWork } from '../../core/tools/tool-profiles.ts';
import { bare, valued, withoutFlags } from '../describe/flags.ts';
import {
  ASK_SECONDS,
  type AttachedTool,
  asksPeople,
  CHECK_SECONDS,
  type CliScope,
  EMIT_SERVER,
  type EmitAttachOrder,
  handsIn,
  NO_ATTACHED_TOOL,
  type ScopeOrder,
  START_SECONDS,
} from '../describe/scope-plan.ts';

/** The flag with which codex neither asks nor confines. */
export const BYPASS = '--dangerously-bypass-approvals-and-sandbox';

const LIFTING = [
  bare(BYPASS, '--full-auto', '--yolo'),
  valued('-s', '--sandbox', '-a', '--ask-for-approval', '-p', '--profile', '--add-dir', '--enable'),
  {
    names: ['-c', '--config'],
    takes: 'one',
    where: /^\s*["']?(?:sandbox|approval|permission|default_permissions|web_search|profile|projects|tools)/,
  },
] as const;

/**
 * Codex: its only way to read is its shell, which it puts into a sandbox of its own. Inside ours a hat that runs the tests does without it: it would keep
 * `.agent/` and the build folders closed. A `.codex/` of the project could start programs outside of any sandbox, so the project counts as not trusted.
 */
export function scopeCodex(order: ScopeOrder): CliScope {
  const { may, attach } = order;
  const user = withoutFlags(order.args, LIFTING);
  const shared = [...(attach?.args ?? []), ...(may.mayWeb ? [] : ['-c', 'web_search="disabled"'])];
  const extra = { env: attach?.env ?? {}, files: attach?.files ?? [] };
  if (mayWork(may)) return { ...extra, args: [...user, ...shared], permissions: order.permissions };
  // As a table: dots in the path would be taken for steps of a key.
  const distrust = ['-c', `projects={${JSON.stringify(order.cwd)}={trust_level="untrusted"}}`];
  const alone = ['--disable', 'multi_agent', '--disable', 'goals', ...distrust];
  const yields = order.isConfined && may.mayRunQuality && !mayChangeTree(may);
  const mode = yields ? [BYPASS] : ['-s', mayChangeTree(may) ? 'workspace-write' : 'read-only'];
  return { ...extra, args: [...user, ...mode, ...alone, ...shared], permissions: 'default', limits: toLimits(order, yields) };
}

function toLimits({ may }: ScopeOrder, yields: boolean): readonly string[] {
  if (yields) return ['codex runs every command; only the sandbox of the operating system keeps it from writing.'];
  const reads = 'codex reads by its shell, so every command runs, in its own sandbox.';
  if (!mayChangeTree(may)) {
    const tests = may.mayRunQuality ? ['Tests that write files fail in it.'] : [];
    return [reads, 'codex tells most refusals nowhere in its stream.', ...tests];
  }
  return may.mayRunShell ? [] : [reads];
}

/**
 * Codex starts MCP servers outside of its own sandbox, so a hat that can only read publishes all the same. The user's other servers cannot be left out
 * (a whole table is merged into theirs); their tools ask before they run, and there is nobody to answer.
 */
export function attachCodex({ server, tools }: EmitAttachOrder): AttachedTool {
  const { command, args } = server;
  // It gives up on a call after a minute (two in later versions), and hears of no progress.
  const seconds = asksPeople({ tools }) ? ASK_SECONDS : handsIn({ tools }) ? CHECK_SECONDS : null;
  const patience = seconds === null ? '' : `,tool_timeout_sec=${seconds}`;
  // The texts and lists of JSON are TOML's as well.
  const table = `{command=${JSON.stringify(command)},args=${JSON.stringify(args)},default_tools_approval_mode="approve",startup_timeout_sec=${START_SECONDS}${patience}}`;
  return { ...NO_ATTACHED_TOOL, args: ['-c', `mcp_servers.${EMIT_SERVER}=${table}`] };
}
