import { detectBackends } from '../backends/clis.ts';
import type { BackendReport } from '../backends/detect/detect-backends.ts';
import { findCommand } from '../backends/detect/find-command.ts';
import { type BackendType, toBackendLabel } from '../core/backends/backend-spec.ts';
import { isLoopEvent } from '../core/hooks/hook-moments.ts';
import { isRalphError, RalphError } from '../core/values/errors.ts';
import { tryOr } from '../core/values/result.ts';
import { createGit } from '../git/git.ts';
import { findIsolation } from '../process/start-process.ts';
import { WITHOUT_ISOLATION } from '../safety/run-isolation.ts';
import { describeScopes, type ScopeReport } from '../turns/scopes/describe-scopes.ts';
import {
  type CheckedConfig,
  type CheckRequest,
  checkConfig,
  createAgentLook,
  findHatsWithoutAgent,
  toMissingAgentFix,
  toMissingAgentText,
} from '../validation/check-config.ts';
import { checkNativeAgents, checkToolParts, type DoctorCheck } from './check-native.ts';

export interface DoctorReport {
  readonly checks: readonly DoctorCheck[];
  readonly backends: readonly BackendReport[];
}

/** Where a look at a folder starts from: its configuration as a run would read it, and the environment of agents. */
export interface ExamineRequest extends CheckRequest {
  readonly env: Readonly<Record<string, string>>;
}

/** Looks at the machine and at the folder: nothing is changed, nothing is sent anywhere. */
export async function examine(request: ExamineRequest): Promise<DoctorReport> {
  const { cwd, env } = request;
  const [backends, git, config, hats, native, tools, isolation] = await Promise.all([
    detectBackends({ env, envOf: readAgentEnv(request) }),
    checkGit(cwd, env),
    checkConfiguration(request),
    checkHatAgents(request),
    checkNativeAgents(request),
    checkToolParts(request),
    checkIsolation(),
  ]);
  return {
    checks: [
      { name: 'Node.js', status: 'ok', text: process.versions.node },
      git,
      config,
      checkRoot(),
      isolation,
      checkAgents(backends, findOwnAgents(request), native.length > 0),
      ...hats,
      ...checkHooks(readConfiguration(request)?.settings ?? null),
      ...native,
      ...tools,
    ],
    backends,
  };
}

async function checkIsolation(): Promise<DoctorCheck> {
  const search = await findIsolation();
  if (!search.ok)
    return {
      name: 'isolation',
      status: 'warning',
      text: `none: ${search.refused.reason}`,
      fix: `${search.refused.advice} Without it ${WITHOUT_ISOLATION}.`,
    };
  const text = search.value.hasUserNamespace
    ? 'process and user namespaces: sudo and other setuid programs do not work for agents and gates'
    : 'process namespaces; as root an agent can undo what protects .ralph';
  return { name: 'isolation', status: 'ok', text };
}

async function checkGit(cwd: string, env: Readonly<Record<string, string>>): Promise<DoctorCheck> {
  const git = createGit({ cwd, env });
  const version = await git(['--version'], { timeoutMs: 5000 });
  if (version.exitCode === null)
    return {
      name: 'git',
      status: 'warning',
      text: 'not found',
      fix: 'Without git there are no checkpoints, no worktrees and no `ralph show --diff`.',
    };
  const inside = await git(['rev-parse', '--is-inside-work-tree'], { timeoutMs: 5000 });
  const text = version.stdout.trim().replace('git version ', '');
  if (inside.exitCode === 0) return { name: 'git', status: 'ok', text };
  return {
    name: 'git',
    status: 'warning',
    text: `${text}; this folder is no repository`,
    fix: 'Checkpoints are off here. To have them: git init',
  };
}

async function checkConfiguration(request: ExamineRequest): Promise<DoctorCheck> {
  try {
    const { files, settings, diagnostics } = checkConfig({ ...request, prompt: 'optional' });
    const file = files.length === 0 ? 'none' : files.join(', ');
    const errors = diagnostics.filter((entry) => entry.severity === 'error').length;
    if (settings === null)
      return { name: 'configuration', status: 'problem', text: `${file}: ${errors} errors`, fix: 'See them: ralph validate' };
    return { name: 'configuration', status: 'ok', text: files.length === 0 ? 'none: one agent does everything (solo)' : file };
  } catch (error) {
    return { name: 'configuration', status: 'problem', text: isRalphError(error) ? error.message : String(error) };
  }
}

/** Whether everybody in this folder's team has an agent that is there. Our own agent has a check of its own, and so has a machine without any. */
async function checkHatAgents(request: ExamineRequest): Promise<readonly DoctorCheck[]> {
  const checked = readConfiguration(request);
  if (checked?.settings === undefined || checked.settings === null || checked.coordination === null) return [];
  const { settings, coordination } = checked;
  const look = await createAgentLook(request.env, request.cwd);
  const find: typeof look.find = (spec, ...place) => (spec.type === 'auto' ? null : look.find(spec, ...place));
  const unserved = findHatsWithoutAgent(settings, coordination, request.cwd, { find });
  return unserved.map(
    (entry): DoctorCheck => ({
      name: 'hats',
      status: 'problem',
      text: toMissingAgentText(entry),
      fix: toMissingAgentFix([entry], look.listPresent()).replaceAll('\n', '; '),
    }),
  );
}

/** Whose hooks of tools are not asked, because an agent CLI wears the hat: each hat by itself. Those that are asked need no word. */
function checkHooks(settings: CheckedConfig['settings']): readonly DoctorCheck[] {
  return Object.entries(settings?.hooks ?? {}).flatMap(([hat, hooks]): DoctorCheck | [] => {
    // The loop asks the others, whatever agent wears the hat.
    if (hooks.every(({ event }) => isLoopEvent(event))) return [];
    const types = [...new Set((settings?.backends[hat] ?? []).map(({ type }) => type).filter((type) => type !== 'native'))];
    if (types.length === 0) return [];
    const names = types.map((type) => (type === 'auto' ? 'the agent CLI that is found' : type)).join(', ');
    return {
      name: 'hooks',
      status: 'warning',
      text: `those of ${hat} do not bind: ${names} ${types.length === 1 ? 'calls its tools by itself' : 'call their tools by themselves'}`,
      fix: 'Give the hat `backend: {type: native, …}`, or bind it by a `profile`, a `sandbox` and `gates`.',
    };
  });
}

/** The programs of the user's own that the configuration names as agents, as far as they are there. */
function findOwnAgents(request: ExamineRequest): readonly string[] {
  const specs = Object.values(readConfiguration(request)?.settings?.backends ?? {}).flat();
  const found = specs.flatMap((spec) => {
    if (spec.command === undefined) return [];
    const place = findCommand(spec.command, request.cwd, spec.env['PATH'] ?? request.env['PATH']);
    return place.ok ? [`${toBackendLabel(spec)} (${place.value})`] : [];
  });
  return [...new Set(found)];
}

function readConfiguration(request: ExamineRequest): CheckedConfig | null {
  // What is wrong with the configuration is told by another check.
  return tryOr(() => checkConfig({ ...request, prompt: 'optional' }), null);
}

/** The variables that the configuration gives the agents of a type, all its hats taken together. */
function readAgentEnv(request: ExamineRequest): (type: BackendType) => Readonly<Record<string, string>> {
  const specs = Object.values(readConfiguration(request)?.settings?.backends ?? {}).flat();
  return (type) => Object.assign({}, ...specs.filter((spec) => spec.type === type || spec.type === 'auto').map(({ env }) => env));
}

function checkRoot(): DoctorCheck {
  if (process.getuid?.() !== 0) return { name: 'user', status: 'ok', text: 'not root' };
  return {
    name: 'user',
    status: 'warning',
    text: 'root',
    fix: 'Claude refuses its bypass flag as root unless IS_SANDBOX=1 is set; Ralph sets it for its agents. Better: work as a user, in a container.',
  };
}

function checkAgents(backends: readonly BackendReport[], own: readonly string[], usesNative: boolean): DoctorCheck {
  const found = [...backends.filter((entry) => entry.path !== null).map((entry) => entry.type), ...own];
  if (found.length > 0) return { name: 'agents', status: 'ok', text: found.join(', ') };
  if (usesNative) return { name: 'agents', status: 'ok', text: 'no agent CLI was found; the native agent needs none' };
  return {
    name: 'agents',
    status: 'problem',
    text: 'no agent CLI was found',
    fix: 'Install one, such as: npm install -g @anthropic-ai/claude-code',
  };
}

/**
 * Says what would be enforced for the hats of a configuration.
 *
 * @throws RalphError `config-invalid`
 */
export async function examineScopes(request: CheckRequest): Promise<ScopeReport> {
  const { cwd, env = {} } = request;
  const { settings } = checkConfig({ ...request, prompt: 'optional' });
  if (settings !== null) return describeScopes(settings, cwd, env);
  throw new RalphError({
    code: 'config-invalid',
    what: 'The configuration cannot be read, so it is not known what would be enforced.',
    fix: 'See what is wrong: ralph validate',
    exitCode: 1,
  });
}
