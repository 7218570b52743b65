import { mayWork } from '../../core/tools/tool-profiles.ts';
import { bare, listed, withoutFlags } from '../describe/flags.ts';
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
  bare('--yolo', '--allow-all', '--allow-all-tools', '--allow-all-paths', '--allow-all-urls', '--trust-folder'),
  listed('--allow-tool', '--deny-tool', '--available-tools', '--excluded-tools', '--add-dir', '--allow-url'),
];

/** In a folder that is trusted it starts the project's hooks and servers, which are programs. Older versions keep the list in the second file. Tried with 1.0.102. */
const DISTRUST = [
  { path: '.copilot/settings.json', merge: { trustedFolders: [], disableAllHooks: true } },
  { path: '.copilot/config.json', merge: { trustedFolders: [], trusted_folders: [] } },
];

/** GitHub Copilot CLI: a list of tools that exist and a list of those it need not ask for. */
export function scopeCopilot(order: ScopeOrder): CliScope {
  const { may, attach } = order;
  const user = [...withoutFlags(order.args, LIFTING), ...(attach?.args ?? [])];
  const extra = { env: attach?.env ?? {}, files: attach?.files ?? [] };
  if (mayWork(may)) {
    const hidden = may.mayWeb ? [] : ['--excluded-tools', 'web_fetch,web_search'];
    return { ...extra, args: [...user, ...hidden], permissions: order.permissions };
  }
  const commands = toCommands(order);
  const hasShell = may.mayRunShell || commands.length > 0;
  const tools = [
    ...(may.mayRead ? ['view', 'grep', 'glob'] : []),
    ...(may.mayWrite ? ['create', 'edit'] : []),
    ...(may.mayWeb ? ['web_fetch', 'web_search'] : []),
    ...(hasShell ? ['bash'] : []),
    ...(attach?.allow ?? []).map(toToolName),
  ];
  const allowed = [
    ...(may.mayRunShell ? ['shell'] : commands.map((command) => `shell(${command})`)),
    ...(may.mayWrite ? ['write'] : []),
    ...(attach?.allow ?? []),
  ];
  // A list of what exists is enough where all of it may be used: asking would end in a refusal.
  const answers = hasShell ? ['--allow-tool', ...allowed] : ['--allow-all-tools'];
  return {
    ...extra,
    // `true` would allow every tool and trust the folder.
    env: { ...extra.env, COPILOT_ALLOW_ALL: 'false' },
    settings: DISTRUST,
    args: [...user, '--available-tools', tools.join(','), ...answers],
    permissions: 'default',
    limits: [
      ...(may.mayWeb && hasShell ? ['Web pages are refused: copilot would ask for each address.'] : []),
      ...(may.mayGitRead && !hasShell ? ['Git can only be read inside the sandbox of the operating system.'] : []),
    ],
  };
}

/** It looks at the beginning of a command only: `git log --output=FILE` would write, so without a wall there is no shell at all. */
function toCommands({ may, isConfined }: ScopeOrder): readonly string[] {
  return !may.mayRunShell && may.mayGitRead && isConfined ? GIT_LOOKS : [];
}

/** `hats(emit_event)` is allowed; `hats-emit_event` is what exists. */
function toToolName(allowed: string): string {
  const match = /^([\w-]+)\(([\w-]+)\)$/.exec(allowed);
  return match === null ? allowed : `${match[1]}-${match[2]}`;
}

/** By a list of servers in its arguments. */
export function attachCopilot({ server, tools, checks }: EmitAttachOrder): AttachedTool {
  const entry = { type: 'local', ...toServerCommand(server), tools: ['*'], timeout: toServerTimeoutMs({ tools, checks }) };
  const allow = listServerTools({ tools, checks }).map((tool) => `${EMIT_SERVER}(${tool})`);
  return { ...NO_ATTACHED_TOOL, args: ['--additional-mcp-config', toServerList(entry)], allow, checks };
}

/** Where it asks before it uses a tool, this one is allowed. */
export function openCopilot({ allow }: AttachedTool, { isAsked }: { readonly isAsked: boolean }): Partial<CliScope> {
  return isAsked ? { args: ['--allow-tool', ...allow] } : {};
}
