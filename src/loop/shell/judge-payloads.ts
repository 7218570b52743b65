import type { PayloadCheck, Signal } from '../../core/index.ts';

/**
 * Holds the schemas of their topics against what signals carry, before they become an input: the verdict is part of the input, so that the decision
 * reads nothing but that. What fits is handed on as the schema sees it, a text that holds JSON as that JSON.
 */
export function judgePayloads<S extends Signal>(signals: readonly S[], check: PayloadCheck | undefined): readonly S[] {
  return check === undefined ? signals : signals.map((signal) => judge(signal, check));
}

function judge<S extends Signal>(signal: S, check: PayloadCheck): S {
  if (signal.kind !== 'event') return signal;
  const verdict = check(signal.topic, signal.payload);
  return 'payload' in verdict ? { ...signal, payload: verdict.payload } : { ...signal, payloadProblem: verdict.problem };
}
