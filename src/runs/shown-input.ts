import type { Input } from '../core/run/inputs.ts';
import type { RunSpec } from '../core/run/run-spec.ts';
import { type Json, mapTexts } from '../core/values/json.ts';

/** Which events and hats a gate is for is said in words that the run knows. */
const WORDS = new Set(['on', 'hats']);

/** An input as it may be shown: of the task and the gates, which the journal has as their person wrote them, without secrets. All else was masked before it was journaled. */
export function toShownInput(input: Input, redact: (text: string) => string): Input {
  if (input.type !== 'run-started' && input.type !== 'run-resumed') return input;
  return input.spec === undefined ? input : { ...input, spec: toShownSpec(input.spec, redact) };
}

function toShownSpec(spec: RunSpec, redact: (text: string) => string): RunSpec {
  const keep = (part: Json): Json => part;
  const gates = mapTexts(spec.gates as unknown as Json, redact, (key) => (WORDS.has(key) ? keep : undefined));
  return { ...spec, objective: redact(spec.objective), gates: gates as unknown as RunSpec['gates'] };
}
