import type { GraphPicture } from '../../topology/graph/index.ts';
import type { FrameFacts } from './run-frame.ts';
import type { RunHistory } from './run-history.ts';

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

/** What a turn was asked (`prompt`), said (`output`), and wrote to its two streams. */
export type TurnPart = 'prompt' | 'output' | 'stdout' | 'stderr';

/** Bytes of a file. `from` below 0: counted from its end. */
export interface ByteRange {
  readonly from: number;
  readonly count: number;
}

/** A piece of a text. It begins and ends between characters. */
export interface TextPiece {
  readonly text: string;
  /** Where it begins, and where the next piece would. */
  readonly from: number;
  readonly next: number;
  readonly totalBytes: number;
}

/** What `live.jsonl` in a turn's folder says. */
export interface TurnIndex {
  readonly calls: readonly ToolCallRow[];
  /** When the text of the turn had grown to so many bytes, in order. */
  readonly growth: readonly { readonly at: number; readonly bytes: number }[];
  /** True where the file was full before the turn ended. */
  readonly isCut: boolean;
}

/** A tool call of a turn. */
export interface ToolCallRow {
  readonly id: string;
  readonly name: string;
  /** What it was about, on one line. */
  readonly summary: string;
  readonly startedAt: number;
  /** `null` while it is under way, and where nobody said. */
  readonly endedAt: number | null;
  /** `null` where the agent does not say whether it went well. */
  readonly ok: boolean | null;
}

/** A line that was searched for. */
export interface SearchHit {
  /** `7.1` */
  readonly turn: string;
  readonly part: TurnPart;
  /** Where the line begins. */
  readonly fromByte: number;
  readonly line: string;
}

/** How a person acts on a run. `command` names what is said: a run hears the same name once. */
export interface Steering {
  readonly tell: (words: {
    readonly command?: string;
    readonly text: string;
    readonly to?: string;
    readonly when?: 'now' | 'next';
  }) => Promise<SteeringReceipt>;
  readonly answer: (words: { readonly command?: string; readonly question: string; readonly choice: string }) => Promise<SteeringReceipt>;
  /** `after`: once the turn that runs has ended; `now`: the turn is ended, too. Resolves once the wish is left. */
  readonly stop: (how: 'after' | 'now') => Promise<SteeringReceipt>;
  /** Goes on with a run that has ended or died, in a process of its own. */
  readonly resume: () => Promise<SteeringReceipt>;
}

/** What became of an order, in three steps: it was written; the journal has it as this input; an agent was given it. */
export interface SteeringReceipt {
  /** One sentence. */
  readonly text: string;
  /** The input; `null` where the journal does not have it yet. */
  readonly seq: number | null;
}
