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
