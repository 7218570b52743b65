import { findCli, NO_ATTACHED_TOOL, type ScopeOrder, type ScopePlan } from '../backends/index.ts';

/** What an agent that nothing holds back is started with when it gets the tool `emit_event`: its own arguments, and those of the tool. Pure. */
export function planOpenScope(order: Pick<ScopeOrder, 'cli' | 'args' | 'permissions' | 'env' | 'attach'>): ScopePlan {
  const { cli, args, permissions, env, attach } = order;
  const own = attach ?? NO_ATTACHED_TOOL;
  // Where the CLI asks before it uses a tool, this one is allowed. Those that say nothing of it say it in the server's own entry, or ask nobody.
  const more = findCli(cli)?.emitTool?.open?.(own, { env, isAsked: permissions === 'default' });
  return {
    args: [...args, ...own.args, ...(more?.args ?? [])],
    env: { ...own.env, ...more?.env },
    files: own.files,
    settings: [],
    permissions,
    prompt: 'stdin',
    limits: [],
  };
}
