/** Turns on workers are isolated as their configuration says. */
import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findIsolation } from '../../src/process/index.ts';
import { CONFIG, setUpFleet } from './scene.ts';

const { makeProject, startWorker, onFleet } = setUpFleet();

const SEARCH = await findIsolation();
const AGENT = `#!/bin/sh
cat > /dev/null
if [ "$RALPH_HAT" = builder ]; then readlink /proc/self/ns/pid > out.txt; ralph emit build.done built; else ralph emit LOOP_COMPLETE fine; fi
`;

async function sharesProcesses(mode: 'required' | 'off'): Promise<boolean> {
  const folder = makeProject({ 'agent.sh': AGENT, 'ralph.yml': `isolation: ${mode}\n${CONFIG}` });
  await startWorker('one');
  const { code, stdout, stderr } = await onFleet(folder);
  expect(code, stdout + stderr).toBe(0);
  return readFileSync(join(folder, 'out.txt'), 'utf8').trim() === readlinkSync('/proc/self/ns/pid');
}

test('with `isolation: off` an agent on a worker shares the processes of its machine', async () => {
  expect(await sharesProcesses('off')).toBe(true);
});

// Where the system allows no namespaces such a run is refused before its first turn.
test.skipIf(!SEARCH.ok)('with `isolation: required` it does not', async () => {
  expect(await sharesProcesses('required')).toBe(false);
});
