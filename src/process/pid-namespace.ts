import { readlinkSync } from 'node:fs';

/**
 * The process namespace that this process runs in, as the kernel names it (`pid:[4026531836]`): equal texts on one machine mean the same namespace.
 * `null` where the system has none (macOS) or `/proc` does not tell.
 */
export function readPidNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}
