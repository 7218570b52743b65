import { expect, test } from 'vitest';
import type { TellView } from '../fold/run-view.ts';
import { toTellRows } from './people-rows.ts';

test('the last three messages are shown, and whatever still waits, however long ago it was told', () => {
  const given = { hat: 'builder', iteration: 1, attempt: 1, call: null };
  const tells = ['a', 'b', 'c', 'd', 'e'].map(
    (text, index): TellView => ({ text, seq: index, to: null, when: 'now', given: text === 'b' ? null : given }) as TellView,
  );
  expect(toTellRows({ tells }).map(({ text }) => text)).toEqual([
    '"b" (#1): waits for whoever works',
    expect.stringMatching(/^"c" \(#2\): given to builder in turn 1\.1/),
    expect.stringMatching(/^"d"/),
    expect.stringMatching(/^"e"/),
  ]);
});
