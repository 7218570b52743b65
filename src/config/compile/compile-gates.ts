import { GATE_CHECKS, type GateBaseline, type GateCheck, type GateSpec, isRequiredGate } from '../../core/gates/gate-spec.ts';
import type { QualityCommand } from '../../core/project/package-scripts.ts';
import { GATE_KEYS } from '../keys/gate-keys.ts';
import type { ValuesOf } from '../keys/setting.ts';
import { toEffective } from '../keys/setting-values.ts';
import type { Settings } from '../settings.ts';

/** More tries would hide a test that fails by chance. */
const MAX_RETRIES = 20;

const PROTECTED_NAME = 'protected files';

/** The gates of a run: the declared ones, then one on the protected files, if there are any. */
export function compileGates({
  gates = [],
  protect = [],
  gate_baseline: baseline,
  changed_tests: changed,
}: DeclaredGates): readonly GateSpec[] {
  const globs = [...new Set(protect)];
  const compiled = gates
    .map(compileGate)
    .map((gate) => withBaseline(gate, baseline === 'off' ? undefined : baseline))
    .map((gate) => ({ ...gate, ...(changed === 'allow' && { mayChangeTests: true as const }) }));
  return [...compiled, ...(globs.length === 0 ? [] : [toProtectGate(globs)])];
}

interface DeclaredGates {
  readonly gates?: readonly ValuesOf<typeof GATE_KEYS>[];
  readonly protect?: readonly string[];
  readonly gate_baseline?: GateBaseline | 'off';
  readonly changed_tests?: 'refuse' | 'allow';
}

/** Only a gate that is required, and for all hats and files, has a baseline: the others mean nothing before the first turn. */
function withBaseline(gate: GateSpec, baseline: GateBaseline | undefined): GateSpec {
  const isMeant = isRequiredGate(gate) && gate.hats === undefined && gate.onlyIf === undefined;
  return baseline === undefined || !isMeant ? gate : { ...gate, baseline };
}

/** The gate on a command that Ralph found in a project where no gates are declared. */
export function toFoundGate(
  { command, from }: QualityCommand,
  { gateBaseline: baseline = 'green', mayChangeTests }: Pick<Settings, 'gateBaseline' | 'mayChangeTests'> = {},
): GateSpec {
  const timeoutMs = GATE_KEYS.timeout_seconds.default * 1000;
  const gate = { on: GATE_KEYS.on.default, run: command, timeoutMs, from, ...(mayChangeTests && { mayChangeTests }) };
  return baseline === 'off' ? gate : { ...gate, baseline };
}

function compileGate(declared: ValuesOf<typeof GATE_KEYS>): GateSpec {
  const gate = toEffective(GATE_KEYS, declared);
  const run = gate.run ?? '';
  const check = GATE_CHECKS.find((word): word is GateCheck => word === run.trim());
  return {
    on: [...new Set(gate.on)],
    run: check ?? run,
    timeoutMs: gate.timeout ?? gate.timeout_seconds,
    ...(gate.name !== undefined && { name: gate.name }),
    ...(check !== undefined && { check }),
    ...(gate.only_if !== undefined && { onlyIf: [...new Set(gate.only_if)] }),
    ...(!gate.required && { required: false }),
    ...(gate.hats !== undefined && { hats: [...new Set(gate.hats)] }),
    ...(gate.retries > 0 && { retries: Math.min(gate.retries, MAX_RETRIES) }),
    ...(gate.serial && { serial: true }),
    ...(!gate.cache && { cache: false }),
    ...(gate.fewer_tests === 'allow' && { mayLoseTests: true as const }),
    ...(gate.isolation === 'off' && { isolation: 'off' as const }),
    ...(gate.runs_on.length > 0 && { runsOn: [...new Set(gate.runs_on)] }),
  };
}

function toProtectGate(protect: readonly string[]): GateSpec {
  return { on: GATE_KEYS.on.default, name: PROTECTED_NAME, run: `protect: ${protect.join(', ')}`, timeoutMs: 60_000, protect };
}
