import {
  GATE_BASELINES,
  GATE_CHECKS,
  type GateBaseline,
  type GateCheck,
  type GateSpec,
  isRequiredGate,
  type QualityCommand,
} from '../core/index.ts';
import { toEffective } from './effective.ts';
import { GATE_ISOLATION } from './isolation-keys.ts';
import type { ChoiceSetting, Keys, ValuesOf } from './setting.ts';
import type { Settings } from './settings.ts';

/** More tries than this are no way to deal with a test that fails by chance. */
const MAX_RETRIES = 20;
/** What the protected files are called where gates are named. */
const PROTECTED_NAME = 'protected files';

/** The keys of one entry of `gates:`. */
export const GATE_KEYS = {
  on: {
    kind: 'list',
    doc: 'Topics and patterns that it guards.',
    items: { kind: 'pattern', doc: 'A topic or pattern.' },
    nonEmpty: true,
    default: ['task.complete'],
  },
  run: {
    kind: 'command',
    doc: "The command line that must succeed; or `tests`, `lint`, `build`, `typecheck`: what the project's files say does that.",
    required: true,
  },
  name: { kind: 'line', doc: 'What it is called; its command by default.' },
  timeout_seconds: { kind: 'duration', doc: 'Longest time it may take.', above: 0, default: 600 },
  timeout: { kind: 'duration', doc: 'Another name of `timeout_seconds`.', above: 0 },
  required: { kind: 'flag', doc: 'Whether its failure holds events back; `false` only tells it.', default: true },
  hats: { kind: 'list', doc: 'Hats whose events it guards; all by default.', items: { kind: 'word', doc: 'A hat.' }, nonEmpty: true },
  only_if: {
    kind: 'list',
    doc: 'It runs only if a file of these globs changed since the run began, or since it last passed.',
    items: { kind: 'line', doc: 'A glob of paths relative to the workspace.' },
    nonEmpty: true,
  },
  retries: { kind: 'integer', doc: 'How often a failure is tried again, for tests that fail by chance.', min: 0, default: 0 },
  serial: { kind: 'flag', doc: 'Whether it runs while no other gate does.', default: false },
  cache: { kind: 'flag', doc: 'Whether a pass counts for as long as no file changes.', default: true },
  fewer_tests: {
    kind: 'choice',
    doc: 'Whether it counts although it runs fewer tests than before the first turn: `allow` for a task that takes tests away.',
    values: ['refuse', 'allow'],
    default: 'refuse',
  },
  isolation: GATE_ISOLATION,
} as const satisfies Keys;

/** `gate_baseline`. */
export const GATE_BASELINE = {
  kind: 'choice',
  doc: 'Required gates are run once before the first turn; one that is red then must be green at the end, or no redder (`no_worse`). Without it only a command that Ralph found himself is.',
  values: [...GATE_BASELINES, 'off'],
} as const satisfies ChoiceSetting;

/** `changed_tests`. */
export const CHANGED_TESTS = {
  kind: 'choice',
  doc: 'Whether a completion counts although its gates would fail with the tests as they were when the run began: `allow` for a task that is to change what tests say.',
  values: ['refuse', 'allow'],
} as const satisfies ChoiceSetting;

/** `protect:`. */
export const PROTECT = {
  kind: 'list',
  doc: 'Files that agents must leave as they were when the run began, looked at before the end: test configuration, CI, scripts of gates.',
  items: { kind: 'path', doc: 'A glob of paths relative to the workspace.' },
} as const;

/** The gates of a run: those that are declared, then the one on protected files where there are some. */
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
    .map((gate) => ({ ...gate, ...toChangedTests(changed) }));
  return [...compiled, ...(globs.length === 0 ? [] : [toProtectGate(globs)])];
}

/** What a configuration says of gates. */
interface DeclaredGates {
  readonly gates?: readonly ValuesOf<typeof GATE_KEYS>[];
  readonly protect?: readonly string[];
  readonly gate_baseline?: GateBaseline | 'off';
  readonly changed_tests?: 'refuse' | 'allow';
}

function toChangedTests(changed: DeclaredGates['changed_tests']): Pick<GateSpec, 'mayChangeTests'> {
  return changed === 'allow' ? { mayChangeTests: true } : {};
}

/** What is for some hats or files only has nothing to say before anything was done. */
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
  };
}

function toProtectGate(protect: readonly string[]): GateSpec {
  return { on: GATE_KEYS.on.default, name: PROTECTED_NAME, run: `protect: ${protect.join(', ')}`, timeoutMs: 60_000, protect };
}
