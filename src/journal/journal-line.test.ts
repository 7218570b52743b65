import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../core/property-fixtures.ts';
import type { Input } from '../core/run/inputs.ts';
import { accept, refuse } from '../core/values/result.ts';
import { toInput } from './fixtures.ts';
import { parseJournalLine, toJournalLine } from './journal-line.ts';

function withChecksum(body: string): Buffer {
  return Buffer.from(`{"crc":"${crc32(body).toString(16).padStart(8, '0')}",${body}`);
}

/** Any half of a character, too. (`binary` of fast-check takes a second to set up.) */
const codeUnit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));

describe('a journal line', () => {
  it('has a form that stays: checksum first, then version, number and input', () => {
    expect(toJournalLine(7, { type: 'timer-fired', at: 5, timer: 1 }).toString()).toBe(
      '{"crc":"90da0b07","v":1,"seq":7,"input":{"type":"timer-fired","at":5,"timer":1}}\n',
    );
  });

  it('gives back every input, whatever text is in it', () => {
    const inputs = fc.record({
      type: fc.constant('events-received'),
      at: fc.integer(),
      text: fc.string({ unit: codeUnit }),
      more: fc.json(),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1 }), inputs, (seq, value) => {
        const input = value as unknown as Input;
        const line = toJournalLine(seq, input);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(parseJournalLine(line.subarray(0, -1), seq)).toEqual(accept({ seq, input }));
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  it('is refused when any one bit of it is changed', () => {
    const line = toJournalLine(12, toInput(3)).subarray(0, -1);
    for (let bit = 8 * 8; bit < line.length * 8; bit += 1) {
      const changed = Buffer.from(line);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(parseJournalLine(changed, 12), `bit ${bit}`).toHaveProperty('refused');
    }
  });

  it('is refused when it stands in the wrong place', () => {
    const line = toJournalLine(3, toInput(3)).subarray(0, -1);
    expect(parseJournalLine(line, 2)).toEqual(refuse('is entry 3, where entry 2 belongs'));
    expect(parseJournalLine(line, null)).toHaveProperty('value');
  });

  it.each(['', '{}', 'null', '{"crc":"00000000",', '\0'.repeat(60), 'x'.repeat(60)])('is refused when it is %j', (text) => {
    expect(parseJournalLine(Buffer.from(text), 1)).toHaveProperty('refused');
  });

  it.each([
    '"v":1,"seq":1,"input":{}}',
    '"v":1,"seq":1,"input":[]}',
    '"v":1,"seq":"1","input":{"type":"x"}}',
    '"v":0,"seq":1,"input":{"type":"x"}}',
    '"v":1}}',
  ])('is refused when its checksum fits but it says %s', (body) => {
    expect(parseJournalLine(withChecksum(body), 1)).toEqual(refuse('is not a journal entry'));
  });

  it('of a newer version is an error that says so, and no damage', () => {
    const line = withChecksum('"v":2,"seq":1,"entry":"in a form of the future"}');
    expect(() => parseJournalLine(line, 1)).toThrow(
      expect.objectContaining({ code: 'journal-newer', fix: expect.stringContaining('newer version') }),
    );
  });

  it('with an input that only a newer version knows is such an error too', () => {
    const line = withChecksum('"v":1,"seq":1,"input":{"type":"tide-turned","at":1}}');
    expect(() => parseJournalLine(line, 1)).toThrow(expect.objectContaining({ code: 'journal-newer' }));
  });

  it.each(['toString', '__proto__', ''])('with an input called %j is such an error too', (type) => {
    const line = withChecksum(`"v":1,"seq":1,"input":{"type":${JSON.stringify(type)},"at":1}}`);
    expect(() => parseJournalLine(line, 1)).toThrow(expect.objectContaining({ code: 'journal-newer' }));
  });
});
