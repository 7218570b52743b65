import { getEventListeners } from 'node:events';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlace, removePlaces } from '../files/file-tool-fixtures.ts';
import { grepTool } from './grep.ts';

afterAll(removePlaces);

describe('grep', () => {
  it('ends a pattern that would need for ever, and says why', async () => {
    const place = createPlace();
    place.write('evil.txt', `${'a'.repeat(60)}!\n`);
    const { text, isError } = await place.run(grepTool, { pattern: '^(a+)+$' });
    expect(isError).toBe(true);
    expect(text).toContain('takes too long on evil.txt');
  });

  it('ends at once when the turn is stopped', async () => {
    const place = createPlace();
    place.write('evil.txt', `${'a'.repeat(60)}!\n`);
    const stop = new AbortController();
    const running = place.run(grepTool, { pattern: '^(a+)+$' }, { signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    expect((await running).text).toContain('Stopped');
  });
});

describe('many searches in one turn', () => {
  it('leave nothing behind that waits for its end', async () => {
    const place = createPlace();
    place.write('a.txt', 'needle\n');
    const { signal } = new AbortController();
    for (let round = 0; round < 12; round += 1) await place.run(grepTool, { pattern: 'ne+dle' }, { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
