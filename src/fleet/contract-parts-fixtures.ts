import { randomUUID } from 'node:crypto';
import type { Fleet, WorkerFacts, WorkOrder } from '../ports/fleet.ts';

export const worker = (id: string, ...labels: string[]): WorkerFacts => ({ id, labels, protocol: 1 });
export const order = (run: string, name: string, ...labels: string[]): WorkOrder => ({
  ...{ run, name, labels, protocol: 1 },
  body: { task: name },
});
export const signal = (): AbortSignal => AbortSignal.timeout(20_000);

export const newRun = (): string => `run-${randomUUID()}`;

/** Connects to one and the same fleet as before. */
export type Connect = () => Promise<Fleet>;
