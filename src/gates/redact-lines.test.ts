import { describe, expect, it } from 'vitest';
import { createRedactor } from '../process/redact.ts';
import { redactLines } from './redact-lines.ts';

const redact = createRedactor({ MY_API_KEY: 'correct-horse-battery' });

function run(lines: readonly string[]) {
  let looks = 0;
  const shown: string[] = [];
  const redaction = redactLines(
    (text) => {
      looks += 1;
      return redact(text);
    },
    (line) => shown.push(line),
  );
  for (const line of lines) redaction.take(line);
  return { redaction, shown, looks: () => looks };
}

describe('lines of a gate on their way to who watches', () => {
  it('come as each of them would by itself, with its secrets hidden', async () => {
    const lines = Array.from({ length: 1000 }, (_, index) => (index % 97 === 0 ? `key correct-horse-battery ${index}` : `line ${index}`));
    const { shown } = run(lines);
    await Promise.resolve();
    expect(shown).toEqual(lines.map(redact));
    expect(shown[97]).toBe('key [redacted: MY_API_KEY] 97');
  });

  it('are looked at together where many come at once, and are handed on in the order in which they came', () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
    const { redaction, shown, looks } = run(lines);
    redaction.flush();
    expect(shown).toEqual(lines);
    expect(looks()).toBeLessThan(10);
  });

  it('go on where somebody who watches fails', async () => {
    const shown: string[] = [];
    const { take } = redactLines(redact, (line) => {
      if (line === 'b') throw new Error('no room');
      shown.push(line);
    });
    for (const line of ['a', 'b', 'c']) take(line);
    await Promise.resolve();
    expect(shown).toEqual(['a', 'c']);
  });
});
