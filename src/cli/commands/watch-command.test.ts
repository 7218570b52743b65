import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../core/run/run-record.ts';
import { completedRun, START } from '../../views/fixtures.ts';
import type { AppApi } from '../cli-command.ts';
import { performCommandLine } from '../command-line.ts';
import { createFakeContext } from '../fixtures.ts';

const RUN = '20261121-223331-k7f2a';

/** A run that has ended, as its reader tells it. */
function openEnded(records: readonly RunRecord[]) {
  return {
    runId: RUN,
    runFolder: `/project/.ralph/runs/${RUN}`,
    isAlive: false,
    isUnseen: false,
    fleet: () => null,
    signalPid: null,
    workspace: () => '/project',
    live: () => null,
    replay: (visit: (record: RunRecord) => void) => records.forEach(visit),
    follow: async (visit: (record: RunRecord) => void) => records.forEach(visit),
    facts: async () => null,
    left: () => [],
    damage: () => null,
  };
}

const APP = { openRunReader: () => openEnded(completedRun().records) } as unknown as Partial<AppApi>;

describe('ralph watch where there is no whole terminal', () => {
  it('prints a line for each step with the time at which it was, then the report', async () => {
    const fake = createFakeContext({ app: APP });
    expect(await performCommandLine(['watch'], fake.context)).toBe(0);
    const lines = fake.out().split('\n');
    expect(lines[0]).toContain(RUN);
    expect(fake.out()).toContain('build.task to builder');
    expect(fake.out()).toMatch(/gate .*failed/);
    expect(fake.out()).toContain('Completed after 6 iterations');
    const minutes = new Set(lines.flatMap((line) => /^\d\d:(\d\d):\d\d /.exec(line)?.[1] ?? []));
    expect(minutes.size).toBeGreaterThan(1);
    expect(new Date(START).getMinutes()).toBe(Number(lines[0]?.slice(3, 5)));
  });

  it('does not say that Ctrl+C stops the run, which is not its own', async () => {
    const fake = createFakeContext({ app: APP });
    await performCommandLine(['watch'], fake.context);
    expect(fake.out()).not.toContain('Stop    Ctrl+C');
  });

  it('leaves nothing behind that would go on', async () => {
    const fake = createFakeContext({ app: APP });
    await performCommandLine(['watch'], fake.context);
    const before = fake.out();
    fake.pass(3_600_000);
    expect(fake.out()).toBe(before);
  });
});
