/** What a hat has done and used so far. */
export interface HatRow {
  readonly id: string;
  /** Its agents, in the order in which they are tried; of a panel those that wear it together. */
  readonly backends: readonly string[];
  readonly isWorking: boolean;
  readonly turns: number;
  readonly failed: number;
  /** How long its turns took, those under way left out. */
  readonly durationMs: number;
  /** `null` where nobody has told any. */
  readonly costUsd: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}
