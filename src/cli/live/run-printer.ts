import type { RunRecord } from '../../core/run/run-record.ts';
import type { RunHandle } from '../../runs/run-api.ts';
import type { RunProgress } from '../../views/fold/fold-live-view.ts';
import type { RunView, TurnView } from '../../views/fold/run-view.ts';
import type { WorkFacts } from '../../views/report/work-facts.ts';

export interface RunOpening extends Pick<RunHandle, 'runId' | 'runFolder' | 'workspace' | 'reach' | 'fleet'> {
  /** Whether the run is the one that a command without a run means. */
  readonly isNewest: boolean;
  /** True where the run is another process's: Ctrl+C ends the watching alone. Default: it is this one's. */
  readonly isElsewhere?: boolean;
  readonly view: RunView;
  /** How far the run is, whenever it is asked. */
  readonly progress: () => RunProgress;
}

export interface RunClosing {
  readonly runId: string;
  readonly view: RunView;
  readonly exitCode: number;
  /** What is known beside the journal; `null` where nobody looked. */
  readonly facts: WorkFacts | null;
  /** Whether the run is the one that a command without a run means. */
  readonly isNewest: boolean;
  /** Whether to say what to type next. */
  readonly tellsNext: boolean;
  /** One turn was asked for, and no more. */
  readonly isOneTurn: boolean;
}

/** Shows a run while it goes on: for people, for people in a hurry, or for programs. */
export interface RunPrinter {
  readonly begin: (opening: RunOpening) => void;
  /** A record, and for inputs and effects the turn that started last, as it stands after them. */
  readonly show: (record: RunRecord, turn: TurnView | null) => void;
  readonly end: (closing: RunClosing) => void;
  /** Whether the printer shows by itself that the run is asked to stop. */
  readonly showsStops: boolean;
  /** Whether it wants to know what is known beside the journal. */
  readonly wantsFacts: boolean;
}
