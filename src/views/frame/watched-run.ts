import type { GraphPicture } from '../../wire/graph-picture.ts';
import type { Steering } from '../../wire/steering.ts';
import type { ByteRange, SearchHit, TextPiece, TurnIndex, TurnPart } from '../../wire/turn-texts.ts';
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
