import { existsSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readPidNamespace } from './pid-namespace.ts';

it('names the process namespace by the number that the kernel gave it, and is null where there are none', () => {
  const file = '/proc/self/ns/pid';
  expect(readPidNamespace()).toBe(existsSync(file) ? `pid:[${statSync(file).ino}]` : null);
});
