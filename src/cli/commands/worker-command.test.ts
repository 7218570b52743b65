import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RalphError } from '../../core/values/errors.ts';
import type { AppApi } from '../cli-command.ts';
import { createFakeContext } from '../fixtures.ts';
import { workerCommand } from './worker-command.ts';

type WorkerFleet = Awaited<ReturnType<AppApi['connectFleet']>>;

/** A worker whose fleet was replaced, and that joins the new one by `join`. */
function startWorker(join: () => Promise<WorkerFleet>) {
  const signals: (AbortSignal | undefined)[] = [];
  const closed: string[] = [];
  const toFleet = (name: string): WorkerFleet => ({ close: async () => void closed.push(name) }) as unknown as WorkerFleet;
  const connectFleet = async ({ signal }: Parameters<AppApi['connectFleet']>[0]): Promise<WorkerFleet> => {
    signals.push(signal);
    return signals.length === 1 ? toFleet('old') : join();
  };
  const app = { connectFleet, listAvailable: () => [] } as unknown as AppApi;
  const fake = createFakeContext({ app, worker: { workForFleet: async () => 'token' }, env: { RALPH_FLEET: 'nats://n:4222' } });
  const call = { args: [], options: { slots: '1', standIn: '0', home: '/w' } } as unknown as Parameters<typeof workerCommand.perform>[1];
  const ended = Promise.resolve(workerCommand.perform(fake.context, call));
  return { ...fake, ended, signals, closed, toFleet };
}

describe('a worker that joins a fleet anew', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends at once with %s while the server says nothing, and keeps no connection that comes later',
    async (name) => {
      let come: (fleet: WorkerFleet) => void = () => undefined;
      const worker = startWorker(
        () =>
          new Promise((resolve) => {
            come = resolve;
          }),
      );
      await expect.poll(() => worker.signals.length).toBe(2);
      worker.signal(name);
      expect(await Promise.race([worker.ended, pause(1000, 'waits')])).toBe(name === 'SIGTERM' ? 130 : 0);
      expect(worker.signals[1]?.aborted).toBe(true);
      come(worker.toFleet('late'));
      await expect.poll(() => worker.closed).toContain('late');
    },
  );

  it('says once why it cannot, and what to do', async () => {
    const worker = startWorker(async () => {
      throw new RalphError({
        code: 'fleet-unreachable',
        what: 'There is no fleet.',
        why: 'It needs JetStream.',
        fix: 'Start one: ralph fleet up',
      });
    });
    await expect.poll(() => worker.signals.length, { timeout: 5000 }).toBe(3);
    worker.signal('SIGTERM');
    await worker.ended;
    expect(worker.err()).toContain(
      'it is tried again every 2 s.\nralph: There is no fleet.\n  Why: It needs JetStream.\n  Fix: Start one: ralph fleet up\n',
    );
    expect(worker.err().match(/There is no fleet/g)).toHaveLength(1);
  });
});
