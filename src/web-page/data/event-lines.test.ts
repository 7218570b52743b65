import { describe, expect, test } from 'vitest';
import { createEventReader } from './event-lines.ts';

const STREAM = 'event: frame\nid: 7\ndata: {"a":1}\n\n: quiet\n\nevent: ping\ndata: \n\ndata: one\ndata: two\n\n';

describe('server-sent events', () => {
  test('are read the same however the text is cut', () => {
    const whole = createEventReader()(STREAM);
    expect(whole).toEqual([
      { event: 'frame', data: '{"a":1}' },
      { event: 'ping', data: '' },
      { event: 'message', data: 'one\ntwo' },
    ]);
    for (let size = 1; size < STREAM.length; size += 1) {
      const read = createEventReader();
      const found = [];
      for (let from = 0; from < STREAM.length; from += size) found.push(...read(STREAM.slice(from, from + size)));
      expect(found).toEqual(whole);
    }
  });

  test('that are not complete are kept back', () => {
    const read = createEventReader();
    expect(read('event: frame\ndata: 1\n')).toEqual([]);
    expect(read('\n')).toEqual([{ event: 'frame', data: '1' }]);
  });
});
