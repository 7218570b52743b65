import type { FrameNews } from '../../wire/frame-news.ts';
import type { GraphPicture } from '../../wire/graph-picture.ts';
import type { OrderBodies } from '../../wire/orders.ts';
import type { Page, PageOrder } from '../../wire/page.ts';
import type { RunFrame } from '../../wire/run-frame.ts';
import type { RunList } from '../../wire/run-list.ts';
import type { SteeringReceipt } from '../../wire/steering.ts';
import type { TimelineSlot } from '../../wire/timeline-slot.ts';
import type { ToldEvent } from '../../wire/told-event.ts';
import type { TurnDetail, TurnRow } from '../../wire/turn-row.ts';
import type { ByteRange, SearchHit, TextPiece, TurnIndex, TurnPart } from '../../wire/turn-texts.ts';

/** Where a page has its runs from: a server, or the file itself. */
export interface PageSource {
  /** False where nothing changes any more: a file. */
  readonly isLive: boolean;
  readonly list: () => Promise<RunList>;
  /** Calls with each new list until the function that it returns is called. */
  readonly followList: (call: (list: RunList) => void, tell: TellLink) => () => void;
  readonly open: (key: string) => RunSource;
}

/** Told why no news arrive, a sentence; `null`: they do. */
export type TellLink = (problem: string | null) => void;

/** A run as the page asks for it. Every promise rejects with an error whose message a person can read. */
export interface RunSource {
  readonly key: string;
  /** When what is shown was so, for a run that is not followed: a file; `null`: now. */
  readonly asOf: number | null;
  /** What is not to be had from here, a sentence; empty: everything is that was kept. */
  readonly leftOut: string;
  /** What of the journal could not be read; `null`: nothing is known of any. */
  readonly damage: string | null;
  readonly frame: (seq: number) => Promise<RunFrame>;
  /** Calls with the run now, and again at each change. */
  readonly follow: (call: (news: FrameNews) => void, tell: TellLink) => () => void;
  readonly turns: (order: PageOrder) => Promise<Page<TurnRow>>;
  readonly events: (order: PageOrder) => Promise<Page<ToldEvent>>;
  readonly timeline: (slots: number) => Promise<readonly TimelineSlot[]>;
  readonly picture: () => Promise<GraphPicture | null>;
  readonly turn: (place: number, seq: number | undefined) => Promise<TurnDetail | null>;
  readonly text: (turn: string, part: TurnPart, range: ByteRange) => Promise<TextPiece | null>;
  readonly diff: (turn: string | null) => Promise<string | null>;
  readonly index: (turn: string) => Promise<TurnIndex>;
  readonly evidence: (number: number, range: ByteRange) => Promise<TextPiece | null>;
  readonly search: (words: string, limit: number) => Promise<readonly SearchHit[]>;
  /** `null`: from here nobody steers. */
  readonly order: SendOrder | null;
}

/** Sends an order of a person. The name of the order (`command`) is added. */
export type SendOrder = <Kind extends keyof OrderBodies>(kind: Kind, body: Omit<OrderBodies[Kind], 'command'>) => Promise<SteeringReceipt>;
