import { createReplay } from '../../replay/create-replay.ts';
import { toRunFrame } from '../../views/frame/run-frame.ts';
import { toTimeline } from '../../views/frame/timeline.ts';
import { toEventPage, toTurnDetail, toTurnPage } from '../../views/frame/turn-rows.ts';
import type { ReportData } from '../../wire/report-data.ts';
import type { ByteRange, TextPiece, TurnIndex } from '../../wire/turn-texts.ts';
import type { PageSource, RunSource } from './page-source.ts';

const NO_INDEX: TurnIndex = { calls: [], growth: [], isCut: false };

/** The run that is in the file, decided again from its inputs. */
export function createLocalSource(data: ReportData): PageSource {
  const { take, history } = createReplay();
  for (const entry of data.entries) take(entry);
  const textOf = (turn: string, part: string): string | undefined => {
    const kept = data.turns[turn];
    return part === 'prompt' ? kept?.prompt : part === 'output' ? kept?.output : undefined;
  };
  const run: RunSource = {
    key: data.row.key,
    asOf: data.facts.now,
    leftOut: data.leftOut,
    damage: data.damage ?? null,
    frame: async (seq) => toRunFrame(history, data.facts, seq),
    follow: (call, tell) => {
      tell(null);
      call({ frame: toRunFrame(history, data.facts), turns: [], firstEvent: 0 });
      return () => undefined;
    },
    turns: async (order) => toTurnPage(history, order),
    events: async (order) => toEventPage(history, order),
    timeline: async (slots) => toTimeline(history, slots),
    picture: async () => data.picture,
    turn: async (place, seq) => toTurnDetail(history, place, seq),
    text: async (turn, part, range) => cut(textOf(turn, part), range),
    diff: async (turn) => (turn === null ? data.diff : (data.turns[turn]?.diff ?? null)),
    index: async (turn) => data.turns[turn]?.index ?? NO_INDEX,
    evidence: async (number, range) => cut(data.evidence[String(number)], range),
    search: async (words, limit) => search(data, words, limit),
    order: null,
  };
  return {
    isLive: false,
    list: async () => ({ runs: [data.row], at: data.row.at, canSteer: false, unread: [] }),
    followList: () => () => undefined,
    open: () => run,
  };
}

/** The whole text: it is here anyway. */
function cut(text: string | undefined, _range: ByteRange): TextPiece | null {
  if (text === undefined) return null;
  const bytes = new TextEncoder().encode(text).length;
  return { text, from: 0, next: bytes, totalBytes: bytes };
}

function search({ turns }: ReportData, words: string, limit: number) {
  const wanted = words.toLowerCase();
  const hits = Object.entries(turns)
    .reverse()
    .flatMap(([turn, { prompt = '', output = '' }]) =>
      (
        [
          ['prompt', prompt],
          ['output', output],
        ] as const
      ).flatMap(([part, text]) =>
        text
          .split('\n')
          .filter((line) => line.toLowerCase().includes(wanted))
          .map((line) => ({ turn, part, fromByte: 0, line: line.slice(0, 400) })),
      ),
    );
  return hits.slice(0, limit);
}
