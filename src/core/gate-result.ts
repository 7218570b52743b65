/** What one run of a gate showed: evidence, taken by the loop itself. */
export interface GateResult {
  /** Index into `RunSpec.gates`. */
  readonly gate: number;
  readonly command: string;
  readonly passed: boolean;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly durationMs: number;
  /** The last part of its output, at most 4 KB. */
  readonly outputTail: string;
}
