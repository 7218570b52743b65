import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { createTurnRecorder, type RecordedText } from './turn-recorder.ts';

const TEXT = 'I begin.\nEVENT:build.done:{"n":1}\n\n<event topic="review.done">fine\nas it is</event>\r\nLOOP_COMPLETE\nIn the end: bye';

function record(pieces: readonly string[]): RecordedText {
  const recorder = createTurnRecorder('LOOP_COMPLETE');
  for (const text of pieces) recorder.take({ type: 'text', text });
  return recorder.finish();
}

it('hears the same however the words of an agent are cut into pieces', () => {
  const whole = record([TEXT]);
  expect(whole.signals).toHaveLength(3);
  expect(whole.finalText).toBe(TEXT);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: TEXT.length })), (cuts) => {
      const places = [0, ...cuts.sort((left, right) => left - right), TEXT.length];
      expect(record(places.map((place, index) => TEXT.slice(places[index - 1] ?? 0, place)))).toEqual(whole);
    }),
    { numRuns: propertyRuns(50) },
  );
});

it('counts every stopped use of a tool, and keeps the first twenty', () => {
  const recorder = createTurnRecorder('DONE');
  for (let use = 0; use < 31; use += 1)
    recorder.take({ type: 'tool-denied', denial: { tool: 'Bash', use: String(use), layer: 'flags', reason: 'no' } });
  const { denials, denied } = recorder.finish();
  expect([denials.length, denials.at(-1)?.use, denied]).toEqual([20, '19', 31]);
});

it('hears a long line that comes a few characters at a time', () => {
  const pieces = Array.from({ length: 200_000 }, () => 'abcd');
  const { signals, finalText } = record([...pieces, '\nEVENT:a.b\n']);
  expect(signals).toMatchObject([{ topic: 'a.b' }]);
  expect(finalText.length).toBeLessThan(20_000);
});
