import { describe, expect, it } from 'vitest';
import { loadText, settingsOf } from '../config-fixtures.ts';

const HATS = 'hats: {a: {triggers: [x]}, b: {triggers: [y], sandbox: required}}\n';

describe('the sandbox of a configuration', () => {
  it('is taken where it is there, and changes are reported, unless something is said', () => {
    expect(settingsOf('').sandbox).toEqual({ mode: 'auto', scratch: [], readable: [], hasNetwork: true, hats: {}, onViolation: 'report' });
  });

  it('can be said in one word, or at length', () => {
    expect(settingsOf('sandbox: off').sandbox.mode).toBe('off');
    const { sandbox } = settingsOf(
      `${HATS}sandbox: {mode: required, scratch: ["packages/*/dist", gen], readable: [~/.tool], network: false}\non_violation: revert`,
    );
    expect(sandbox).toEqual({
      mode: 'required',
      scratch: ['packages/*/dist', 'gen'],
      readable: ['~/.tool'],
      hasNetwork: false,
      hats: { b: 'required' },
      onViolation: 'revert',
    });
  });

  it.each([
    ['sandbox: maybe', 'choice-unknown'],
    ['sandbox: {mode: maybe}', 'choice-unknown'],
    ['sandbox: [off]', 'type-invalid'],
    ['sandbox: {scrach: [a]}', 'key-unknown'],
    ['sandbox: {scratch: [../up]}', 'path-invalid'],
    ['sandbox: {scratch: [/etc]}', 'path-invalid'],
    ['on_violation: undo', 'choice-unknown'],
  ])('says what is wrong with %s', (yaml, code) => {
    expect(loadText(yaml).diagnostics.map((finding) => finding.code)).toContain(code);
  });
});
