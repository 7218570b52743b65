import type { Input } from '../core/run/inputs.ts';
import type { GraphPicture } from './graph-picture.ts';
import type { RunListRow } from './run-list.ts';
import type { TurnIndex } from './turn-texts.ts';

/** A run in a file of its own: what `ralph report` writes into its page. Secrets are masked. */
export interface ReportData {
  readonly v: 1;
  readonly row: RunListRow;
  /** Its journal, from the first entry on. */
  readonly entries: readonly { readonly seq: number; readonly input: Input }[];
  /** When the report was made, and whether the run was under way. */
  readonly facts: {
    readonly isAlive: boolean;
    readonly isUnseen?: boolean;
    readonly now: number;
    readonly isNewest?: boolean;
    readonly fleet?: string | null;
  };
  readonly picture: GraphPicture | null;
  /** The whole change of the run; `null` where it was not kept, or is left out. */
  readonly diff: string | null;
  /** By the name of the turn (`7.1`). */
  readonly turns: Readonly<Record<string, ReportTurn>>;
  /** Outputs of gates, by the number of their evidence. */
  readonly evidence: Readonly<Record<string, string>>;
  /** What of the journal could not be read, in words; absent: all of it could. */
  readonly damage?: string;
  /** What is said in the place of a text that the file does not have: a sentence. */
  readonly leftOut: string;
}

/** What a report has of a turn. */
export interface ReportTurn {
  readonly prompt?: string;
  readonly output?: string;
  readonly diff?: string;
  readonly index?: TurnIndex;
}
