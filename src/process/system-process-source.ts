import { createLinuxProcessSource } from './linux-process-source.ts';
import type { ProcessSource } from './process-source.ts';
import { createPsProcessSource } from './ps-process-source.ts';

/** This system's source: /proc on Linux, `ps` elsewhere. */
export const systemProcessSource: ProcessSource = process.platform === 'linux' ? createLinuxProcessSource() : createPsProcessSource();
