import type { RunRecord } from '../../core/run/run-record.ts';
import type { FlowGraph } from '../../topology/graph/flow-graph.ts';
import type { GraphPicture } from '../../wire/graph-picture.ts';
import type { Steering } from '../../wire/steering.ts';
import type { ToldEvent } from '../../wire/told-event.ts';
import type { ByteRange, SearchHit, TextPiece, TurnIndex, TurnPart } from '../../wire/turn-texts.ts';
import type { RunView, TurnView } from '../fold/run-view.ts';
import type { StatusFacts } from '../report/running-report.ts';

/**
 * A run as it was after each of its inputs. It is folded once; whatever moment is asked for afterwards is looked up, not folded again. Turns are known by their place,
 * from 0, which never changes. A `seq` below 1 means the time before the run, one above the last input the last input.
 */
export interface RunHistory {
  /** Takes the next record. What passes by live is left out: the journal does not have it. */
  readonly take: (record: RunRecord) => void;
  /** The number of the last input; 0 before the first. */
  readonly lastSeq: () => number;
  /** The same view that a fold of the records up to this input gives; for no number or the last one its list of turns is kept, not made. */
  readonly view: (seq?: number) => RunView;
  /** The flow graph with the counts of that moment; `null` before the run has begun. */
  readonly graph: (seq?: number) => FlowGraph | null;
  /** How many turns had begun. */
  readonly countTurns: (seq?: number) => number;
  /** A turn at that moment; `undefined` where it had not begun. */
  readonly turn: (place: number, seq?: number) => TurnView | undefined;
  /** From which input to which a turn worked; `undefined` where there is no such turn. */
  readonly span: (place: number) => TurnSpan | undefined;
  /** How many events had come up. */
  readonly countEvents: (seq?: number) => number;
  /** Events from a place on, in the order in which they came up. */
  readonly events: (from: number, count: number) => readonly ToldEvent[];
  /** What has changed behind this input: places of turns, and the place of the first new event. */
  readonly changes: (seq: number) => { readonly turns: readonly number[]; readonly firstEvent: number };
}

/** The inputs between which a turn worked. */
export interface TurnSpan {
  readonly startSeq: number;
  /** `null` while it works. */
  readonly endSeq: number | null;
}

/** What is known of a run beside its journal, at this moment; nothing of it holds for an earlier one. */
export type FrameFacts = Pick<StatusFacts, 'isAlive' | 'isUnseen' | 'now' | 'isNewest' | 'live' | 'fleet' | 'elsewhere'>;

/** A run as a face reads and steers it, whoever gives it: this process, or a page that has the run in it. Reading it changes nothing of the run. */
export interface WatchedRun {
  readonly runId: string;
  /** Absolute path of the folder in which it was started. */
  readonly root: string;
  /** What of it has been read so far. */
  readonly history: RunHistory;
  /** Reads on in its journal for about so long; true if there may be more at once. Default: until there is nothing new. */
  readonly refresh: (maxMs?: number) => boolean;
  /** What is known beside the journal, now. */
  readonly facts: () => FrameFacts;
  /** Calls when something of the run may have changed, until the function that it returns is called. */
  readonly onChange: (call: () => void) => () => void;
  /** A piece of what a turn was asked or said, secrets masked; `null` where it was not kept. */
  readonly text: (turn: string, part: TurnPart, range: ByteRange) => TextPiece | null;
  /** What a turn (`7.1`) changed, or (`null`) the run so far, as a patch, secrets masked; `null` where it was not kept. */
  readonly diff: (turn: string | null) => Promise<string | null>;
  /** The tool calls of a turn, and when its text grew; empty where that was not kept. */
  readonly index: (turn: string) => TurnIndex;
  /** Lines of all prompts and outputs that hold the words, whatever their case, the newest turn first. */
  readonly search: (words: string, limit: number) => Promise<readonly SearchHit[]>;
  /** The file that keeps the output of a gate's evidence, a piece of it; `null` where it was not kept. */
  readonly evidence: (number: number, range: ByteRange) => TextPiece | null;
  /** Its flow graph laid out; `null` before it has begun, and where it is too large for a picture. */
  readonly picture: () => Promise<GraphPicture | null>;
  /** Steering; each resolves once the journal has it, or nobody may. Each rejects with a RalphError for what is refused. */
  readonly steer: Steering;
}
