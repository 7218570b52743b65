import { describe, expect, it } from 'vitest';
import { createFakeContext } from '../fixtures.ts';
import { guardPrinter } from './watch-run.ts';

describe('guardPrinter', () => {
  it('tells a defect of a printer once and lets the run go on', () => {
    const fake = createFakeContext();
    const shown: string[] = [];
    const fail = (): void => {
      throw new Error('no such column');
    };
    const printer = guardPrinter(
      { begin: () => void shown.push('begin'), show: fail, end: () => void shown.push('end'), showsStops: true, wantsFacts: false },
      fake.context.terminal,
    );
    const record = { kind: 'gate-output', gate: 0, line: '' } as const;
    printer.begin({} as never);
    printer.show(record, null);
    printer.show(record, null);
    printer.end({} as never);
    expect(shown).toEqual(['begin', 'end']);
    expect(fake.err()).toBe('ralph: something could not be shown (no such column); the run goes on.\n');
  });
});
