import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Settings } from '../config/index.ts';
import { toRunPaths } from '../journal/index.ts';
import { toLayout } from './layout.ts';
import { giveToken, ownRun, toPeopleFile, writePeople } from './people.ts';

const BASE = mkdtempSync(join(realpathSync(tmpdir()), 'ralph-people-'));
afterAll(() => rmSync(BASE, { recursive: true, force: true }));

const RUN = '20261122-101010-abcde';

function open(who: Settings['externalEvents']) {
  const root = join(BASE, who);
  const paths = toRunPaths(toLayout(root).stateDir, RUN);
  mkdirSync(paths.folder, { recursive: true });
  writePeople(paths, { who, isIsolated: false, env: {} });
  const give = (): string => {
    const disown = ownRun(paths);
    try {
      return giveToken(root, RUN, {});
    } finally {
      disown();
    }
  };
  return { give, read: () => readFileSync(toPeopleFile(paths), 'utf8') };
}

describe('a token', () => {
  it('is given where it counts', () => {
    const { give, read } = open('open');
    const before = read();
    expect(give()).toMatch(/^[\w-]{43}$/);
    expect(read()).not.toBe(before);
  });

  it.each<[Settings['externalEvents'], RegExp]>([
    ['terminal', /terminal/],
    ['off', /SIGTERM/],
  ])('is refused under `external_events: %s`, where none counts, and the run’s file stays as it was', (who, fix) => {
    const { give, read } = open(who);
    const before = read();
    expect(give).toThrow(
      expect.objectContaining({
        code: 'person-refused',
        why: expect.stringContaining(`external_events: ${who}`),
        fix: expect.stringMatching(fix),
      }),
    );
    expect(read()).toBe(before);
  });
});
