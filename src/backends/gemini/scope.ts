import { join } from 'node:path';
import { mayWork } from '../../core/tools/tool-profiles.ts';
import { bare, listed, valued, withoutFlags } from '../describe/flags.ts';
import type { AttachedTool, CliScope, EmitAttachOrder, ScopeOrder } from '../describe/scope-plan.ts';
import { EMIT_SERVER, listServerTools, NO_ATTACHED_TOOL, toServerCommand, toServerTimeoutMs } from '../describe/scope-plan.ts';

const LIFTING = [
  bare('--yolo', '-y'),
  valued('--approval-mode', '--policy', '--admin-policy'),
  listed('--allowed-tools', '--include-directories', '--allowed-mcp-server-names'),
];
const POLICY = 'gemini-policy.toml';
const SHELL = 'run_shell_command';
const WRITE = ['write_file', 'replace'];
/** Sub-agents, skills and modes have rules of their own, so a hat that is held back does without. */
const DETOURS = ['invoke_agent', 'activate_skill', 'enter_plan_mode'];
const WEB = ['google_web_search', 'web_fetch'];
const TRUST = 'gemini-trust.json';
/** Settings of a folder that is not trusted are not read: they could start programs, and servers under our server's name. Tried with 0.61. */
const DISTRUST = { path: '.gemini/settings.json', merge: { security: { folderTrust: { enabled: true } } } };

/** Gemini CLI: a policy file. A rule without `argsPattern` also takes the tool out of what the model is offered. */
export function scopeGemini(order: ScopeOrder): CliScope {
  const { may, attach } = order;
  const works = mayWork(may);
  const hidden = [
    ...(may.mayWrite ? [] : WRITE),
    ...(works ? [] : DETOURS),
    ...(may.mayWeb ? [] : WEB),
    ...(may.mayRunShell ? [] : [SHELL]),
    ...(may.mayRead ? [] : ['read_file', 'read_many_files', 'list_directory', 'glob', 'grep_search', 'search_file_content']),
  ];
  const policy = hidden.length === 0 ? [] : [{ path: POLICY, content: toRule({ toolName: hidden, decision: 'deny', priority: 900 }) }];
  const policies = policy.length === 0 ? [] : ['--policy', join(order.folder, POLICY)];
  return {
    args: [...withoutFlags(order.args, LIFTING), ...(attach?.args ?? []), ...policies],
    env: {
      ...attach?.env,
      ...(works ? {} : { GEMINI_CLI_TRUSTED_FOLDERS_PATH: join(order.folder, TRUST), GEMINI_CLI_TRUST_WORKSPACE: 'false' }),
    },
    files: [...policy, ...(works ? [] : [{ path: TRUST, content: '{}' }]), ...(attach?.files ?? [])],
    settings: works ? [] : [DISTRUST],
    permissions: works ? order.permissions : 'bypass',
    limits: may.mayGitRead && !may.mayRunShell ? ['Git cannot be read: gemini has no tool for it but its shell.'] : [],
  };
}

/** One rule as TOML. JSON's texts, numbers and lists of texts are TOML's as well. */
function toRule(rule: Readonly<Record<string, string | number | readonly string[]>>): string {
  return ['[[rule]]', ...Object.entries(rule).map(([key, value]) => `${key} = ${JSON.stringify(value)}`), ''].join('\n');
}

/** Gemini knows servers from its settings alone, so it gets a home of its own in which they are the user's and this one more. */
export function attachGemini({ server, isAlone, tools, checks }: EmitAttachOrder): AttachedTool {
  return {
    ...NO_ATTACHED_TOOL,
    args: isAlone ? ['--allowed-mcp-server-names', EMIT_SERVER] : [],
    allow: listServerTools({ tools, checks }).map((tool) => `mcp_${EMIT_SERVER}_${tool}`),
    checks,
    settings: {
      path: '.gemini/settings.json',
      merge: { mcpServers: { [EMIT_SERVER]: { ...toServerCommand(server), trust: true, timeout: toServerTimeoutMs({ tools, checks }) } } },
    },
  };
}
