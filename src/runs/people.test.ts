import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Settings } from '../config/settings.ts';
import { toRunPaths } from '../journal/run-folder.ts';
import { removeRuns } from './clean-runs.ts';
import { toLayout } from './layout.ts';
import { ownRun, requireFleetPerson, toFleetPerson, toPeopleFile, writePeople } from './people.ts';
import { lockRun } from './run-lock.ts';
import { giveToken } from './steer-run.ts';

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

describe('what belongs to a run under way', () => {
  const CALLS: readonly [string, (root: string, env: Readonly<Record<string, string>>) => Promise<unknown>][] = [
    ['removes no run', (root, env) => removeRuns(root, { keep: 0, dryRun: false }, env)],
  ];

  // The run's lock names this process, so that this process seems to be one of the run's own.
  async function openLiving(name: string) {
    const root = join(BASE, name);
    const layout = toLayout(root);
    const paths = toRunPaths(layout.stateDir, RUN);
    mkdirSync(paths.folder, { recursive: true });
    writePeople(paths, { who: 'open', isIsolated: false, env: { RALPH_TOKEN: TOKEN } });
    const lock = await lockRun({ layout, runId: RUN, worktree: 'red', command: 'ralph run' });
    return { root, lock, layout, paths };
  }
  const TOKEN = 'a-token-that-is-long-enough-0';

  it.each(CALLS)('%s, unless it brings the token of the run', async (name, call) => {
    const { root, lock } = await openLiving(name);
    try {
      await expect(call(root, {})).rejects.toMatchObject({
        code: 'person-refused',
        why: 'This process belongs to the run itself.',
      });
      const refused = await call(root, { RALPH_TOKEN: TOKEN }).then(
        () => null,
        (error: unknown) => error,
      );
      expect(refused).not.toMatchObject({ code: 'person-refused' });
    } finally {
      lock.release();
    }
  });

  it('is told where its token is not that of the run', async () => {
    const { root, lock } = await openLiving('wrong token');
    try {
      const why = 'What RALPH_TOKEN holds is no token of this run. This process belongs to the run itself.';
      expect(() => giveToken(root, RUN, { RALPH_TOKEN: 'x' })).toThrow(expect.objectContaining({ code: 'person-refused', why }));
      await expect(removeRuns(root, { keep: 0, dryRun: false }, { RALPH_TOKEN: 'x' })).rejects.toMatchObject({ why });
    } finally {
      lock.release();
    }
  });

  it('may see what a clean-up would remove', async () => {
    const { root, lock } = await openLiving('dry');
    try {
      expect(await removeRuns(root, { keep: 0, dryRun: true }, {})).toEqual({ removed: [], onFleet: [], kept: [], failed: [] });
    } finally {
      lock.release();
    }
  });
});

describe('somebody on another machine of the fleet', () => {
  const who = { pid: 7, user: 'uma@laptop' };
  const pathsOf = (said: Settings['externalEvents']) => {
    open(said);
    return toRunPaths(toLayout(join(BASE, said)).stateDir, RUN);
  };

  it('is known by the account of the server where the configuration lets people in', () => {
    expect(requireFleetPerson(pathsOf('open'), who)).toEqual({ ...who, how: 'fleet' });
  });

  it.each<Settings['externalEvents']>(['terminal', 'off'])('is nobody under `external_events: %s`', (said) => {
    expect(() => requireFleetPerson(pathsOf(said), who)).toThrow(expect.objectContaining({ code: 'person-refused' }));
  });

  it('is no agent', () => {
    expect(toFleetPerson({}, 'laptop').user).toMatch(/.@laptop$/);
    expect(() => toFleetPerson({ RALPH_TURN: '1.1' }, 'laptop')).toThrow(expect.objectContaining({ code: 'person-refused' }));
  });
});
