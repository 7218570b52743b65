import { describe, expect, it } from 'vitest';
import type { Settings } from '../config/settings.ts';
import { makeSpec } from '../core/spec-fixtures.ts';
import { describeReach } from './safe-runs.ts';

function reachOf(isSafe: boolean, isOnFleet: boolean): string {
  const backends = { builder: [{ type: 'claude' }] } as unknown as Settings['backends'];
  const sandbox = { mode: 'auto', hats: {}, hasNetwork: true } as unknown as Settings['sandbox'];
  return describeReach({ ...(isSafe && { isSafe }), backends, sandbox, spec: makeSpec() }, isOnFleet);
}

describe('what agents can reach', () => {
  it('is on this machine where they work here', () => {
    expect(reachOf(false, false)).toContain('agents can read and change whatever you can, keys in your home');
    expect(reachOf(true, false)).toContain('nothing of your home');
  });

  it('is on the machine of their worker where workers take the turns', () => {
    expect(reachOf(false, true)).toContain('on the machine of their worker agents can read and change whatever its account can');
    expect(reachOf(true, true)).toMatch(
      /on the machine of their worker agents write in their worktree only.*gates write in their worktree here/,
    );
    expect([reachOf(false, true), reachOf(true, true)].join()).not.toContain('your home');
  });
});
