import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { loadText } from '../config-fixtures.ts';
import { hasErrors, renderDiagnostics, sortDiagnostics } from './diagnostics.ts';
import type { Diagnostic } from './located.ts';

function at(line: number, code: string, severity: Diagnostic['severity'], file = 'ralph.yml'): Diagnostic {
  const place = { file, line, column: 1, endLine: line, endColumn: 2, excerpt: { text: 'x', column: 1 } };
  return { code, severity, message: `Wrong ${line}.`, why: 'It matters.', fix: 'Mend it.', ...place };
}

describe('sortDiagnostics', () => {
  it('tells 200 of a kind, and with the last of them how many more there are', () => {
    const many = Array.from({ length: 1500 }, (_none, index) => at(index + 1, 'key-unknown', 'warning'));
    const told = sortDiagnostics([...many, at(2000, 'hat-unknown', 'error')]);
    expect(told).toHaveLength(201);
    expect(told[198]?.why).toBe('It matters.');
    expect(told[199]?.why).toBe('It matters. And 1,300 more of this kind.');
    expect(told[200]?.code).toBe('hat-unknown');
    expect(sortDiagnostics(told)).toEqual(told);
  });

  it('has an error of a file if and only if there was one', () => {
    const draw = fc.tuple(fc.nat(2000), fc.constantFrom('a', 'b'), fc.constantFrom('error' as const, 'warning' as const, 'hint' as const));
    const all = fc.array(draw, { maxLength: 900, size: 'max' });
    fc.assert(
      fc.property(all, fc.boolean(), (drawn, isCalm) => {
        const found = drawn.map(([line, code, severity]) => at(line, code, isCalm && severity === 'error' ? 'warning' : severity));
        expect(hasErrors(sortDiagnostics(found))).toBe(hasErrors(found));
      }),
      { numRuns: propertyRuns(50) },
    );
  });
});

function render(yaml: string): string {
  return renderDiagnostics(loadText(yaml).diagnostics);
}

describe('renderDiagnostics', () => {
  it('shows what is wrong, where, why, and what to do', () => {
    expect(render('event_loop:\n  max_iterations: ten\n')).toBe(
      [
        'ERROR: `event_loop.max_iterations` is "ten", which is not a whole number of at least 1. [number-invalid]',
        '  at ralph.yml:2:19',
        '  2 |   max_iterations: ten',
        '                        ^^^',
        '  Why: A setting that cannot be read is never replaced by a guess.',
        '  Fix: It must be a whole number of at least 1.',
      ].join('\n'),
    );
  });

  it('shows the other place too, and a fix of several lines', () => {
    expect(render('a: 1\na: 2\n')).toContain('  It is here first.\n  at ralph.yml:1:1\n  1 | a: 1\n      ^');
    expect(render('hats: {}')).toBe(
      [
        'ERROR: Hat collection is empty. [hats-empty]',
        '  at ralph.yml:1:1',
        '  1 | hats: {}',
        '      ^^^^',
        '  Why: A hat collection must contain at least one hat. Without hats, Ralph has nothing to execute.',
        '  Fix: Add at least one hat:',
        '',
        '       hats:',
        '         worker:',
        '           triggers: [task.start, task.resume]',
        '',
        '       or remove `hats:` to let Ralph work alone.',
      ].join('\n'),
    );
  });

  it('puts a blank line between findings, and says nothing about none', () => {
    expect(render('zebra: 1\nfleet: auto').split('\n\n')).toHaveLength(2);
    expect(render('')).toBe('');
  });

  it('passes no control character on to a terminal', () => {
    const text = render('"\\e[31mred": 1\nevent_loop: {coordinator: "x\u009B31m", prompt: 5} # \u0085\u009D\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
    expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
    expect(text).toContain('coordinator');
  });

  it('shows a part of a long line, with the mark under the right text', () => {
    const text = render(`event_loop: {prompt: "${'x'.repeat(5000)}", max_iterations: ten}`);
    const lines = text.split('\n');
    const row = lines.findIndex((line) => line.includes('| '));
    const mark = lines[row + 1] ?? '';
    expect(lines[row]?.length).toBeLessThan(200);
    expect(lines[row]?.slice(mark.indexOf('^'), mark.lastIndexOf('^') + 1)).toBe('ten');
  });

  it('keeps the mark in place behind characters of two units', () => {
    const lines = render('event_loop: {prompt: "😀😀", max_iterations: ten}').split('\n');
    const [line, mark] = [[...(lines[2] ?? '')], [...(lines[3] ?? '')]];
    expect(line.slice(mark.indexOf('^'), mark.lastIndexOf('^') + 1).join('')).toBe('ten');
  });

  it('has colours only where they are asked for', () => {
    const { diagnostics } = loadText('hats: {}');
    expect(renderDiagnostics(diagnostics, { color: true })).toContain('\u001B[1;31mERROR:\u001B[0m');
    expect(renderDiagnostics(diagnostics)).not.toContain('\u001B');
  });
});
