import type { GateSpec } from './gates/gate-spec.ts';
import type { HatSpec, RunLimits, RunSpec } from './run/run-spec.ts';

/** Generous limits, so that a test meets only the one it sets. */
const SAMPLE_LIMITS: RunLimits = {
  maxIterations: 100,
  maxRuntimeMs: 14_400_000,
  maxCostUsd: null,
  maxConsecutiveFailures: 5,
  checkpointInterval: 0,
  cooldownMs: 0,
};

/** A complete specification: solo, with the product's defaults, unless something is said. */
export function makeSpec(parts: Partial<Omit<RunSpec, 'limits'>> & { readonly limits?: Partial<RunLimits> } = {}): RunSpec {
  return {
    objective: 'Build the thing.',
    coordinator: 'auto',
    mode: null,
    promise: 'LOOP_COMPLETE',
    startingEvent: null,
    startingHat: null,
    recoveryHat: null,
    routing: 'exclusive',
    eventSources: ['jsonl', 'text'],
    terminalEvents: [],
    requiredEvents: [],
    hats: null,
    ralph: { instructions: '', backends: ['claude'], timeoutMs: 3_600_000, idleTimeoutMs: 900_000 },
    loopDetection: { repetition: 3, oscillation: 3 },
    retry: { maxAttempts: 3, baseMs: 1000, maxMs: 60_000 },
    onLimit: 'wait',
    gates: [],
    ...parts,
    limits: { ...SAMPLE_LIMITS, ...parts.limits },
  };
}

/** A hat: what it takes, what it may publish (a text is a topic), and anything else. */
export function makeHat(
  id: string,
  triggers: readonly string[],
  publishes: readonly (string | HatSpec['publishes'][number])[] = [],
  parts: Partial<HatSpec> = {},
): HatSpec {
  return {
    id,
    name: id,
    description: '',
    triggers,
    publishes: publishes.map((entry) => (typeof entry === 'string' ? { topic: entry } : entry)),
    defaultPublishes: [],
    transitions: [],
    instructions: '',
    maxActivations: null,
    timeoutMs: 3_600_000,
    idleTimeoutMs: 900_000,
    backends: ['claude'],
    ...parts,
  };
}

/** A gate on topics. */
export function makeGate(on: readonly string[], run = 'npm test', parts: Partial<GateSpec> = {}): GateSpec {
  return { on, run, timeoutMs: 60_000, ...parts };
}
