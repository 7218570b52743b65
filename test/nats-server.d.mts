import type { ChildProcess } from 'node:child_process';

export const NATS_SERVER: string;
export function startNatsServer(folder: string, port: string): ChildProcess;
export function readNatsPort(folder: string): Promise<string>;
export function endNatsServer(child: ChildProcess): Promise<void>;
