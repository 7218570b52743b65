import { describe, expect, it } from 'vitest';
import { type BackendSpec, DETECTED_BACKENDS, toBackendLabel } from './backend-spec.ts';

const BASE = { args: [], env: {}, permissions: 'bypass' } as const;

describe('backends', () => {
  it.each<[Partial<BackendSpec> & Pick<BackendSpec, 'type'>, string]>([
    [{ type: 'claude' }, 'claude'],
    [{ type: 'claude', command: '/opt/claude' }, 'claude'],
    [{ type: 'kiro', agent: 'builder' }, 'kiro:builder'],
    [{ type: 'custom', command: './agent.sh' }, 'custom:./agent.sh'],
    [{ type: 'acp', command: 'opencode' }, 'acp:opencode'],
    [{ type: 'custom' }, 'custom'],
  ])('%j is called %s', (spec, label) => {
    expect(toBackendLabel({ ...BASE, ...spec })).toBe(label);
  });

  it('those that are looked for are the agent CLIs, claude first', () => {
    expect([DETECTED_BACKENDS[0], DETECTED_BACKENDS.includes('custom')]).toEqual(['claude', false]);
  });
});
