import { detectBackends, PROBED_CLIS } from '../backends/index.ts';
import type { BackendType } from '../core/index.ts';
import { type ProbeResult, readVerdict } from '../sandbox/index.ts';

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
export async function listCliStandings(env: Readonly<Record<string, string | undefined>>): Promise<readonly CliStanding[]> {
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
