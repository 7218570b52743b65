import { detectBackends } from '../backends/index.ts';
import type { Settings } from '../config/index.ts';
import {
  type BackendType,
  BUILT_IN_CARDS,
  type Capabilities,
  mayChangeTree,
  RalphError,
  resolveProfile,
  toCapabilities,
} from '../core/index.ts';
import { findOsSandbox, hasVerdicts, type ProbeResult, readVerdict, type SandboxMode, wantsConfinement } from '../sandbox/index.ts';

type Env = Readonly<Record<string, string | undefined>>;

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
export async function checkProbes(settings: Settings, cwd: string, env: Env): Promise<readonly string[]> {
  const broken = (await listProbeStandings(settings, cwd, env)).filter(({ result }) => result?.outcome === 'broken');
  const refused = broken.find(({ hat }) => toMode(settings, hat) === 'required');
  if (refused !== undefined) throw toRefusal(refused);
  return broken.map(toWarning);
}

/** What is known of each hat that may not change files and is worn by an agent CLI with a verdict. */
async function listProbeStandings(settings: Settings, cwd: string, env: Env): Promise<readonly ProbeStanding[]> {
  const worn = Object.entries(settings.backends).flatMap(([hat, specs]) =>
    isHeld(settings, hat)
      ? [...new Set(specs.map(({ type }) => type))].filter((cli) => hasVerdicts(cli, env)).map((cli) => ({ hat, cli }))
      : [],
  );
  if (worn.length === 0) return [];
  const [found, os] = await Promise.all([
    detectBackends({ env, priority: [...new Set(worn.map(({ cli }) => cli))] }),
    findOsSandbox(env, cwd),
  ]);
  return worn.flatMap(({ hat, cli }): ProbeStanding[] => {
    const version = found.find(({ type }) => type === cli)?.version ?? null;
    if (version === null) return [];
    const isConfined = os.found !== null && wantsConfinement(toMay(settings, hat), settings.sandbox.mode, settings.sandbox.hats[hat]);
    const verdict = readVerdict(cli, version, RALPH_VERSION, env);
    const result = isConfined ? (verdict?.os ?? null) : (verdict?.flags ?? null);
    return [{ hat, cli, version, layer: isConfined ? 'sandbox' : 'flags', result }];
  });
}

function toMay({ policies }: Settings, hat: string): Capabilities {
  return toCapabilities(resolveProfile(policies[hat] ?? null, BUILT_IN_CARDS));
}

/** Whether a profile keeps the hat from changing files. */
function isHeld(settings: Settings, hat: string): boolean {
  return (settings.policies[hat] ?? null) !== null && !mayChangeTree(toMay(settings, hat));
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
