/** The bounds of one turn. */
export interface AgentLimits {
  /** Calls of the model; `null`: no limit. */
  readonly maxSteps: number | null;
  /** `null`: no limit but the run's. */
  readonly maxCostUsd: number | null;
  /** Of one answer; `null`: as the provider does it. */
  readonly maxOutputTokens: number | null;
  /** How much the model can read at once. */
  readonly contextTokens: number;
  readonly retry: RetryLimits;
}

/** Tries of one call that fails in passing: `baseMs * 2^(n-1)` between them, at most `maxMs`. */
export interface RetryLimits {
  readonly maxAttempts: number;
  readonly baseMs: number;
  readonly maxMs: number;
}
