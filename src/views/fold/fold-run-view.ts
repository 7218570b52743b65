import type { LiveRecord, RunRecord } from '../../core/run/run-record.ts';
import type { RunProgress } from './fold-live-view.ts';
import { createProofFold } from './fold-proof.ts';
import { createDraft, findTurnDraft, type RunDraft, toElapsedMs, toTurnView, toView } from './run-draft.ts';
import type { RunProof, RunView, TurnView } from './run-view.ts';
import { takeEffect, takeInput } from './take-records.ts';

export interface RunViewFold {
  readonly take: (record: RunRecord) => void;
  readonly view: () => RunView;
  /** The turn that an input or effect is about, else the one that started last; without the cost of a whole view. */
  readonly turnOf: (record: RunRecord) => TurnView | null;
  /** How far it is, without the cost of a whole view. */
  readonly progress: () => RunProgress;
}

/** A fold of a run's records, live or from the journal. What passes by live only fills in what a running turn does not tell yet. */
export function createRunViewFold(): RunViewFold {
  const draft = createDraft();
  const proof = createProofFold();
  return {
    take: (record) => {
      proof.take(record);
      if (record.kind === 'input') takeInput(draft, record.seq, record.input);
      else if (record.kind === 'effect') takeEffect(draft, record.at, record.effect);
      else takeLive(draft, record);
      draft.touched.clear();
    },
    view: () => withProof(toView(draft), proof.proof()),
    turnOf: (record) => {
      const about = record.kind === 'input' ? record.input : record.kind === 'effect' ? record.effect : record;
      const named = 'attempt' in about ? findTurnDraft(draft, about.iteration, about.attempt) : undefined;
      const turn = named ?? draft.turns.at(-1);
      return turn === undefined ? null : toTurnView(turn);
    },
    progress: () => {
      const { limits, gates, at, totals } = draft;
      return { limits, iterations: draft.finished.size, gates, at, elapsedMs: toElapsedMs(draft), usage: totals.usage };
    },
  };
}

/** Whether a completed run is proven is told with its end. */
export function withProof<View extends Pick<RunView, 'end'>>(view: View, proof: RunProof | null): View {
  return view.end === null || proof === null ? view : { ...view, end: { ...view.end, proof } };
}

export function foldRunView(records: Iterable<RunRecord>): RunView {
  const fold = createRunViewFold();
  for (const record of records) fold.take(record);
  return fold.view();
}

function takeLive(draft: RunDraft, record: LiveRecord): void {
  if (record.kind !== 'live') return;
  const turn = findTurnDraft(draft, record.iteration, record.attempt);
  if (turn?.status !== 'running') return;
  if (record.event.type === 'tool-start') turn.toolCalls = (turn.toolCalls ?? 0) + 1;
  if (record.event.type === 'session') turn.sessionId = record.event.sessionId;
}
