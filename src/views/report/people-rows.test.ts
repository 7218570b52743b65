import { expect, test } from 'vitest';
import type { TellView } from '../fold/run-view.ts';
import { toDeadlineText, toFateText, toTellRows } from './people-rows.ts';

test('the last three messages are shown, and whatever still waits, however long ago it was told', () => {
  const given = { hat: 'builder', iteration: 1, attempt: 1, call: null };
  const tells = ['a', 'b', 'c', 'd', 'e'].map(
    (text, index): TellView => ({ text, seq: index, to: null, when: 'now', given: text === 'b' ? null : given }) as TellView,
  );
  expect(toTellRows({ tells }).map(({ text }) => text)).toEqual([
    '"b" (#1): waits for whoever works',
    expect.stringMatching(/^"c" \(#2\): given to builder in turn 1 with/),
    expect.stringMatching(/^"d"/),
    expect.stringMatching(/^"e"/),
  ]);
});

test('what counts when nobody answers is a sentence with the time of day', () => {
  const asked = { default: 'no', dueAt: 7_200_000 };
  const clock = (): string => '01:45:39';
  expect(toDeadlineText(asked, 0, clock)).toBe('If nobody answers by 01:45 (in 2 h 00 min), "no" counts.');
  expect(toDeadlineText(asked, 7_200_000, clock)).toBe('Nobody has answered in time: "no" counts.');
});

test('every question tells what became of it', () => {
  const open = { end: null };
  const toFate = (by: 'person' | 'deadline' | 'withdrawn'): string => toFateText({ answer: { choice: 'no', by, at: 0 } }, open);
  expect(toFate('person')).toBe('answered "no"');
  expect(toFate('deadline')).toBe('nobody answered in time: "no" counted');
  expect(toFate('withdrawn')).toBe('not answered: its turn ended before');
  expect(toFateText({ answer: null }, open)).toBe('waits for an answer');
  expect(toFateText({ answer: null }, { end: { reason: 'interrupted', detail: '', at: 0 } })).toBe(
    'open: an answer counts when the run goes on',
  );
  expect(toFateText({ answer: null }, { end: { reason: 'completed', detail: '', at: 0 } })).toBe('not answered: the run ended before');
});
