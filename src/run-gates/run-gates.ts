import type { Settings } from '../config/settings.ts';
import type { GateResult } from '../core/gates/gate-result.ts';
import { isRequiredGate } from '../core/gates/gate-spec.ts';
import type { Environment } from '../core/values/environment.ts';
import { createGateRunner } from '../gates/create-gate-runner.ts';
import type { GateRunnerSettings } from '../gates/gate-contract.ts';
import type { CheckEnd } from '../mcp/run-check-tool.ts';
import { createRedactor } from '../process/redact.ts';
import { runShellLine } from '../process/start-process.ts';
import { findCheck } from '../project/find-checks.ts';
import { findKnownSecrets, withoutKeys, withoutModelKeys, withoutSecrets } from '../safety/known-secrets.ts';

export interface GateRunOrder {
  readonly settings: Settings;
  readonly cwd: string;
  readonly env: Environment;
  /** Places in the list of gates, from 0. */
  readonly gates: readonly number[];
  readonly signal: AbortSignal;
  /** Hears each line of output with the place of its gate. */
  readonly observe: (gate: number, line: string) => void;
  /** How their programs are kept apart and held, and who runs those that need a worker; absent: as those that the person starts, here. */
  readonly kept?: Pick<GateRunnerSettings, 'isolation' | 'hold' | 'marker' | 'runAway'>;
}

export interface GateRun {
  readonly results: readonly (GateResult & { readonly required: boolean })[];
  /** False if a required gate failed. */
  readonly passed: boolean;
}

/**
 * Runs gates now, outside of any run: each of them, whatever passed before, and no evidence is kept. Protected files are left out, for without a
 * run there is nothing to compare them with.
 */
export async function runGates({ settings, cwd, env, gates, signal, observe, kept = {} }: GateRunOrder): Promise<GateRun> {
  const { spec, gatesAtOnce } = settings;
  const runner = createGateRunner({
    cwd,
    ...toGateGuard(settings, env),
    ...kept,
    ...(gatesAtOnce !== undefined && { atOnce: gatesAtOnce }),
    findCheck: (check) => findCheck(cwd, check),
  });
  const orders = gates.flatMap((gate) => {
    const one = spec.gates[gate];
    return one === undefined || one.protect !== undefined ? [] : [{ gate, spec: one }];
  });
  const results = (await runner.run(orders, signal, observe)).map((result) => ({
    ...result,
    required: isRequiredGate(spec.gates[result.gate] ?? {}),
  }));
  return { results, passed: results.every((result) => result.passed || !result.required) };
}

/** How long a command that an agent asks for may take; the turn's own limits end it sooner. */
const CHECK_MS = 15 * 60_000;
/** How much of its output the agent's model reads. */
const CHECK_BYTES = 30_000;

/** Runs one command line of the configuration as a gate would, for an agent that has no shell. Never rejects. */
export async function runCheck(line: string, { cwd, env }: { readonly cwd: string; readonly env: Environment }): Promise<CheckEnd> {
  const result = await runShellLine(line, { cwd, env: withoutModelKeys(env), timeoutMs: CHECK_MS, captureBytes: CHECK_BYTES });
  return { exitCode: result.status === 'exited' ? result.exitCode : null, output: result.output };
}

/**
 * What gates run with, and what is taken out of what they show: a gate runs code that agents wrote, and what it prints goes into prompts, the journal
 * and evidence.
 */
export function toGateGuard(
  settings: Pick<Settings, 'mcpServers' | 'backends' | 'tools' | 'isSafe'>,
  env: Environment,
): Required<Pick<GateRunnerSettings, 'env' | 'redact'>> {
  const own = withoutKeys(settings, env);
  return { env: settings.isSafe === true ? withoutSecrets(own) : own, redact: createRedactor(env, findKnownSecrets(settings, env)) };
}
