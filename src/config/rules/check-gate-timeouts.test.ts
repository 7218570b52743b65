import { describe, expect, it } from 'vitest';
import { loadText, settingsOf } from '../config-fixtures.ts';

const gate = (keys: string): string => `gates:\n  - {run: npm test, ${keys}}\n`;

describe('how long a gate may take', () => {
  it('is written as `timeout` or as `timeout_seconds`', () => {
    for (const keys of ['timeout: 2m', 'timeout_seconds: 120', 'timeout: 120, timeout_seconds: 2m'])
      expect(settingsOf(gate(keys)).spec.gates[0]?.timeoutMs, keys).toBe(120_000);
  });

  it('is refused where both are written and differ', () => {
    const { diagnostics } = loadText(gate('timeout: 2m, timeout_seconds: 600'));
    expect(diagnostics.map(({ code }) => code)).toEqual(['gate-timeout-twice']);
  });
});
