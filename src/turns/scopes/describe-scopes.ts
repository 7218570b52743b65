import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { toLabel } from '../../config/compile/compile-backends.ts';
import type { Settings } from '../../config/settings.ts';
import type { BackendSpec } from '../../core/backends/backend-spec.ts';
import { type Capabilities, mayChangeTree } from '../../core/tools/tool-profiles.ts';
import type { Environment } from '../../core/values/environment.ts';
import { RalphError } from '../../core/values/errors.ts';
import { openProjectFolder } from '../../process/open-project-folder.ts';
import { findIsolation } from '../../process/start-process.ts';
import { findQualityCommands } from '../../project/find-checks.ts';
import { findAgentPolicy, toAgentCapabilities } from '../../runs/hat-capabilities.ts';
import { hasView, type OsSandboxSearch, wantsConfinement } from '../../sandbox/turn-sandbox.ts';
import type { CliStanding } from '../cli-standings.ts';
import { hasEmitTool } from '../hat-facts.ts';

export interface ScopeLayer {
  /** `on`: it holds; `partly`: see `limits`; `off`: it does nothing. */
  readonly state: 'on' | 'partly' | 'off';
  readonly text: string;
  /** What it cannot hold back, in whole sentences. */
  readonly limits: readonly string[];
}

export interface HatScope {
  readonly hat: string;
  /** The agent of its panel that this is about; `null` where one agent wears it. */
  readonly agent: string | null;
  readonly backend: string;
  /** `null`: nothing holds it back. */
  readonly profile: string | null;
  readonly isNative: boolean;
  readonly mayChangeFiles: boolean;
  /** The operating system is to hold it back, and cannot here. */
  readonly isUnheld: boolean;
  /** It must hold it back, so no run begins. */
  readonly isRefused: boolean;
  /** Our own agent's tools, or the flags of its CLI. */
  readonly tools: ScopeLayer;
  readonly os: ScopeLayer;
  /** The look at the working tree behind each turn. */
  readonly check: ScopeLayer;
  /** Where its checks (tests, build, lint) write; `null` where they write in the workspace. */
  readonly view: ScopeLayer | null;
}

/** What will be enforced in a folder. */
export interface ScopeReport {
  /** The sandbox of this machine, or why there is none. */
  readonly sandbox: { readonly found: string | null; readonly why: string | null; readonly mode: string };
  readonly hats: readonly HatScope[];
  /** What probes found of the agent CLIs that are installed. */
  readonly probes: readonly CliStanding[];
}

/** Says what would be enforced for the hats of a configuration. */
export async function describeScopes(settings: Settings, cwd: string, env: Environment): Promise<ScopeReport> {
  const { listCliStandings } = await import('../cli-standings.ts');
  const [report, probes] = await Promise.all([listScopes(settings, cwd, env, createViewTeller(settings, cwd)), listCliStandings(env)]);
  return { ...report, probes };
}

/** The same without what takes long. */
async function listScopes(
  settings: Settings,
  cwd: string,
  env: Environment,
  tellView: ViewTeller = async () => null,
): Promise<Omit<ScopeReport, 'probes'>> {
  const { findOsSandbox } = await import('../../sandbox/find-os-sandbox.ts');
  const os = await findOsSandbox(env, cwd);
  const ids = settings.spec.hats === null ? ['ralph'] : [...settings.spec.hats.map((hat) => hat.id), 'ralph'];
  const hats = await Promise.all(
    ids.flatMap((hat) => listWearers(settings, hat).map((wearer) => describeHat({ settings, cwd, os, tellView }, wearer))),
  );
  return {
    sandbox: { found: os.found?.version ?? null, why: os.found === null ? os.why : null, mode: settings.sandbox.mode },
    hats,
  };
}

interface Wearer {
  readonly hat: string;
  readonly agent: string | null;
  readonly spec: BackendSpec;
}

/** Every agent of a panel; of other hats the first backend. */
function listWearers({ spec: { hats }, backends }: Settings, hat: string): readonly Wearer[] {
  const agents = hats?.find(({ id }) => id === hat)?.panel?.agents;
  const worn = backends[hat] ?? [];
  if (agents === undefined) return worn.slice(0, 1).map((spec) => ({ hat, agent: null, spec }));
  return worn.map((spec, place) => ({ hat, agent: agents[place]?.id ?? null, spec }));
}

interface ScopePlace {
  readonly settings: Settings;
  readonly cwd: string;
  readonly os: OsSandboxSearch;
  readonly tellView: ViewTeller;
}

async function describeHat({ settings, cwd, os, tellView }: ScopePlace, { hat, agent, spec }: Wearer): Promise<HatScope> {
  const policy = findAgentPolicy(settings, hat, spec);
  const may = toAgentCapabilities(settings, hat, spec);
  const mode = settings.sandbox.hats[hat] ?? settings.sandbox.mode;
  const isNative = spec.type === 'native' || spec.type === 'scripted';
  const isHeld =
    spec.type !== 'scripted' &&
    (policy !== null || mode === 'required') &&
    wantsConfinement(may, settings.sandbox.mode, settings.sandbox.hats[hat]);
  const facts: HatFacts = { hat, settings, spec, may, cwd, isHeld, isNative, mode, os, isFree: policy === null };
  return {
    hat,
    agent,
    backend: toLabel(spec),
    profile: spec.profile === undefined ? (settings.profileNames[hat] ?? null) : spec.profile,
    isNative: spec.type === 'native',
    mayChangeFiles: mayChangeTree(may),
    isUnheld: isHeld && os.found === null,
    isRefused: isHeld && os.found === null && mode === 'required',
    tools: await describeTools(facts),
    os: describeOs(facts),
    check: mayChangeTree(may) ? off('it may change files, so nothing is compared') : describeCheck(settings),
    view: policy !== null && hasView({ cli: spec.type, may }) ? await tellView(isHeld ? os : { found: null, why: '' }) : null,
  };
}

/** Says where checks write inside of that sandbox. */
type ViewTeller = (os: OsSandboxSearch) => Promise<ScopeLayer | null>;

const VIEW_TEXTS = {
  overlay: 'an overlay over the workspace',
  clone: 'a copy that shares its content with the workspace',
  copy: 'a plain copy of the workspace (no overlay and no shared copy works here)',
} as const;

/** Tries it as a turn would, once for each kind of sandbox. */
function createViewTeller(settings: Settings, cwd: string): ViewTeller {
  const told = new Map<boolean, Promise<ScopeLayer>>();
  const tell = async (os: OsSandboxSearch): Promise<ScopeLayer> => {
    const { predictViewKind } = await import('../../sandbox/workspace-view.ts');
    const search = settings.isolation === 'off' ? null : await findIsolation();
    const isolation = search?.ok ? search.value : undefined;
    const kind = await predictViewKind({ workspace: realpathSync(cwd), stateDir: resolve(cwd, settings.stateDir), isolation, os });
    if (kind === null)
      return off('no view: the workspace is larger than 500 MB, so they write as an agent CLI would, and what may not be written fails');
    return { state: 'on', text: `tests, builds and lint write in ${VIEW_TEXTS[kind]}, thrown away with the turn`, limits: [] };
  };
  return (os) => {
    const known = told.get(os.found !== null) ?? tell(os);
    told.set(os.found !== null, known);
    return known;
  };
}

interface HatFacts {
  readonly hat: string;
  readonly settings: Settings;
  readonly spec: BackendSpec;
  readonly may: Capabilities;
  readonly cwd: string;
  readonly isHeld: boolean;
  readonly isNative: boolean;
  readonly mode: string;
  readonly os: OsSandboxSearch;
  readonly isFree: boolean;
}

function off(text: string): ScopeLayer {
  return { state: 'off', text, limits: [] };
}

async function describeTools({ settings, hat, spec, may, cwd, isHeld, isNative, os, isFree }: HatFacts): Promise<ScopeLayer> {
  if (isFree) return off('no profile');
  if (isNative)
    return { state: 'on', text: 'our own tools: what the profile does not offer is not there, and refused when it is called', limits: [] };
  const { hasScopeFlags, listToolChecks, planEmitAttach, planScope } = await import('../../sandbox/plan-scope.ts');
  const qualityCommands = findQualityCommands(settings, openProjectFolder(cwd));
  const server = { command: 'ralph', args: [] };
  const checks = listToolChecks(spec.type, may, qualityCommands);
  const wanted = { cli: spec.type, server, tools: [], folder: '/private', isAlone: !mayChangeTree(may), checks };
  const { limits } = planScope({
    cli: spec.type,
    may,
    qualityCommands,
    args: spec.args,
    permissions: spec.permissions,
    env: spec.env,
    folder: '/private',
    cwd,
    attach: hasEmitTool(settings, hat, spec) ? planEmitAttach(wanted) : null,
    isConfined: isHeld && os.found !== null,
  });
  if (!hasScopeFlags(spec.type)) return { state: 'off', text: `nothing can be said to ${spec.type}`, limits };
  return { state: limits.length === 0 ? 'on' : 'partly', text: `the flags of ${spec.type}: advice that a model can get around`, limits };
}

function describeOs({ isHeld, isNative, isFree, spec, mode, os, settings, may }: HatFacts): ScopeLayer {
  if (spec.type === 'scripted') return off('it plays a script in this process, and starts nothing');
  if (isNative && !isFree && !isHeld && mode !== 'off' && os.found?.kind === 'bubblewrap') return describeApart(os.found.version);
  if (!isHeld)
    return off(mode === 'off' ? '`sandbox: off`' : 'hats that may change files are not held, unless `sandbox: required` says so');
  if (os.found === null) return off(mode === 'required' ? `${os.why}. A sandbox is required. A run is refused.` : os.why);
  const network = settings.sandbox.hasNetwork ? ['It reaches the network, and services of this machine on it.'] : [];
  const reading = 'It can read what the user can read, homes left out.';
  const tree =
    may.mayWrite || may.mayRunShell || may.mayGitWrite
      ? 'writes in the workspace only'
      : 'the workspace is read-only but for `.agent/` and build folders';
  if (!isNative) return { state: 'on', text: `${os.found.version}: ${tree}; nothing survives the turn`, limits: [reading, ...network] };
  return {
    state: 'on',
    text: `${os.found.version} around what its tools start (tests, git): ${tree}; nothing survives`,
    limits: [reading, ...network, 'The agent itself runs in this process, and MCP servers beside it.'],
  };
}

/** What our own agent starts for a hat that may write. */
function describeApart(version: string): ScopeLayer {
  return {
    state: 'partly',
    text: `${version} around what its tools start: it sees no process outside, Ralph's own among them`,
    limits: ['It may change files, and they are not held; `sandbox: required` keeps what it starts to the workspace.'],
  };
}

function describeCheck({ sandbox }: Settings): ScopeLayer {
  const fate = sandbox.onViolation === 'revert' ? 'taken back' : 'reported';
  return {
    state: 'on',
    text: `what changed in the working tree, in refs and in git's own files is ${fate}`,
    limits: ['It comes after the turn, and does not see what happens outside of the repository.'],
  };
}

/**
 * What a person should know before a run begins: hats that the operating system does not hold.
 *
 * @throws RalphError `sandbox-missing` where a hat requires what is not there
 */
export async function toScopeWarnings(settings: Settings, cwd: string, env: Environment): Promise<readonly string[]> {
  if (!bindsSomebody(settings) && !Object.values(settings.sandbox.hats).includes('required')) return [];
  const report = await listScopes(settings, cwd, env);
  const bare = report.hats.filter((entry) => entry.profile !== null && !entry.mayChangeFiles && isBare(entry)).map(toName);
  const told = bare.length === 0 ? [] : [`Nothing keeps ${bare.join(', ')} from writing: neither the agent nor the sandbox, which is off.`];
  if (report.sandbox.why === null) return told;
  const unheld = report.hats.filter((entry) => entry.isUnheld);
  // Of our own agent only what its tests write is open: not a word at every run of it.
  const open = unheld.filter(({ isNative, profile, mayChangeFiles }) => profile !== null && !mayChangeFiles && !isNative);
  const needing = unheld.filter(({ isRefused }) => isRefused);
  if (needing.length > 0) throw toMissing(needing, report.sandbox.why);
  if (open.length === 0) return told;
  const names = open.map(toName).join(', ');
  return [`The operating system does not keep ${names} from writing: ${report.sandbox.why}. See what is left: ralph doctor --sandbox`];
}

function bindsSomebody({ policies, backends }: Settings): boolean {
  if (Object.values(policies).some((policy) => policy !== null)) return true;
  return Object.values(backends).some((specs) => specs.some(({ profile = null }) => profile !== null));
}

function toName({ hat, agent }: HatScope): string {
  return agent === null ? hat : `${hat} (${agent})`;
}

/** No sandbox is wanted, and the agent takes no scope: what it does is seen afterwards alone. */
function isBare({ isUnheld, tools, os }: HatScope): boolean {
  return !isUnheld && tools.state === 'off' && os.state === 'off';
}

function toMissing(hats: readonly HatScope[], why: string): RalphError {
  return new RalphError({
    code: 'sandbox-missing',
    what: `A sandbox is required for ${[...new Set(hats.map(({ hat }) => hat))].join(', ')}, and there is none here.`,
    why,
    fix: 'Install it, or let the other layers do: sandbox: auto',
    exitCode: 2,
  });
}

/**
 * What a person should know before a run begins: hats whose CLI did not hold their profile when it was probed. Most teams hold nobody: they do without the room that knows how.
 *
 * @throws RalphError `profile-disproved` where a sandbox is required for such a hat
 */
export async function toProbeWarnings(settings: Settings, cwd: string, env: Environment): Promise<readonly string[]> {
  if (!bindsSomebody(settings)) return [];
  const { checkProbes } = await import('../cli-standings.ts');
  return checkProbes(settings, cwd, env);
}
