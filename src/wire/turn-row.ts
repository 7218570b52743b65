/** A turn in a list. */
export interface TurnRow {
  /** Its place in the list of turns, from 0; it never changes. */
  readonly place: number;
  /** `7.1`: iteration and attempt. */
  readonly name: string;
  /** How people read it: `7`; `7.2` for what was tried again. */
  readonly label: string;
  readonly iteration: number;
  readonly attempt: number;
  readonly hat: string;
  /** What tells it from other turns of its hat at the same time: `task.ready e4: Cut the wood`; empty where none are. */
  readonly about: string;
  readonly backend: string;
  /** The worker of a fleet that has or had it; `null`: none, or none has begun it. */
  readonly worker: string | null;
  readonly status: 'running' | 'succeeded' | 'failed' | 'interrupted';
  /** `stopped`: it was interrupted, or the run was stopped before its gates had answered; `red`: its agent did its work, and a gate refused what came of it. */
  readonly mark: 'running' | 'passed' | 'red' | 'failed' | 'stopped';
  readonly startedAt: number;
  readonly durationMs: number | null;
  readonly costUsd: number | null;
  readonly toolCalls: number | null;
  /** Whether files differ from before; `null` where nobody looked. */
  readonly treeChanged: boolean | null;
  /** What its gates came to; `null` where none ran. */
  readonly gates: 'passed' | 'failed' | null;
  /** Topics that it published, those that a gate turned into others included. */
  readonly topics: readonly string[];
  /** `succeeded after 45.2 s, $0.12` */
  readonly outcome: string;
  /** The input with which it began, and the one with which it ended; `null` while it works. */
  readonly startSeq: number;
  readonly endSeq: number | null;
}

/** A turn with all that is known of it but what it was asked, said and changed: those are files. */
export interface TurnDetail {
  readonly row: TurnRow;
  /** Labelled facts, in order; a label may come several times in a row. */
  readonly rows: readonly { readonly label: string; readonly text: string }[];
}
