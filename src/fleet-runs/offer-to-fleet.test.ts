import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createMemoryFleet } from '../fleet/fleet-fixtures.ts';
import { sendFiles } from './offer-to-fleet.ts';

test('an output that is too large once its secrets are masked stays on the worker, and others go', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-outputs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'stderr.log'), 'key');
  writeFileSync(join(folder, 'stdout.log'), Buffer.concat([Buffer.alloc((64 << 20) - 3, 'x'), Buffer.from('key')]));
  const sent = await sendFiles(createMemoryFleet().blobs, folder, (text) => text.replaceAll('key', '[masked]'));
  expect(sent).toEqual([{ name: 'stderr.log', bytes: Buffer.from('[masked]').toString('base64') }]);
});
