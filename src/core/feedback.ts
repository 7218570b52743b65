import type { GateResult } from './gate-result.ts';

/** What a hat is told at its next turn about what became of its last one. */
export type Feedback =
  | { readonly kind: 'refused'; readonly topic: string; readonly allowed: readonly string[] }
  | { readonly kind: 'promise-refused'; readonly why: string }
  | { readonly kind: 'gate-failed'; readonly topic: string; readonly results: readonly GateResult[] }
  | { readonly kind: 'withdrawn'; readonly topics: readonly string[] }
  | { readonly kind: 'malformed'; readonly where: string; readonly message: string };

/** Why the coordinator or the recovery hat is called without an event that asks for it. */
export type FallbackCause = 'empty-queue' | 'refused-twice' | 'exhausted' | 'untaken';

/** `runtime` ends the run; the others hold the next turn back. */
export type TimerPurpose = 'runtime' | 'cooldown' | 'retry' | 'limit';
