import { detectBackends, PROBED_CLIS } from '../backends/clis.ts';
import type { BackendType } from '../core/backends/backend-spec.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import type { ProbeVerdict } from '../sandbox/probe-verdict.ts';

/** A busy machine may take long to start a CLI for the first time. */
const VERSION_MS = 60_000;

export interface ProbesOrder {
  /** Names as they were typed; empty: all that are installed and can be probed. */
  readonly clis: readonly string[];
  /** Absolute: where nothing is looked for that keeps an agent in. */
  readonly cwd: string;
  readonly env: Environment;
  /** Aborted when nobody waits any longer: what runs is ended, and its verdict is not kept. */
  readonly signal: AbortSignal;
  /** Told before each CLI is started: probes take a while. */
  readonly onStart: (cli: BackendType, version: string) => void;
}

/** What became of a wish to probe a CLI. */
export interface ProbeReport {
  readonly cli: BackendType;
  /** `null` where it could not be probed at all; then `why` says it. */
  readonly verdict: ProbeVerdict | null;
  readonly why: string;
  /** False where the verdict could not be kept: then no run will know of it. */
  readonly isKept: boolean;
}

/** What the probes found, and what the machine has beside the flags of CLIs. */
export interface ProbesReport {
  readonly probes: readonly ProbeReport[];
  /** Why the sandbox of the operating system was not tried; `null` where it was. */
  readonly noSandbox: string | null;
}

/**
 * Starts agent CLIs against a model on loopback that asks for what profile critic forbids, and keeps what was found by CLI and version.
 *
 * @throws RalphError `probe-unknown`
 */
export async function probeAgents({ clis, cwd, env, signal, onStart }: ProbesOrder): Promise<ProbesReport> {
  // With the sandbox, the model and its wire formats, which no other command needs all of.
  const { findOsSandbox, writeVerdict } = await import('../sandbox/index.ts');
  const wanted = clis.length === 0 ? PROBED_CLIS : clis.map((name) => toKnown(name, PROBED_CLIS));
  const [found, os] = await Promise.all([detectBackends({ env, priority: wanted, timeoutMs: VERSION_MS }), findOsSandbox(env, cwd)]);
  const { probeAgent } = await import('./probe-agent.ts');
  const probes: ProbeReport[] = [];
  for (const { type: cli, path, version } of found) {
    if (signal.aborted) break;
    const isAsked = clis.length > 0;
    if (path === null || version === null) {
      if (isAsked)
        probes.push({ cli, verdict: null, why: path === null ? 'it is not installed' : 'it does not tell its version', isKept: false });
      continue;
    }
    onStart(cli, version);
    const flags = await probeAgent({ cli, path, env, signal, os: { found: null, why: 'flags alone' } });
    const held = os.found === null ? null : await probeAgent({ cli, path, env, signal, os });
    if (signal.aborted) break;
    const at = new Date().toISOString();
    const verdict: ProbeVerdict = { v: 2, cli, version, profile: 'critic', at, ralph: RALPH_VERSION, flags, os: held };
    probes.push({ cli, verdict, why: '', isKept: writeVerdict(verdict, env) });
  }
  return { probes, noSandbox: os.found === null ? os.why : null };
}

function toKnown(name: string, all: readonly BackendType[]): BackendType {
  const known = all.find((cli) => cli === name);
  if (known !== undefined) return known;
  throw new RalphError({
    code: 'probe-unknown',
    what: `${JSON.stringify(name.slice(0, 60))} cannot be probed.`,
    why: 'A probe needs an agent CLI that can be pointed at a model on this machine, and whose flags can hold a profile.',
    fix: `Those that can: ${all.join(', ')}.`,
    exitCode: 2,
  });
}
