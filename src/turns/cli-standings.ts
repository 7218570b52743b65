import { detectBackends, PROBED_CLIS } from '../backends/clis.ts';
import type { Settings } from '../config/settings.ts';
import type { BackendSpec, BackendType } from '../core/backends/backend-spec.ts';
import { mayChangeTree } from '../core/tools/tool-profiles.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { findAgentPolicy, toAgentCapabilities } from '../runs/hat-capabilities.ts';
import { findOsSandbox } from '../sandbox/find-os-sandbox.ts';
import { hasVerdicts, type ProbeResult, readVerdict } from '../sandbox/probe-verdict.ts';
import { type SandboxMode, wantsConfinement } from '../sandbox/turn-sandbox.ts';

/** What is known of an agent CLI that is installed: whether it holds a profile. */
export interface CliStanding {
  readonly cli: BackendType;
  /** In the CLI's own words. */
  readonly version: string;
  /**
   * Of the strongest layer that was tried: `probed`: it held; `disproved`: something came through; `unclear`: not everything could be tried;
   * `not probed`: no verdict about this version by this version of Ralph.
   */
  readonly standing: 'probed' | 'disproved' | 'unclear' | 'not probed';
  /** Of its flags alone; `null` where it was not probed. */
  readonly flags: ProbeResult['outcome'] | null;
  /** Of the flags in the sandbox of the operating system; `null` where that was not tried. */
  readonly os: ProbeResult['outcome'] | null;
}

/** What `ralph doctor --probe` found of each CLI that is installed and could be probed. Starts each for its version only. Never rejects. */
export async function listCliStandings(env: Environment): Promise<readonly CliStanding[]> {
  const found = await detectBackends({ env, priority: PROBED_CLIS });
  return found.flatMap(({ type: cli, version }): CliStanding[] => {
    if (version === null) return [];
    const verdict = readVerdict(cli, version, RALPH_VERSION, env);
    const [flags, os] = [verdict?.flags.outcome ?? null, verdict?.os?.outcome ?? null];
    return [{ cli, version, standing: toStanding(os ?? flags), flags, os }];
  });
}

function toStanding(outcome: ProbeResult['outcome'] | null): CliStanding['standing'] {
  if (outcome === null) return 'not probed';
  return ({ held: 'probed', broken: 'disproved', unclear: 'unclear' } as const)[outcome];
}

/** What probes said of the agent CLI that wears a hat. */
interface ProbeStanding {
  readonly hat: string;
  readonly cli: BackendType;
  readonly version: string;
  /** What holds the hat: `sandbox` beside the flags, or the flags alone. */
  readonly layer: 'flags' | 'sandbox';
  /** `null`: this version was not probed with this layer. */
  readonly result: ProbeResult | null;
}

/**
 * Looks up what `ralph doctor --probe` found of the CLIs that wear hats which may not change files. Nothing is started for CLIs that were never probed.
 *
 * @returns one sentence for each hat whose CLI did not hold
 * @throws RalphError `profile-disproved` where a sandbox is required for such a hat
 */
export async function checkProbes(settings: Settings, cwd: string, env: Environment): Promise<readonly string[]> {
  const broken = (await listProbeStandings(settings, cwd, env)).filter(({ result }) => result?.outcome === 'broken');
  const refused = broken.find(({ hat }) => toMode(settings, hat) === 'required');
  if (refused !== undefined) throw toRefusal(refused);
  return broken.map(toWarning);
}

/** What is known of each hat that may not change files and is worn by an agent CLI with a verdict. */
async function listProbeStandings(settings: Settings, cwd: string, env: Environment): Promise<readonly ProbeStanding[]> {
  const worn = Object.entries(settings.backends).flatMap(([hat, specs]) => {
    const held = specs.filter((spec) => isHeld(settings, hat, spec));
    const clis = [...new Set(held.map(({ type }) => type))].filter((cli) => hasVerdicts(cli, env));
    return clis.map((cli) => ({ hat, cli, may: toAgentCapabilities(settings, hat, held.find(({ type }) => type === cli) ?? {}) }));
  });
  if (worn.length === 0) return [];
  const [found, os] = await Promise.all([
    detectBackends({ env, priority: [...new Set(worn.map(({ cli }) => cli))] }),
    findOsSandbox(env, cwd),
  ]);
  return worn.flatMap(({ hat, cli, may }): ProbeStanding[] => {
    const version = found.find(({ type }) => type === cli)?.version ?? null;
    if (version === null) return [];
    const isConfined = os.found !== null && wantsConfinement(may, settings.sandbox.mode, settings.sandbox.hats[hat]);
    const verdict = readVerdict(cli, version, RALPH_VERSION, env);
    const result = isConfined ? (verdict?.os ?? null) : (verdict?.flags ?? null);
    return [{ hat, cli, version, layer: isConfined ? 'sandbox' : 'flags', result }];
  });
}

/** Whether a profile keeps an agent of the hat from changing files. */
function isHeld(settings: Settings, hat: string, spec: BackendSpec): boolean {
  return findAgentPolicy(settings, hat, spec) !== null && !mayChangeTree(toAgentCapabilities(settings, hat, spec));
}

function toMode({ sandbox }: Settings, hat: string): SandboxMode {
  return sandbox.hats[hat] ?? sandbox.mode;
}

function toWarning({ hat, cli, version, layer, result }: ProbeStanding): string {
  const layers = layer === 'sandbox' ? 'even in the sandbox' : 'by its flags alone';
  return `${hat} is worn by ${cli} ${version}, which a probe found not to hold its profile ${layers} (came through: ${toThrough(result)}). Changes are told after each turn.`;
}

function toRefusal({ hat, cli, version, result }: ProbeStanding): RalphError {
  return new RalphError({
    code: 'profile-disproved',
    what: `${hat} may not change files, and ${cli} ${version} lets it: a probe came through (${toThrough(result)}).`,
    why: 'A sandbox is required for this hat (`sandbox: required`).',
    fix: 'Let another agent wear it, or another version of this one; probe again after a change: ralph doctor --probe',
  });
}

function toThrough(result: ProbeResult | null): string {
  return [...(result?.through ?? []), ...(result?.others ?? [])].slice(0, 5).join(', ');
}
