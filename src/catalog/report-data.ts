import type { Input } from '../core/run/inputs.ts';
import { toTurnName } from '../core/run/turn.ts';
import type { Environment } from '../core/values/environment.ts';
import type { Json } from '../core/values/json.ts';
import { mapTexts } from '../core/values/json.ts';
import { createReplay, type ReplayEntry } from '../replay/create-replay.ts';
import { openRunReader } from '../runs/read-run.ts';
import type { RunReader } from '../runs/run-api.ts';
import { toListRow } from '../views/frame/list-row.ts';
import { toRunFrame } from '../views/frame/run-frame.ts';
import type { WatchedRun } from '../views/frame/watched-run.ts';
import type { ReportData, ReportTurn } from '../wire/report-data.ts';
import { openWatchedRun } from './watched-run.ts';

/** What a report has beside the journal. */
export interface ReportOrder {
  readonly cwd: string;
  /** An id, the beginning of one, or `last`; absent: the one under way in this folder, else the newest. */
  readonly run: string | undefined;
  readonly env: Environment;
  /** Prompts, outputs, changes and tool calls of each turn, and outputs of gates, too. */
  readonly withOutputs: boolean;
}

/** A whole change that is larger stays out of a report without outputs. */
const MAX_DIFF = 200_000;
/** Of each text at most so much, its end. */
const MAX_TEXT = 400_000;
/** Of all texts together; the newest turns come first. */
const MAX_ALL = 40_000_000;
/** Decisions read what an agent said last; of a long text its end is all that they need, as a rule. */
const FINAL_TEXT = 1500;

/**
 * Everything that a file of its own needs to show a run, masked.
 *
 * @throws RalphError as {@link openRunReader}
 */
export async function readReport(order: ReportOrder): Promise<ReportData> {
  const watched = openWatchedRun(order.cwd, order.run === 'last' ? undefined : order.run, order.env);
  watched.refresh();
  const reader = openRunReader(watched.root, watched.runId, order.env);
  const facts = { ...watched.facts(), live: null };
  const entries = shorten(readEntries(reader), facts);
  const diff = await watched.diff(null);
  const texts = order.withOutputs ? await readTexts(watched) : { turns: {}, evidence: {} };
  const damage = reader.damage();
  const isDiffLeft = diff !== null && !order.withOutputs && diff.length > MAX_DIFF;
  return {
    v: 1,
    // One run alone needs no name beside its own.
    row: {
      key: watched.runId.toLowerCase().replace(/[^0-9a-z]/g, '') || 'run',
      runId: watched.runId,
      folder: '',
      ...toListRow(watched.history.view(), facts),
    },
    entries,
    ...(damage === null ? {} : { damage }),
    facts,
    picture: await watched.picture(),
    diff: isDiffLeft ? null : diff,
    ...texts,
    leftOut: order.withOutputs
      ? 'It was not kept, or is too large for this file.'
      : 'It is not in this file: ralph report --with-outputs puts it there.',
  };
}

function readEntries(reader: RunReader): readonly ReplayEntry[] {
  const entries: ReplayEntry[] = [];
  reader.replay((record) => {
    if (record.kind !== 'input') return;
    const input = mapTexts(record.input as unknown as Json, reader.redact) as unknown as Input;
    entries.push({ seq: record.seq, input });
  });
  return entries;
}

/** What agents said last is cut to its end, unless that makes another run of it. */
function shorten(entries: readonly ReplayEntry[], facts: ReportData['facts']): readonly ReplayEntry[] {
  const short = entries.map(({ seq, input }) => ({
    seq,
    input: input.type === 'iteration-ended' ? { ...input, finalText: input.finalText.slice(-FINAL_TEXT) } : input,
  }));
  return toProof(short, facts) === toProof(entries, facts) ? short : entries;
}

/** What tells two runs apart: how they ended and everything on the way there that a decision made. */
function toProof(entries: readonly ReplayEntry[], facts: ReportData['facts']): string {
  const { take, history } = createReplay();
  for (const entry of entries) take(entry);
  return JSON.stringify([toRunFrame(history, facts), history.view().turns, history.events(0, history.countEvents())]);
}

async function readTexts(watched: WatchedRun): Promise<Pick<ReportData, 'turns' | 'evidence'>> {
  const turns: Record<string, ReportTurn> = {};
  const evidence: Record<string, string> = {};
  let left = MAX_ALL;
  const read = (piece: { readonly text: string } | null): string | undefined => {
    if (piece === null || left <= 0) return undefined;
    left -= piece.text.length;
    return piece.text;
  };
  for (let place = watched.history.countTurns() - 1; place >= 0 && left > 0; place -= 1) {
    const turn = watched.history.turn(place);
    if (turn === undefined) continue;
    const name = toTurnName(turn);
    const prompt = read(watched.text(name, 'prompt', { from: -MAX_TEXT, count: MAX_TEXT }));
    const output = read(watched.text(name, 'output', { from: -MAX_TEXT, count: MAX_TEXT }));
    const patch = left > 0 ? await watched.diff(name) : null;
    const diff = patch === null || patch.length > MAX_TEXT ? undefined : read({ text: patch });
    turns[name] = {
      ...(prompt !== undefined && { prompt }),
      ...(output !== undefined && { output }),
      ...(diff !== undefined && { diff }),
      index: watched.index(name),
    };
    for (const { evidence: shown } of turn.gates) {
      if (shown === undefined || shown === null) continue;
      if (shown.number === null) continue;
      const text = read(watched.evidence(shown.number, { from: -MAX_TEXT, count: MAX_TEXT }));
      if (text !== undefined) evidence[String(shown.number)] = text;
    }
  }
  return { turns, evidence };
}
