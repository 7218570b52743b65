import { join } from 'node:path';
import { mayWork } from '../capabilities.ts';
import type { CliScope, ScopeOrder } from '../scope-plan.ts';
import { bare, listed, valued, withoutFlags } from '../without-flags.ts';

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

/** Gemini CLI: a policy file. A rule without `argsPattern` also takes the tool out of what the model is offered. */
export function scopeGemini(order: ScopeOrder): CliScope {
  const { may, attach } = order;
  const works = mayWork(may);
  const runs = may.mayRunQuality && !may.mayRunShell ? order.qualityCommands : [];
  const hidden = [
    ...(may.mayWrite ? [] : WRITE),
    ...(works ? [] : DETOURS),
    ...(may.mayWeb ? [] : WEB),
    ...(may.mayRunShell || runs.length > 0 ? [] : [SHELL]),
    ...(may.mayRead ? [] : ['read_file', 'read_many_files', 'list_directory', 'glob', 'grep_search', 'search_file_content']),
  ];
  const rules = [
    ...(hidden.length === 0 ? [] : [toRule({ toolName: hidden, decision: 'deny', priority: 900 })]),
    ...(runs.length === 0 ? [] : toShellRules(runs)),
  ];
  const files = rules.length === 0 ? [] : [{ path: POLICY, content: rules.join('\n') }];
  const policies = files.length === 0 ? [] : ['--policy', join(order.folder, POLICY)];
  return {
    args: [...withoutFlags(order.args, LIFTING), ...(attach?.args ?? []), ...policies],
    env: attach?.env ?? {},
    files: [...files, ...(attach?.files ?? [])],
    // Its bypass would let `npm test > file` through.
    permissions: runs.length > 0 ? 'default' : works ? order.permissions : 'bypass',
    limits: [
      ...(runs.length === 0 ? [] : ['gemini allows commands by their beginning: what follows it is not looked at.']),
      ...(may.mayGitRead && !may.mayRunShell ? ['Git cannot be read: gemini has no tool for it but its shell.'] : []),
    ],
  };
}

function toShellRules(commands: readonly string[]): readonly string[] {
  return [
    toRule({ toolName: SHELL, commandPrefix: commands, decision: 'allow', priority: 910 }),
    // With a pattern the tool stays offered.
    toRule({ toolName: SHELL, argsPattern: '.*', decision: 'deny', priority: 900 }),
  ];
}

/** One rule as TOML. JSON's texts, numbers and lists of texts are TOML's as well. */
function toRule(rule: Readonly<Record<string, string | number | readonly string[]>>): string {
  return ['[[rule]]', ...Object.entries(rule).map(([key, value]) => `${key} = ${JSON.stringify(value)}`), ''].join('\n');
}
