/** What `ralph-hats/views` makes of the inputs alone is what the run itself wrote down and decided. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { nodeFileSystem as fs, readJournal } from '../../src/journal/index.ts';
import { createJournalFold } from '../../src/loop/decide/index.ts';
import { createReplay, toRunFrame } from '../../src/replay/index.ts';
import { createRunViewFold } from '../../src/views/fold/index.ts';

const FOLDER = fileURLToPath(new URL('../../fixtures/journals/', import.meta.url));
const JOURNALS = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl') && !name.includes('decisions'));

test.each(JOURNALS)('%s, replayed, has the view of the run', (name) => {
  const replay = createReplay();
  const decide = createJournalFold();
  const view = createRunViewFold();
  readJournal({ fs, path: `${FOLDER}${name}` }, (entry) => {
    replay.take(entry);
    const effects = decide.take(entry);
    view.take({ kind: 'input', ...entry });
    for (const effect of effects) view.take({ kind: 'effect', seq: entry.seq, at: entry.input.at, effect });
  });
  expect(replay.history.view()).toEqual(view.view());
});

test('a replay refuses a journal that does not begin with the start of a run', () => {
  const replay = createReplay();
  expect(() => replay.take({ seq: 1, input: { type: 'timer-fired', at: 1, timer: 'cooldown' } as never })).toThrow(
    expect.objectContaining({ code: 'journal-empty' }),
  );
});

test('a frame of a replay is plain JSON', () => {
  const replay = createReplay();
  readJournal({ fs, path: `${FOLDER}${JOURNALS[0]}` }, replay.take);
  const frame = toRunFrame(replay.history, { isAlive: false, now: 0 });
  expect(JSON.parse(JSON.stringify(frame))).toEqual(frame);
});
