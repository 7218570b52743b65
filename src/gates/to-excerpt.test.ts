import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toExcerpt, toTail } from './to-excerpt.ts';

const noise = (count: number, word = 'ok'): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index} - all is well here`).join('\n');

describe('what is kept of a gate’s output', () => {
  it('is everything where that is short', () => {
    expect(toExcerpt('not ok 1 - adds\n', false, 'why', 4096)).toEqual({ text: 'not ok 1 - adds\n[why]', isCut: false });
  });

  it.each([
    ['node --test', 'not ok 7 - adds up'],
    ['node --test (spec)', '✖ adds up (1.2ms)'],
    ['vitest', ' FAIL  src/a.test.ts > adds up'],
    ['jest', '  ● adds up'],
    ['pytest', 'E       assert 1 == 2'],
    ['go', '--- FAIL: TestAdds (0.00s)'],
    ['cargo', "thread 'adds' panicked at src/lib.rs:7:5:"],
    ['rustc', 'error[E0308]: mismatched types'],
    ['tsc', 'src/a.ts(1,7): error TS2322: Type is not assignable'],
    ['eslint', '  12:5  error  x is not defined  no-undef'],
    ['gcc', 'main.c:3:1: error: expected identifier'],
    ['maven', '[ERROR] Tests run: 3, Failures: 1'],
    ['python', 'Traceback (most recent call last):'],
    ['an exception', 'TypeError: undefined is not a function'],
  ])('of a long output of %s shows the failure in its midst, and its end', (_tool, failure) => {
    const { text, isCut } = toExcerpt(`${noise(300)}\n${failure}\n  expected 3\n${noise(300)}\nTests: 1 of 601`, false, '', 4096);
    expect(text).toContain(`${failure}\n  expected 3`);
    expect(text).toMatch(/\[…\]/);
    expect(text.endsWith('Tests: 1 of 601')).toBe(true);
    expect([isCut, Buffer.byteLength(text) <= 4096]).toEqual([true, true]);
  });

  it('shows the first failures, not the last', () => {
    const many = Array.from({ length: 300 }, (_, index) => `not ok ${index} - case ${index}\n${noise(10)}`).join('\n');
    const { text } = toExcerpt(many, false, '', 4096);
    expect(text).toContain('not ok 0 - case 0');
    expect(text).not.toContain('not ok 200 ');
  });

  it('takes no sum of nothing for a failure', () => {
    const { text } = toExcerpt(`${noise(300)}\nFAILED: 0 failed\n${noise(300)}`, false, '', 4096);
    expect(text).not.toContain('FAILED');
  });

  it('is the end where nothing looks like a failure', () => {
    const { text } = toExcerpt(noise(600), false, 'ended by SIGSEGV', 4096);
    expect(text).toMatch(/ok 599 - all is well here\n\[ended by SIGSEGV\]$/);
  });

  it('cuts endless lines', () => {
    const { text } = toExcerpt(`not ok 1 ${'x'.repeat(9000)}\n${noise(300)}`, false, '', 4096);
    expect(text).toMatch(/^not ok 1 x+…\n/);
  });

  it('is never longer than allowed, whatever was printed', () => {
    const line = fc.oneof(fc.string(), fc.constantFrom('not ok 1', 'error: é漢😀', 'FAIL x', '\u001b[31mE   x\u001b[0m', 'x'.repeat(700)));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 200 }), fc.boolean(), fc.integer({ min: 256, max: 2048 }), (lines, isCut, maxBytes) => {
        const { text } = toExcerpt(lines.join('\n'), isCut, 'remark', maxBytes);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
        expect(text).not.toContain('\u001b[31m');
      }),
    );
  });
});

describe('the tail of a gate’s output', () => {
  it('is the output itself when that is short', () => {
    expect(toTail('1 passed\n', false, '', 100)).toBe('1 passed');
  });

  it('begins with a whole line when the beginning is missing', () => {
    expect(toTail('nd of a line\nwhole line\n', true, '', 100)).toBe('whole line');
    expect(toTail('aaaa\nbbbb\ncccc', false, '', 12)).toBe('bbbb\ncccc');
  });

  it('shows the end of one endless line', () => {
    expect(toTail('x'.repeat(50), false, '', 11)).toBe('x'.repeat(10));
  });

  it('puts the remark behind the output, on a line of its own', () => {
    expect(toTail('out', false, 'why', 100)).toBe('out\n[why]');
    expect(toTail('', false, 'why', 100)).toBe('[why]');
  });

  it('leaves out the colours of terminals', () => {
    expect(toTail('\u001b[31mred\u001b[0m', false, '', 100)).toBe('red');
  });

  it('never is longer than allowed, never tears a character, and always is an end of the text', () => {
    const text = fc.array(fc.constantFrom('a', 'é', '漢', '😀', '\n', 'zz')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.boolean(), fc.integer({ min: 8, max: 40 }), (output, isCut, maxBytes) => {
        const tail = toTail(output, isCut, '', maxBytes);
        expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(maxBytes);
        expect(output.trimEnd().endsWith(tail)).toBe(true);
        expect(tail).not.toContain('\ufffd');
      }),
    );
  });
});
