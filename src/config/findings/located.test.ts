import { describe, expect, it } from 'vitest';
import { inFolder } from '../config-fixtures.ts';
import { readConfig } from '../load-config.ts';
import { renderDiagnostics } from './diagnostics.ts';

describe('a finding about variables of an agent that were given outside of any file', () => {
  it.each([
    [{ assignments: ['cli.env.API_KEY=[hunter2]'] }],
    [{ assignments: ['cli.env={API_KEY: [hunter2]}'] }],
    [{ env: { RALPH_CONFIG_CLI__ENV: '{A: [hunter2]}' } }],
  ])('does not show them: %j', (request) => {
    inFolder({}, (cwd) => {
      const { diagnostics } = readConfig({ cwd, ...request });
      expect(diagnostics).toHaveLength(1);
      expect(JSON.stringify(diagnostics) + renderDiagnostics(diagnostics)).not.toContain('hunter2');
    });
  });
});
