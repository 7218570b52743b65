import { findCli } from '../backends/clis.ts';
import type { Settings } from '../config/settings.ts';
import type { BackendSpec } from '../core/backends/backend-spec.ts';
import { RALPH } from '../core/events/reserved.ts';
import { toGateName } from '../core/gates/gate-spec.ts';
import { toUsdText } from '../core/text/duration.ts';
import { maskControls } from '../core/text/mask-controls.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError, toErrorMessage } from '../core/values/errors.ts';
import type { GitPrograms } from '../git/contract.ts';
import { packObjects } from '../git/objects.ts';
import { captureBase, findRepository } from '../git/repository.ts';
import { isSecretVariable, listKeyNames, MODEL_KEYS } from './known-secrets.ts';
import { toStateDirs } from './run-isolation.ts';

/** Something that keeps a safe run from beginning, and what mends it: a sentence each. */
export interface SafetyObstacle {
  readonly what: string;
  readonly fix: string;
}

/**
 * What a safe run needs of this machine and this folder and does not find; `null` where all is there.
 *
 * @param stateDirs names of the folders for state
 */
export async function findSafetyObstacle(cwd: string, env: Environment, stateDirs: readonly string[]): Promise<SafetyObstacle | null> {
  const { findOsSandbox } = await import('../sandbox/find-os-sandbox.ts');
  const [os, base] = await Promise.all([findOsSandbox(env, cwd), captureBase({ cwd, env, stateDirs })]);
  if (os.found === null)
    return {
      what: `no agent can be held by the operating system here: ${os.why}`,
      fix: 'Install bubblewrap, or allow it user namespaces.',
    };
  if (os.found.kind !== 'bubblewrap')
    return {
      what: 'the sandbox of macOS was never tried with an agent at work',
      fix: 'Work in a Linux machine or container with bubblewrap.',
    };
  if (base.commit === null)
    return {
      what: 'this is no git repository with a commit, so there can be no worktree',
      fix: 'git init; git add .; git commit -m "first"',
    };
  return null;
}

/**
 * Looks whether a run can be what `safe` promises.
 *
 * @throws RalphError `safe-refused` (exit code 2)
 */
export async function requireSafety(settings: Settings, cwd: string, env: Environment): Promise<void> {
  if (settings.isSafe !== true) return;
  const obstacle = findContradiction(settings) ?? (await findSafetyObstacle(cwd, env, toStateDirs(settings)));
  if (obstacle !== null) throw toSafeRefused(obstacle, 'The run is to be safe', 'or run without it: ralph run --no-safe');
}

/**
 * Looks whether gates that run what a safe run wrote can still be held as they were in it.
 *
 * @param without what a person does who goes on without that
 * @throws RalphError `safe-refused` (exit code 2)
 */
export async function requireHeldGates(settings: Settings, cwd: string, env: Environment, without: string): Promise<void> {
  if (settings.isSafe !== true) return;
  const obstacle = await findSafetyObstacle(cwd, env, toStateDirs(settings));
  if (obstacle !== null) throw toSafeRefused(obstacle, 'The run was safe, and so are its gates', without);
}

function toSafeRefused(obstacle: SafetyObstacle, start: string, without: string): RalphError {
  return new RalphError({
    code: 'safe-refused',
    what: `${start}, and ${obstacle.what}.`,
    why: 'Half of it would not be safe: an unconfined agent reads and writes whatever you can.',
    fix: `${obstacle.fix}\n${without}`,
    exitCode: 2,
  });
}

/**
 * Packs what lies open in the repository before a safe run begins or goes on: its agents write new objects beside those of the person, and nothing that is packed.
 *
 * @throws RalphError `safe-refused` (exit code 2)
 */
export async function packForSafety(settings: Settings, cwd: string, env: Environment, programs?: GitPrograms): Promise<void> {
  if (settings.isSafe !== true) return;
  try {
    const search = await findRepository({ cwd, env, stateDirs: toStateDirs(settings), programs });
    if (!search.ok) throw new Error(search.refused);
    await packObjects(search.value);
  } catch (error) {
    const why = toErrorMessage(error);
    const obstacle = {
      what: `git cannot pack the objects of this repository, which agents could replace: ${why}`,
      fix: 'See what is wrong: git fsck',
    };
    throw toSafeRefused(obstacle, 'The run is to be safe', 'Or run without it: ralph run --no-safe');
  }
}

/**
 * The environment of an agent of a safe run: without the secrets that it does not sign in with. What the configuration gives it by name (`env`) is not asked about.
 *
 * @param named variables whose keys the configuration names
 */
export function withOwnLogins(env: Environment, { type }: Pick<BackendSpec, 'type'>, named: readonly string[]): Environment {
  const own = findCli(type)?.keys ?? ANY_PROVIDER;
  const isOwn = (name: string): boolean => named.includes(name) || (MODEL_KEYS.has(name) && own.test(name));
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => isOwn(name) || !isSecretVariable(name, value)));
}

const ANY_PROVIDER = /^(?!GITHUB_|GH_|AWS_)/;

const SHOWN = 5;

/** What a person should know before a safe run: variables that its agents do not get. No sentence where there are none. */
export function toWithheldWarnings(settings: Settings, env: Environment): readonly string[] {
  if (settings.isSafe !== true) return [];
  const named = listKeyNames(settings);
  const specs = Object.values(settings.backends).flat();
  const given = new Set(specs.flatMap((spec) => [...Object.keys(withOwnLogins(env, spec, named)), ...Object.keys(spec.env)]));
  const withheld = Object.keys(env).filter((name) => env[name] !== undefined && !given.has(name));
  if (withheld.length === 0) return [];
  const more = withheld.length > SHOWN ? `, and ${withheld.length - SHOWN} more` : '';
  const names = withheld.slice(0, SHOWN).map((name) => maskControls(name.slice(0, 60)));
  return [
    `Agents of this safe run do not get what looks like a secret: ${names.join(', ')}${more}. One that they need is given by name: cli: {env: {${names[0]}: \${${names[0]}}}}`,
  ];
}

/** What the configuration says against it. */
function findContradiction({ worksIn, sandbox, spec, backends, mcpServers }: Settings): SafetyObstacle | null {
  if (worksIn !== 'worktree')
    return {
      what: '`workspace: in_place` says that it works in this folder',
      fix: 'Leave `workspace` out: a safe run works in a worktree.',
    };
  const free = Object.entries(sandbox.hats).find(([, mode]) => mode === 'off')?.[0];
  if (sandbox.mode === 'off' || free !== undefined)
    return { what: `\`sandbox: off\` lets ${free ?? 'every hat'} go free`, fix: 'Leave `sandbox: off` out.' };
  const gate = spec.gates.find(({ isolation }) => isolation === 'off');
  if (gate !== undefined)
    return {
      what: `the gate ${toGateName(gate)} is to run in the open (\`isolation: off\`)`,
      fix: 'Leave `isolation: off` out of the gate.',
    };
  const isNative = Object.values(backends)
    .flat()
    .some(({ type }) => type === 'native');
  if (isNative && mcpServers.length > 0)
    return { what: 'MCP servers of the native agent run outside of the sandbox', fix: 'Leave `mcp_servers` out, or take an agent CLI.' };
  return null;
}

/**
 * What the agents of a run can reach, in one sentence for its person; empty where nothing is started that could reach anything.
 *
 * @param isOnFleet its turns are taken by workers: what they reach is on the machines of these
 */
export function describeReach(
  { isSafe, backends, sandbox, spec }: Pick<Settings, 'isSafe' | 'backends' | 'sandbox' | 'spec'>,
  isOnFleet: boolean,
): string {
  const agents = Object.entries(backends).flatMap(([id, specs]) => (specs.some(({ type }) => type !== 'scripted') ? [id] : []));
  if (agents.length === 0) return '';
  const network = sandbox.hasNetwork ? 'the network' : 'no network';
  if (isSafe === true) {
    const { maxCostUsd } = spec.limits;
    const cost = maxCostUsd === null ? 'no limit of cost (--max-cost sets one)' : `at most ${toUsdText(maxCostUsd)}`;
    if (isOnFleet)
      return `safe: on the machine of their worker agents write in their worktree only, see nothing of the home there but what their CLI signs in with, and reach ${network}; gates write in their worktree here; ${cost}`;
    return `safe: agents and gates write in their worktree only, see nothing of your home but what their CLI signs in with, and reach ${network}; ${cost}`;
  }
  const free = agents.filter((id) => sandbox.hats[id] !== 'required');
  const team = free.filter((id) => id !== RALPH);
  const who =
    free.length === agents.length || team.length === 0 ? 'agents' : `${team.slice(0, 3).join(', ')}${team.length > 3 ? ' and others' : ''}`;
  if (isOnFleet)
    return `on the machine of their worker ${who} can read and change whatever its account can, keys in its home and the network included; --safe holds them`;
  return `${who} can read and change whatever you can, keys in your home and the network included; --safe holds them`;
}
