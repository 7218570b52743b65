/** Whatever moment of a run is looked at, it is what a fold of the journal up to there gives: a face cannot disagree with the commands. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { RunRecord } from '../../src/core/run/run-record.ts';
import { nodeFileSystem as fs, readJournal } from '../../src/journal/index.ts';
import { createJournalFold } from '../../src/loop/decide/index.ts';
import { createEventFold, createGraphFold, createRunViewFold } from '../../src/views/fold/index.ts';
import { createRunHistory } from '../../src/views/frame/index.ts';

const FOLDER = fileURLToPath(new URL('../../fixtures/journals/', import.meta.url));
const JOURNALS = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl') && !name.includes('decisions'));

test.each(JOURNALS)('%s is the same at each of its inputs, looked up and folded', (name) => {
  const steps = readSteps(name);
  const history = createRunHistory();
  for (const records of steps) for (const record of records) history.take(record);
  const fold = createRunViewFold();
  const graph = createGraphFold();
  const toEvents = createEventFold();
  let events = 0;
  for (const [index, records] of steps.entries()) {
    for (const record of records) {
      fold.take(record);
      graph.take(record);
      events += toEvents(record).length;
    }
    const seq = index + 1;
    expect(history.view(seq)).toEqual(fold.view());
    expect(history.graph(seq)).toEqual(graph.view());
    expect(history.countEvents(seq)).toBe(events);
    expect(history.countTurns(seq)).toBe(fold.view().turns.length);
  }
  expect(history.lastSeq()).toBe(steps.length);
});

test.each(JOURNALS)('%s: what is said to have changed behind an input is all that differs from then', (name) => {
  const steps = readSteps(name);
  const history = createRunHistory();
  const seen: (readonly [seq: number, turns: ReturnType<typeof history.view>['turns'], events: number])[] = [];
  for (const [index, records] of steps.entries()) {
    for (const record of records) history.take(record);
    seen.push([index + 1, [...history.view().turns], history.countEvents()]);
  }
  for (const [seq, turns, events] of seen) {
    const changed = new Set(history.changes(seq).turns);
    expect(history.changes(seq).firstEvent).toBe(events);
    for (const [place, now] of history.view().turns.entries()) if (!changed.has(place)) expect(now).toEqual(turns[place]);
  }
});

/** The records of each input, with what was decided on it. */
function readSteps(name: string): readonly (readonly RunRecord[])[] {
  const fold = createJournalFold();
  const steps: RunRecord[][] = [];
  readJournal({ fs, path: `${FOLDER}${name}` }, (entry) => {
    const effects = fold.take(entry);
    const { seq, input } = entry;
    steps.push([{ kind: 'input', seq, input }, ...effects.map((effect) => ({ kind: 'effect' as const, seq, at: input.at, effect }))]);
  });
  return steps;
}
